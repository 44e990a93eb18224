// Every pointer is const.
extern "C" void solve(const float* x, const float* y, int N) {}
