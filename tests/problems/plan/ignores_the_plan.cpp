extern "C" void solve(const int* lengths, const int* order, const float* x, float* y, int B, int L) {
  for (int i = 0; i < B; ++i) {
    float sum = 0;
    for (int k = 0; k < lengths[i]; ++k) sum += x[i * L + k];
    y[i] = sum;
  }
}
