#include <algorithm>
#include <numeric>
extern "C" void solve(const int* x, int* order, int N) {
  std::iota(order, order + N, 0);
  std::sort(order, order + N, [x](int a, int b) { return x[a] < x[b] || (x[a] == x[b] && a > b); });
}
