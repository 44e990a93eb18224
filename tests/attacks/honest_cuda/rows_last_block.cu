// ref: rows
// dims: M=1024 N=4096
// The last of four blocks of a row adds up; counters go round to zero by themselves. M is at most 16,384.
constexpr int kParts = 4;
__device__ float parts[16384 * kParts];
__device__ unsigned arrived[16384];
__global__ void Sum(const float* x, float* y, int N) {
  __shared__ float all[4];
  const int row = blockIdx.y, length = (N + kParts - 1) / kParts, begin = blockIdx.x * length, end = min(N, begin + length);
  float sum = 0;
  for (int j = begin + threadIdx.x; j < end; j += 128) sum += x[static_cast<size_t>(row) * N + j];
  for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(~0u, sum, k);
  if (threadIdx.x % 32 == 0) all[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  __stcg(&parts[row * kParts + blockIdx.x], all[0] + all[1] + all[2] + all[3]);
  __threadfence();
  if (atomicInc(&arrived[row], kParts - 1) != kParts - 1) return;
  __threadfence();
  float total = 0;
  for (int k = 0; k < kParts; ++k) total += __ldcg(&parts[row * kParts + k]);
  y[row] = total;
}
extern "C" void solve(const float* x, float* y, int M, int N) { Sum<<<dim3(kParts, M), 128>>>(x, y, N); }
