// ref: scale
// dims: N=4194304
// A global array of the module as scratch, used piece by piece.
constexpr int kPiece = 1 << 20;
__device__ float between[kPiece];
__global__ void Twice(const float* x, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) between[i] = 2.0f * x[i];
}
__global__ void PlusOne(float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = between[i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N) {
  for (int begin = 0; begin < N; begin += kPiece) {
    const int count = N - begin < kPiece ? N - begin : kPiece;
    Twice<<<(count + 255) / 256, 256>>>(x + begin, count);
    PlusOne<<<(count + 255) / 256, 256>>>(y + begin, count);
  }
}
