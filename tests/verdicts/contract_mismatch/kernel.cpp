// Takes a tensor that the reference does not declare.
extern "C" void solve(const double* x, float* y, int N) { y[0] = static_cast<float>(x[N - 1]); }
