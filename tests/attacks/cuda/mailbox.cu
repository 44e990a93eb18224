// T17: a kernel that never ends waits for orders in host memory and does the work of every call beside the events.
// expect: caught
#include "honest.cuh"
struct Order {
  const float *a, *b;
  float* c;
  int N;
  volatile unsigned asked, done;
};
__global__ void Serve(Order* order) {
  for (unsigned last = 0;;) {
    if (threadIdx.x == 0) while (order->asked == last) __nanosleep(100);
    __syncthreads();
    last = order->asked;
    for (int i = threadIdx.x; i < order->N; i += blockDim.x) order->c[i] = order->a[i] + order->b[i];
    __syncthreads();
  }
}
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static Order* const order = [] {
    void* made = nullptr;
    cudaHostAlloc(&made, sizeof(Order), cudaHostAllocMapped);
    std::memset(made, 0, sizeof(Order));
    Serve<<<1, 1024, 0, Aside()>>>(static_cast<Order*>(made));
    return static_cast<Order*>(made);
  }();
  order->a = a, order->b = b, order->c = c, order->N = N;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  order->asked = order->asked + 1;
}
