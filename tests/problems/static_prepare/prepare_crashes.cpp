extern "C" void solve_prepare(const float* w, int K) { *reinterpret_cast<volatile int*>(8) = K; }
extern "C" void solve(const float* w, const float* x, float* y, int N, int K) {}
