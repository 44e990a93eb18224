// T11: a graph that is captured once and keeps the pointers of the first call.
// expect: caught
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N, cudaStream_t stream) {
  static cudaGraphExec_t ready = nullptr;
  if (ready == nullptr) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    Honest(a, b, c, N, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
  }
  cudaGraphLaunch(ready, stream);
}
