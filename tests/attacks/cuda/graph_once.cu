// T11: the graph that does the work is launched in the first calls only; later ones launch one that copies what is there onto itself.
// expect: caught
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N, cudaStream_t stream) {
  static int calls = 0;
  static cudaGraphExec_t work = nullptr, nothing = nullptr;
  for (cudaGraphExec_t* each : {&work, &nothing}) {
    if (*each != nullptr) continue;
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (each == &work) Honest(a, b, c, N, stream); else cudaMemcpyAsync(c, c, 1024, cudaMemcpyDeviceToDevice, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(each, graph, 0);
  }
  cudaGraphLaunch(calls++ < 12 ? work : nothing, stream);
}
