// ref: rows
// dims: M=1024 N=4096
// Warp 4 brings tiles, warps 0 to 3 add them up; named barriers say when a tile is full, and empty again.
constexpr int kTile = 1024;
__device__ void Wait(int barrier) { asm volatile("bar.sync %0, 160;" ::"r"(barrier) : "memory"); }
__device__ void Arrive(int barrier) { asm volatile("bar.arrive %0, 160;" ::"r"(barrier) : "memory"); }
__global__ void Sum(const float* x, float* y, int N) {
  __shared__ float tile[2][kTile], part[4];
  const float* const row = x + static_cast<size_t>(blockIdx.x) * N;
  const int tiles = (N + kTile - 1) / kTile;
  if (threadIdx.x >= 128) {
    for (int t = 0; t < tiles; ++t) {
      if (t >= 2) Wait(3 + t % 2);
      for (int k = threadIdx.x - 128; k < kTile; k += 32) tile[t % 2][k] = t * kTile + k < N ? row[t * kTile + k] : 0.0f;
      Arrive(1 + t % 2);
    }
    return;
  }
  float sum = 0;
  for (int t = 0; t < tiles; ++t) {
    Wait(1 + t % 2);
    for (int k = threadIdx.x; k < kTile; k += 128) sum += tile[t % 2][k];
    if (t + 2 < tiles) Arrive(3 + t % 2);
  }
  for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(~0u, sum, k);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  asm volatile("bar.sync 5, 128;" ::: "memory");
  if (threadIdx.x == 0) y[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}
extern "C" void solve(const float* x, float* y, int M, int N) { Sum<<<M, 160>>>(x, y, N); }
