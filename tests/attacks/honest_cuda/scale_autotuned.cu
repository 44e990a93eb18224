// ref: scale
// dims: N=4194304
// While preparing it times four sizes of blocks on memory of its own, and keeps the fastest.
__global__ void Scale(const float* x, float* y, int N) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) y[i] = 2.0f * x[i] + 1.0f;
}
static int best = 256;
static void Launch(const float* x, float* y, int N, int threads) { Scale<<<(N + threads - 1) / threads, threads>>>(x, y, N); }

extern "C" void solve_prepare(int N) {
  float *in = nullptr, *out = nullptr;
  cudaEvent_t begin, end;
  cudaMalloc(&in, N * sizeof(float));
  cudaMalloc(&out, N * sizeof(float));
  cudaMemset(in, 0, N * sizeof(float));
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  float fastest = 1e30f;
  for (const int threads : {64, 128, 256, 512}) {
    Launch(in, out, N, threads);
    cudaEventRecord(begin);
    for (int k = 0; k < 5; ++k) Launch(in, out, N, threads);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    if (ms < fastest) fastest = ms, best = threads;
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  cudaFree(in);
  cudaFree(out);
}
extern "C" void solve(const float* x, float* y, int N) { Launch(x, y, N, best); }
