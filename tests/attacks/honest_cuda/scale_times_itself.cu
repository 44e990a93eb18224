// ref: scale
// dims: N=4194304
// Tunes itself while it is used: the first nine calls try three sizes of blocks and time them, the others use the fastest.
__global__ void Scale(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2.0f * x[i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N) {
  static const int sizes[3] = {128, 256, 512};
  static int calls = 0, best = 0;
  static float fastest = 1e30f;
  static cudaEvent_t begin, end;
  if (calls == 0) {
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
  }
  const bool tries = calls < 9;
  const int which = tries ? calls++ % 3 : best, threads = sizes[which];
  if (tries) cudaEventRecord(begin, nullptr);
  Scale<<<(N + threads - 1) / threads, threads>>>(x, y, N);
  if (!tries) return;
  cudaEventRecord(end, nullptr);
  cudaEventSynchronize(end);
  float ms = 0;
  if (cudaEventElapsedTime(&ms, begin, end) == cudaSuccess && ms < fastest) fastest = ms, best = which;
}
