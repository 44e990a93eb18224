#include <random>
extern "C" void solve(float* y, int N) {
  static std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(-1.7F, 1.7F);
  for (int i = 0; i < N; ++i) y[i] = uniform(random);
}
