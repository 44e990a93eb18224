// ref: rows
// dims: M=1024 N=4096
// Zeros and atomic additions as a graph of two nodes, for each pair of pointers.
#include <map>
#include <tuple>
__global__ void Sum(const float* x, float* y, int N) {
  float sum = 0;
  for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < N; j += gridDim.x * blockDim.x) sum += x[static_cast<size_t>(blockIdx.y) * N + j];
  for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(~0u, sum, k);
  if (threadIdx.x % 32 == 0) atomicAdd(&y[blockIdx.y], sum);
}
extern "C" void solve(const float* x, float* y, int M, int N, cudaStream_t stream) {
  static std::map<std::tuple<const float*, float*, int, int>, cudaGraphExec_t> graphs;
  cudaGraphExec_t& ready = graphs[{x, y, M, N}];
  if (ready == nullptr) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    cudaMemsetAsync(y, 0, M * sizeof(float), stream);
    Sum<<<dim3(4, M), 256, 0, stream>>>(x, y, N);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphDestroy(graph);
  }
  cudaGraphLaunch(ready, stream);
}
