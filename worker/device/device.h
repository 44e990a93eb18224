// A device that subjects run on, as the judge sees it.
//
// The judge is written once; what differs between a CPU and a GPU is here:
// where buffers live, how caches are emptied, where processes are pinned. To
// add a device: a folder beside host/ and a line in worker/main.cc.
// Used from the job thread only.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "device/tensor_ops.h"
#include "kernelopt/v1/device_service.pb.h"
#include "support/files.h"

namespace kernelopt::worker {

// Memory of the device, used through its TensorOps.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual char* data() = 0;  // an address on the device
  virtual int64_t size() const = 0;
};

// One memory object that judge and runner both map. The judge may always write
// it; Access says what a runner may do.
class SharedMemory : public Memory {
 public:
  // To hand to a runner; owned by this object.
  virtual int fd() const = 0;
};

enum class Access { kRunnerReads, kRunnerWrites };

class Device {
 public:
  virtual ~Device() = default;

  virtual std::string id() const = 0;     // host, GPU-<uuid>
  virtual std::string model() const = 0;  // for people
  virtual std::vector<v1::Capability> Probe() const = 0;

  // RESOURCE_EXHAUSTED when it does not fit.
  virtual absl::StatusOr<std::unique_ptr<SharedMemory>> Allocate(int64_t bytes, Access access) = 0;
  // For the judge alone; content undefined.
  virtual absl::StatusOr<std::unique_ptr<Memory>> AllocatePrivate(int64_t bytes) = 0;
  virtual TensorOps& ops() = 0;

  // Bytes the judge may allocate for one job right now.
  virtual int64_t FreeBytes() const = 0;

  // Pushes memory objects out of all caches; returns when that has happened.
  virtual void Evict(std::initializer_list<SharedMemory*> memories) = 0;
  virtual std::string eviction() const = 0;  // how, for the record

  // CPU for runners and for the judge's turn; -1 when there is no choice.
  virtual int runner_cpu() const = 0;
  virtual int judge_cpu() const = 0;
};

}  // namespace kernelopt::worker
