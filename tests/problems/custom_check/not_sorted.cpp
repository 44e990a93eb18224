#include <numeric>
extern "C" void solve(const int* x, int* order, int N) { std::iota(order, order + N, 0); }
