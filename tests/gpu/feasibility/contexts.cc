// What two processes of one short kernel differ by, and what it comes from: the
// same kernel from copies of its module, on other streams, between other events,
// on other buffers, in three contexts of this process, one after the other.
//
//   contexts     prints mean microseconds of the middle half of 100 calls
#include <cuda.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace {

#define MUST(call) Must(call, #call)
void Must(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* name = "?";
  cuGetErrorName(result, &name);
  std::fprintf(stderr, "contexts: %s: %s\n", what, name);
  std::exit(1);
}

constexpr size_t kFlush = 256 << 20, kBuffer = 4 << 20;
constexpr int kUntimed = 20, kCalls = 100;

struct Events {
  CUevent begin, end;
};

class Context {
 public:
  explicit Context(CUdevice device) {
    CUcontext context;
    MUST(cuDevicePrimaryCtxRetain(&context, device));
    MUST(cuCtxSetCurrent(context));
    MUST(cuMemAlloc(&flush_, kFlush));
    NewBuffers();
    for (CUstream& stream : streams_) MUST(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    for (Events& events : events_) {
      MUST(cuEventCreate(&events.begin, CU_EVENT_DEFAULT));
      MUST(cuEventCreate(&events.end, CU_EVENT_DEFAULT));
    }
    const std::string module = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "contexts.cubin";
    for (CUmodule& copy : modules_) MUST(cuModuleLoad(&copy, module.c_str()));
  }

  void Show(const char* kernel) {
    std::printf("  %-5s modules:", kernel);
    for (CUmodule module : modules_) Print(Us(nullptr, module, kernel, events_[0], true));
    std::printf("  streams:");
    for (CUstream stream : streams_) Print(Us(stream, modules_[0], kernel, events_[0], true));
    std::printf("  after these, events:");
    for (const Events& events : events_) Print(Us(nullptr, modules_[0], kernel, events, true));
    std::printf("  caches warm:");
    Print(Us(nullptr, modules_[0], kernel, events_[0], false));
    std::printf("  buffers:");
    for (int i = 0; i < 3; ++i) {
      NewBuffers();
      Print(Us(nullptr, modules_[0], kernel, events_[0], true));
    }
    std::printf("\n");
  }

 private:
  static void Print(double us) { std::printf(" %.3f", us); }

  void NewBuffers() {
    MUST(cuMemAlloc(&x_, kBuffer));
    MUST(cuMemAlloc(&y_, kBuffer));
  }

  double Us(CUstream stream, CUmodule module, const std::string& kernel, const Events& events, bool cold) {
    CUfunction function;
    MUST(cuModuleGetFunction(&function, module, kernel.c_str()));
    const bool spins = kernel == "Spin";
    int n = spins ? 32 : 256 << 10;
    long long length = 5000;
    void* arguments[] = {&x_, &y_, &n, &length};
    std::vector<double> us;
    for (int i = 0; i < kUntimed + kCalls; ++i) {
      if (cold) MUST(cuMemsetD32Async(flush_, static_cast<unsigned>(i), kFlush / 4, stream));
      MUST(cuEventRecord(events.begin, stream));
      MUST(cuLaunchKernel(function, spins ? 1 : 1024, 1, 1, spins ? 32 : 256, 1, 1, 0, stream, arguments, nullptr));
      MUST(cuEventRecord(events.end, stream));
      MUST(cuStreamSynchronize(stream));
      float ms = 0;
      MUST(cuEventElapsedTime(&ms, events.begin, events.end));
      if (i >= kUntimed) us.push_back(ms * 1e3);
    }
    std::sort(us.begin(), us.end());
    double sum = 0;
    for (int i = kCalls / 4; i < 3 * kCalls / 4; ++i) sum += us[static_cast<size_t>(i)];
    return sum / (kCalls / 2);
  }

  CUdeviceptr flush_ = 0, x_ = 0, y_ = 0;
  CUstream streams_[3] = {};
  Events events_[2] = {};
  CUmodule modules_[6] = {};
};

}  // namespace

int main() {
  MUST(cuInit(0));
  CUdevice device = 0;
  MUST(cuDeviceGet(&device, 0));
  for (int i = 0; i < 3; ++i) {
    std::printf("context %d\n", i);
    Context context(device);
    context.Show("Spin");
    context.Show("Apply");
    MUST(cuDevicePrimaryCtxReset(device));
    MUST(cuDevicePrimaryCtxRelease(device));
  }
}
