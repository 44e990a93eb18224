extern "C" void solve(const double* x, const float* z, const float* scale, float* y, int N) {}
