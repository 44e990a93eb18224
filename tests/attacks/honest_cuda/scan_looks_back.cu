// ref: scan
// dims: N=4194304
// One kernel: a tile waits, sleeping ever longer, for what its predecessors say. The number of the call makes what
// earlier calls said void, so nothing has to be cleared. N is at most 67,108,864.
constexpr int kTile = 4096;
__device__ unsigned ticket;
__device__ unsigned long long said[16384];  // number of the call, whether it is the sum of all so far, the sum
__device__ void Say(int tile, unsigned call, bool all, int sum) {
  atomicExch(&said[tile], static_cast<unsigned long long>(call) << 33 | static_cast<unsigned long long>(all) << 32 | static_cast<unsigned>(sum));
}
__device__ int SumBefore(int tile, unsigned call) {
  int before = 0;
  for (int t = tile - 1; t >= 0; --t) {
    unsigned long long found;
    unsigned pause = 8;
    while ((found = *const_cast<volatile unsigned long long*>(&said[t])) >> 33 != call) {
      __nanosleep(pause);
      pause = min(2 * pause, 256u);
    }
    before += static_cast<int>(found & 0xffffffffu);
    if ((found >> 32 & 1) != 0) break;
  }
  return before;
}
__global__ void Scan(const int* x, int* y, int N, unsigned call) {
  __shared__ int tile[kTile], warps[8], number, before;
  if (threadIdx.x == 0) number = atomicInc(&ticket, gridDim.x - 1);  // goes round to zero
  __syncthreads();
  const int begin = number * kTile, lane = threadIdx.x % 32, mine = threadIdx.x * 16;
  for (int k = threadIdx.x; k < kTile; k += 256) tile[k] = begin + k < N ? x[begin + k] : 0;
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 16; ++k) sum += tile[mine + k];
  int upto = sum;
  for (int k = 1; k < 32; k *= 2) {
    const int left = __shfl_up_sync(~0u, upto, k);
    if (lane >= k) upto += left;
  }
  if (lane == 31) warps[threadIdx.x / 32] = upto;
  __syncthreads();
  for (int k = 0; k < static_cast<int>(threadIdx.x) / 32; ++k) upto += warps[k];
  if (threadIdx.x == 255) {
    Say(number, call, number == 0, upto);
    before = SumBefore(number, call);
    if (number > 0) Say(number, call, true, before + upto);
  }
  __syncthreads();
  int value = before + upto - sum;
  for (int k = 0; k < 16; ++k) tile[mine + k] = value += tile[mine + k];
  __syncthreads();
  for (int k = threadIdx.x; k < kTile && begin + k < N; k += 256) y[begin + k] = tile[k];
}
extern "C" void solve(const int* x, int* y, int N) {
  static unsigned call = 0;
  ++call;
  Scan<<<(N + kTile - 1) / kTile, 256>>>(x, y, N, call);
}
