// What both processes of the feasibility program know: the control page between
// them, shared device memory, and how errors end a section.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace kernelopt::feasibility {

// What the runner does when it is called.
enum class Do : int {
  kNothing,        // two events and a synchronise
  kNullKernel,     // an empty kernel between them
  kRead,           // reads `count` floats: honest
  kReadPrivate,    // the same on a stream that the events do not see
  kReadThread,     // the same by a thread, as soon as it sees `armed`
  kSpin,           // all SMs for `ns`
  kBatch,          // `calls` reads one after the other, each of its own set
  kBatchSpin,      // `calls` spins
  kPersist,        // leaves a kernel of one block running
  kStopPersist,
  kHang,           // a kernel that never ends
  kPoke,           // writes to memory mapped read-only
  kUpgradePoke,    // asks for write access first
  kReset,          // cudaDeviceReset
  kLeave,
};

struct Control {
  std::atomic<uint32_t> armed, ready, go, done;
  // Gated: the runner queues the call behind a wait for `gate`, says so, and the
  // GPU itself writes `finished`.
  std::atomic<uint32_t> queued, gate, finished;
  bool gated;
  Do what;
  int calls;
  int64_t ns, count, set_bytes;
  double inner_us;
  int error;
};

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};
inline void Check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* name = "?";
  cuGetErrorName(result, &name);
  throw Failure(std::string(what) + ": " + name);
}
inline void Check(cudaError_t result, const char* what) {
  if (result != cudaSuccess) throw Failure(std::string(what) + ": " + cudaGetErrorName(result));
}
#define CHECK_CUDA(call) ::kernelopt::feasibility::Check(call, #call)

// Device memory behind a descriptor, mapped in this process.
struct Shared {
  CUdeviceptr at = 0;
  int64_t bytes = 0;
  int fd = -1;
};
CUmemAllocationProp SharedProperties(int device);
Shared MakeShared(int64_t bytes);                      // judge
Shared MapShared(int fd, int64_t bytes, bool writable);  // runner

double NowUs();
void Pause();  // of a spinning thread
int RunnerMain();

}  // namespace kernelopt::feasibility
