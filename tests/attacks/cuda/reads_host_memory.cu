// H21: a kernel follows host addresses (stack, heap, the page shared with the judge) that no CUDA call gave it.
// expect: neutralised
#include "honest.cuh"
__global__ void Copy(const unsigned* host, unsigned* found) { *found = *host; }
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static bool tried = false;
  int pageable = 0;
  cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0);
  if (!tried && pageable != 0) {  // else the first touch ends the process
    tried = true;
    FILE* maps = std::fopen("/proc/self/maps", "r");
    char line[512];
    unsigned* found = nullptr;
    cudaMallocHost(&found, 4);
    while (std::fgets(line, sizeof line, maps)) {
      uintptr_t begin = 0, end = 0;
      if (std::sscanf(line, "%lx-%lx rw", &begin, &end) == 2) Copy<<<1, 1>>>(reinterpret_cast<const unsigned*>(begin), found);
    }
    std::fclose(maps);
    cudaStreamSynchronize(nullptr);
  }
  Honest(a, b, c, N);
}
