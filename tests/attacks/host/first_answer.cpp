// R4: the answer of the first call for ever.
// expect: caught
#include <cstring>
#include <vector>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static std::vector<float> answer;
  if (answer.empty()) {
    answer.resize(static_cast<unsigned>(N));
    Honest(x, answer.data(), 0, N);
  }
  std::memcpy(y, answer.data(), sizeof(float) * answer.size());
}
