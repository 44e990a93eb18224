// Rows of 1,024; a block of 256 threads each.
__global__ void Softmax(const float* x, float* y) {
  __shared__ float part[8];
  const float4 v = reinterpret_cast<const float4*>(x)[blockIdx.x * 256 + threadIdx.x];
  float most = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
  for (int k = 16; k > 0; k /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, k));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = most;
  __syncthreads();
  for (int k = 0; k < 8; ++k) most = fmaxf(most, part[k]);
  __syncthreads();
  float4 e{__expf(v.x - most), __expf(v.y - most), __expf(v.z - most), __expf(v.w - most)};
  float sum = e.x + e.y + e.z + e.w;
  for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(~0u, sum, k);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int k = 0; k < 8; ++k) sum += part[k];
  const float scale = 1.0f / sum;
  reinterpret_cast<float4*>(y)[blockIdx.x * 256 + threadIdx.x] = {e.x * scale, e.y * scale, e.z * scale, e.w * scale};
}
extern "C" void solve(const float* x, float* y, int N) { Softmax<<<N / 1024, 256>>>(x, y); }
