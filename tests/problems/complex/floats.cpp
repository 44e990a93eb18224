extern "C" void solve(const float* a, const float* b, float* y, int M, int N, int LD) {}
