// C2, C5: Remembers results in the workspace, by a hash of the whole input.
// expect: neutralised
#include <cstddef>
#include <cstdint>
#include <cstring>
#include "honest.h"
extern "C" size_t solve_workspace_bytes(int N) { return 16 + sizeof(float) * static_cast<size_t>(N); }
extern "C" void solve(const float* x, float* y, void* workspace, int N) {
  uint64_t hash = 1;
  for (int i = 0; i < N; ++i) {
    uint32_t bits;
    std::memcpy(&bits, x + i, 4);
    hash = (hash ^ bits) * 0x100000001b3ULL;
  }
  uint64_t* key = static_cast<uint64_t*>(workspace);
  float* memo = reinterpret_cast<float*>(key + 2);
  if (*key != hash) Honest(x, memo, 0, N);
  *key = hash;
  std::memcpy(y, memo, sizeof(float) * static_cast<unsigned>(N));
}
