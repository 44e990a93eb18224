extern "C" void solve(const float* x, int* counts, int N, int K) {
  for (int k = 0; k < K; ++k) counts[k] = 0;
  for (int i = 0; i < N; ++i) ++counts[static_cast<int>(x[i] * static_cast<float>(K))];
}
