// Found, but with a C++ name.
void solve(const float* x, float* y, int N) { y[0] = x[N - 1]; }
