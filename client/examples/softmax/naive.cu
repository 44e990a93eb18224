// One thread per row.
__global__ void Softmax(const float* x, float* y, int m, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m) return;
  const float* in = x + static_cast<long>(row) * n;
  float* out = y + static_cast<long>(row) * n;
  float largest = in[0];
  for (int i = 1; i < n; ++i) largest = fmaxf(largest, in[i]);
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += expf(in[i] - largest);
  for (int i = 0; i < n; ++i) out[i] = expf(in[i] - largest) / sum;
}

extern "C" void solve(const float* x, float* y, int M, int N) {
  Softmax<<<(M + 127) / 128, 128>>>(x, y, M, N);
}
