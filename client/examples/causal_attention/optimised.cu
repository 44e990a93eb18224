// One warp for each query, one pass over the keys (the softmax is corrected as a
// larger score turns up); 32 keys at a time, which the warps of a block share. D at
// most 128.
namespace {

constexpr int kWarps = 8, kKeys = 32, kMostD = 128;

__global__ void Attention(const float* Q, const float* K, const float* V, float* O, int S, int D) {
  __shared__ float keys[kKeys][kMostD + 1], values[kKeys][kMostD], query[kWarps][kMostD];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int i = blockIdx.x * kWarps + warp, last = min(S, (static_cast<int>(blockIdx.x) + 1) * kWarps);
  const long head = static_cast<long>(blockIdx.y) * S * D;
  for (int d = lane; d < D; d += 32) query[warp][d] = i < S ? Q[head + static_cast<long>(i) * D + d] * rsqrtf(D) : 0;
  float top = -INFINITY, total = 0, sum[kMostD / 32] = {};
  for (int begin = 0; begin < last; begin += kKeys) {
    __syncthreads();
    for (int at = threadIdx.x; at < kKeys * D; at += kWarps * 32) {
      const int j = at / D, d = at % D;
      const bool there = begin + j < S;
      keys[j][d] = there ? K[head + static_cast<long>(begin + j) * D + d] : 0;
      values[j][d] = there ? V[head + static_cast<long>(begin + j) * D + d] : 0;
    }
    __syncthreads();
    float score = 0;  // of this lane's key
    for (int d = 0; d < D; ++d) score += query[warp][d] * keys[lane][d];
    if (begin + lane > i) score = -INFINITY;
    float highest = score;
    for (int step = 16; step > 0; step /= 2) highest = fmaxf(highest, __shfl_xor_sync(~0u, highest, step));
    highest = fmaxf(highest, top);
    const float old = highest == -INFINITY ? 1 : expf(top - highest);
    const float weight = score == -INFINITY ? 0 : expf(score - highest);
    float weights = weight;
    for (int step = 16; step > 0; step /= 2) weights += __shfl_xor_sync(~0u, weights, step);
    total = total * old + weights;
    top = highest;
    for (int part = 0; part < kMostD / 32; ++part) sum[part] *= old;
    for (int j = 0; j < kKeys; ++j) {
      const float share = __shfl_sync(~0u, weight, j);
      for (int part = 0, d = lane; d < D; ++part, d += 32) sum[part] += share * values[j][d];
    }
  }
  if (i >= S) return;
  for (int part = 0, d = lane; d < D; ++part, d += 32) O[head + static_cast<long>(i) * D + d] = sum[part] / total;
}

}  // namespace

extern "C" void solve(const float* Q, const float* K, const float* V, float* O, int H, int S, int D) {
  Attention<<<dim3((S + kWarps - 1) / kWarps, H), kWarps * 32>>>(Q, K, V, O, S, D);
}
