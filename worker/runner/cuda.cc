#include "runner/cuda.h"

#ifdef KOPT_WITH_CUDA
#include <cuda.h>
#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <vector>

namespace kernelopt::runner {
namespace {

#define KOPT_RUNNER_CUDA(X)                                                                      \
  X(cuInit) X(cuDeviceGet) X(cuDevicePrimaryCtxRetain) X(cuCtxSetCurrent) X(cuCtxSynchronize)    \
  X(cuGetErrorName) X(cuMemImportFromShareableHandle) X(cuMemAddressReserve) X(cuMemMap)         \
  X(cuMemSetAccess) X(cuMemAlloc) X(cuEventCreate) X(cuEventRecord) X(cuEventElapsedTime)        \
  X(cuStreamCreate) X(cuModuleLoadData) X(cuModuleGetFunction) X(cuLaunchKernel)                   \
  X(cuDeviceGetAttribute) X(cuStreamDestroy) X(cuMemUnmap) X(cuMemAddressFree) X(cuMemRelease) X(cuMemFree)

#define KOPT_NAME_OF(name) #name
#define KOPT_SYMBOL(name) KOPT_NAME_OF(name)

constexpr size_t kGuard = size_t{64} << 20;  // address space only

// touch.cu, compiled when the runner was; KOPT_TOUCH is the path that nvcc
// wrote to.
asm(".section .rodata\n"
    ".balign 16\n"
    ".hidden kopt_touch_fatbin\n"
    ".globl kopt_touch_fatbin\n"
    "kopt_touch_fatbin:\n"
    ".incbin \"" KOPT_TOUCH "\"\n"
    ".previous\n");
extern "C" __attribute__((visibility("hidden"))) const char kopt_touch_fatbin[];

class CudaGpu final : public Gpu {
 public:
  CudaGpu() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) throw Trouble("no NVIDIA driver in the sandbox (libcuda.so.1)");
#define KOPT_LOAD(name)                                                                          \
  name##_ = reinterpret_cast<decltype(name##_)>(dlsym(library, KOPT_SYMBOL(name)));              \
  if (name##_ == nullptr) throw Trouble(std::string("the NVIDIA driver has no ") + KOPT_SYMBOL(name));
    KOPT_RUNNER_CUDA(KOPT_LOAD)
#undef KOPT_LOAD
    CUdevice device = 0;
    Check(cuInit_(0), "cuInit");
    Check(cuDeviceGet_(&device, 0), "cuDeviceGet");
    Check(cuDevicePrimaryCtxRetain_(&context_, device), "a context");
    Check(cuCtxSetCurrent_(context_), "a context");
    Check(cuEventCreate_(&lead_, CU_EVENT_DEFAULT), "an event");
    Check(cuEventCreate_(&begin_, CU_EVENT_DEFAULT), "an event");
    Check(cuEventCreate_(&end_, CU_EVENT_DEFAULT), "an event");
    CUmodule module = nullptr;
    Check(cuModuleLoadData_(&module, kopt_touch_fatbin), "the runner's kernel");
    Check(cuModuleGetFunction_(&touch_, module, "kopt_touch"), "the runner's kernel");
    Check(cuDeviceGetAttribute_(&multiprocessors_, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device), "an attribute");
  }

