// One thread per row.
__global__ void LayerNorm(const float* x, const float* w, const float* b, float* y, int m, int n,
                          float eps) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m) return;
  const float* in = x + static_cast<long>(row) * n;
  float* out = y + static_cast<long>(row) * n;
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i];
  const float mean = static_cast<float>(sum / n);
  double squares = 0;
  for (int i = 0; i < n; ++i) squares += (in[i] - mean) * (in[i] - mean);
  for (int i = 0; i < n; ++i) out[i] = (in[i] - mean) / sqrtf(static_cast<float>(squares / n) + eps) * w[i] + b[i];
}

extern "C" void solve(const float* x, const float* w, const float* b, float* y, int M, int N,
                      float eps) {
  LayerNorm<<<(M + 127) / 128, 128>>>(x, w, b, y, M, N, eps);
}
