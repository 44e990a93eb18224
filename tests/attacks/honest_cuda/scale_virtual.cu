// ref: scale
// dims: N=4194304
// Virtual functions of objects that the kernel makes.
struct Step {
  __device__ virtual float Do(float x) const = 0;
};
struct Twice final : Step {
  __device__ float Do(float x) const override { return 2.0f * x; }
};
struct PlusOne final : Step {
  __device__ float Do(float x) const override { return x + 1.0f; }
};
__global__ void Scale(const float* x, float* y, int N, int twice_at) {
  const Twice twice;
  const PlusOne plus_one;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
    float value = x[i];
    for (int k = 0; k < 2; ++k) {
      const Step* const step = k == twice_at ? static_cast<const Step*>(&twice) : &plus_one;
      value = step->Do(value);
    }
    y[i] = value;
  }
}
extern "C" void solve(const float* x, float* y, int N) { Scale<<<528, 256>>>(x, y, N, 0); }
