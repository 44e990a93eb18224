#include <cstddef>
extern "C" size_t solve_workspace_bytes(int K) { return 4096; }
extern "C" void solve(const float* w, const float* x, float* y, void* workspace, int N, int K) {
  static_cast<char*>(workspace)[4096] = 1;
}
