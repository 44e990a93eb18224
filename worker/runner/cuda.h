// The runner's side of a GPU: the context, the judge's buffers, the two events
// around a call. Like the rest of the runner it is never trusted.
//
// The driver is opened with dlopen, so a runner also starts where there is none.
// Everything throws Trouble; the runner then says so to the judge and ends.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace kernelopt::runner {

struct Trouble : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Gpu {
 public:
  // The only GPU this process sees, its primary context current. Trouble also
  // where this runner was built without CUDA.
  static std::unique_ptr<Gpu> Open();
  virtual ~Gpu() = default;

  // Where the memory object behind `fd` lies now, between unmapped guards.
  virtual char* Map(int fd, int64_t bytes, bool writable) = 0;
  // Memory whose pages are looked up before the first event of a call, as that of
  // Map is: the first two count. Forget: none any more.
  virtual void Know(char* at, size_t bytes) = 0;
  virtual void Forget() = 0;
  // Unmaps and frees everything that Map and Allocate gave; waits for the device.
  virtual void LetGo() = 0;
  // Memory for solve_workspace_bytes().
  virtual char* Allocate(uint64_t bytes) = 0;
  // The stream for solutions that take one: created, blocking.
  virtual void* stream() = 0;

  // Around a call whose work belongs on stream(), if `own`, or else on the
  // legacy default stream.
  virtual void Begin(bool own) = 0;
  // A kernel that does nothing, on the legacy default stream.
  virtual void LaunchNothing() = 0;
  // Records the second event; does not wait.
  virtual void End(bool own) = 0;
  // Waits for everything on the device, as any stream was used. The driver's
  // error, 0: none; then `us` is the time between the events, `lead_us` that of
  // what came before the first of them.
  virtual int Finish(double& us, double& lead_us) = 0;
};

}  // namespace kernelopt::runner
