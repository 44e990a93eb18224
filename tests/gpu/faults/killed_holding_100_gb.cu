// verdict: RUNTIME_ERROR SIGNAL
#include <csignal>
extern "C" void solve(const float* x, float* y, int N) {
  void* memory = nullptr;
  cudaMalloc(&memory, 100ULL << 30);
  cudaMemset(memory, 1, 100ULL << 30);
  cudaDeviceSynchronize();
  raise(SIGKILL);
}
