// Five hundred constants, each of which takes the compiler a second or so.
template <unsigned long long N> constexpr unsigned long long Work() {
  unsigned long long x = N;
  for (unsigned round = 0; round < 8; ++round) {
    for (unsigned i = 0; i < 200000; ++i) x = x * 6364136223846793005ULL + N;
  }
  return x;
}
template <unsigned long long N> struct Sum { static constexpr unsigned long long value = Work<N>() ^ Sum<N - 1>::value; };
template <> struct Sum<0> { static constexpr unsigned long long value = 0; };
constexpr unsigned long long kBomb = Sum<500>::value;
extern "C" void solve(const float* x, float* y, int N) {
  for (int i = 0; i < N; ++i) y[i] = x[i] + x[i];
}
