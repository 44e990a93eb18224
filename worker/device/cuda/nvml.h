// What NVIDIA's management library says of a GPU. It is opened when it is first
// asked, and without it everything is "not known".
//
// Every call has a deadline: with a GPU that has fallen off the bus they can
// hang for good. The thread that hangs is left behind, and nothing is asked any
// more. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.h"

namespace kernelopt::worker::cuda {

class Nvml {
 public:
  // Of the GPU with this id (GPU-<uuid>).
  explicit Nvml(const std::string& id);

  // The hardware holds the clock down: heat, power brake, or a fault.
  bool Slowed() const;
  DeviceHealth Health() const;

  // UUIDs of all MIG slices of this machine, MIG-<uuid>.
  static std::vector<std::string> MigSlices();

 private:
  void* device_ = nullptr;  // nvmlDevice_t; null: not known
};

// Names of the reasons in a mask of nvmlClocksEventReason*, of those that hold a
// clock down; "" for none.
std::string ClockLimits(unsigned long long reasons);

}  // namespace kernelopt::worker::cuda