  char* Map(int fd, int64_t bytes, bool writable) override {
    const auto size = static_cast<size_t>(bytes);
    CUmemGenericAllocationHandle handle{};
    CUdeviceptr room = 0;
    Check(cuMemImportFromShareableHandle_(&handle, reinterpret_cast<void*>(static_cast<intptr_t>(fd)),
                                          CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
          "importing a buffer");
    close(fd);
    Check(cuMemAddressReserve_(&room, size + 2 * kGuard, 0, 0, 0), "address space for a buffer");
    const CUdeviceptr at = room + kGuard;
    Check(cuMemMap_(at, size, 0, handle, 0), "mapping a buffer");
    Check(cuMemRelease_(handle), "letting a buffer go");  // the mapping keeps it
    rooms_.push_back({room, size});
    CUmemAccessDesc access{};
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location.id = 0;
    access.flags = writable ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_READ;
    Check(cuMemSetAccess_(at, size, &access, 1), "mapping a buffer");
    Know(reinterpret_cast<char*>(at), size);
    return reinterpret_cast<char*>(at);
  }

  void Know(char* at, size_t bytes) override {
    if (mapped_ >= kTouched) return;
    touched_[mapped_++] = at;
    touched_[mapped_++] = at + bytes;
  }
  void Forget() override { mapped_ = 0; }

  char* Allocate(uint64_t bytes) override {
    CUdeviceptr at = 0;
    if (bytes > 0) Check(cuMemAlloc_(&at, bytes), "workspace");
    if (bytes > 0) allocated_.push_back(at);
    return reinterpret_cast<char*>(at);
  }

  void LetGo() override {
    Check(cuCtxSynchronize_(), "waiting");
    for (const Room& room : rooms_) {
      Check(cuMemUnmap_(room.at + kGuard, room.bytes), "unmapping a buffer");
      Check(cuMemAddressFree_(room.at, room.bytes + 2 * kGuard), "unmapping a buffer");
    }
    for (const CUdeviceptr at : allocated_) Check(cuMemFree_(at), "freeing the workspace");
    if (stream_ != nullptr) Check(cuStreamDestroy_(stream_), "a stream");
    stream_ = nullptr;
    rooms_.clear();
    allocated_.clear();
    Forget();
  }

  // Made when it is first asked for: once a process has used other streams, its
  // launches on the legacy default stream take up to 0.2 us longer
  // (tests/gpu/feasibility, contexts).
  void* stream() override {
    if (stream_ == nullptr) Check(cuStreamCreate_(&stream_, CU_STREAM_DEFAULT), "a stream");
    return stream_;
  }
  void Begin(bool own) override {
    (void)cuEventRecord_(lead_, own ? stream_ : nullptr);
    Touch(own ? stream_ : nullptr);
    error_ = cuEventRecord_(begin_, own ? stream_ : nullptr);
  }
  void LaunchNothing() override {
    char* nowhere = nullptr;
    void* arguments[] = {&nowhere, &nowhere, &nowhere, &nowhere};
    cuLaunchKernel_(touch_, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr);
  }
  void End(bool own) override {
    const CUresult result = cuEventRecord_(end_, own ? stream_ : nullptr);
    if (error_ == CUDA_SUCCESS) error_ = result;
  }
  int Finish(double& us, double& lead_us) override {
    const CUresult result = cuCtxSynchronize_();
    if (error_ == CUDA_SUCCESS) error_ = result;
    float ms = 0;
    if (error_ == CUDA_SUCCESS) error_ = cuEventElapsedTime_(&ms, begin_, end_);
    us = static_cast<double>(ms) * 1e3;
    if (error_ == CUDA_SUCCESS) error_ = cuEventElapsedTime_(&ms, lead_, begin_);
    lead_us = static_cast<double>(ms) * 1e3;
    return error_;
  }

 private:
  // When the GPU comes back from the judge's context it has forgotten where
  // pages lie, which no kernel of a process that runs alone has to find out
  // again: one byte of each is read before the first event.
  void Touch(CUstream stream) {
    void* arguments[] = {&touched_[0], &touched_[1], &touched_[2], &touched_[3]};
    if (mapped_ == kTouched) {
      cuLaunchKernel_(touch_, static_cast<unsigned>(multiprocessors_), 1, 1, 128, 1, 1, 0, stream, arguments, nullptr);
    }
  }

  void Check(CUresult result, const char* what) const {
    if (result == CUDA_SUCCESS) return;
    const char* name = "unknown error";
    cuGetErrorName_(result, &name);
    throw Trouble(std::string(what) + ": " + name);
  }

#define KOPT_MEMBER(name) decltype(&::name) name##_ = nullptr;
  KOPT_RUNNER_CUDA(KOPT_MEMBER)
#undef KOPT_MEMBER
  CUcontext context_ = nullptr;
  CUevent lead_ = nullptr, begin_ = nullptr, end_ = nullptr;
  CUstream stream_ = nullptr;
  CUresult error_ = CUDA_SUCCESS;
  struct Room {
    CUdeviceptr at;  // its guard
    size_t bytes;    // without the guards
  };
  std::vector<Room> rooms_;
  std::vector<CUdeviceptr> allocated_;
  static constexpr size_t kTouched = 4;  // begin and end of inputs and outputs
  std::array<char*, kTouched> touched_{};
  size_t mapped_ = 0;
  CUfunction touch_ = nullptr;
  int multiprocessors_ = 0;
};

}  // namespace

std::unique_ptr<Gpu> Gpu::Open() { return std::make_unique<CudaGpu>(); }

}  // namespace kernelopt::runner
#else
namespace kernelopt::runner {

std::unique_ptr<Gpu> Gpu::Open() { throw Trouble("this kopt-runner was built without CUDA"); }

}  // namespace kernelopt::runner
#endif
