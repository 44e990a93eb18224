// Memory of one GPU: shared with runners (VMM, behind a descriptor), or the
// judge's own.
#pragma once

#include <memory>

#include "device/cuda/driver.h"
#include "device/device.h"

namespace kernelopt::worker::cuda {

// A VMM allocation, mapped read-write here; its descriptor can be imported by
// another process (runner/cuda.cc), which maps it as Access says. Rounded up to
// the device's granularity (2 MiB). RESOURCE_EXHAUSTED.
absl::StatusOr<std::unique_ptr<SharedMemory>> MakeSharedMemory(const Driver& cu, CUdevice device, int64_t bytes,
                                                               Access access);

// cuMemAlloc. RESOURCE_EXHAUSTED.
absl::StatusOr<std::unique_ptr<Memory>> MakePrivateMemory(const Driver& cu, int64_t bytes);

// Memory of the host that kernels reach by its device address, for a few words
// to and fro.
class Mailbox {
 public:
  Mailbox(const Driver& cu, int64_t bytes);
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  char* host() const { return static_cast<char*>(host_); }
  CUdeviceptr device() const { return device_; }
  int64_t bytes() const { return bytes_; }

 private:
  const Driver& cu_;
  const int64_t bytes_;
  void* host_ = nullptr;
  CUdeviceptr device_ = 0;
};

}  // namespace kernelopt::worker::cuda
