// The function is called otherwise.
extern "C" void resolve(const float* x, float* y, int N) { y[0] = x[N - 1]; }
