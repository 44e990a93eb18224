#include <random>
extern "C" void solve(float* y, int N) {
  static std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (int i = 0; i < N; ++i) y[i] = normal(random);
}
