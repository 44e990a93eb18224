extern "C" void solve(const int* indptr, const int* indices, const float* values, const float* x, float* y, int N, int NNZ) {
  for (int i = 0; i < N; ++i) {
    float sum = 0;
    for (int k = indptr[i]; k < indptr[i + 1]; ++k) sum += values[k] * x[indices[k]];
    y[i] = sum;
  }
}
