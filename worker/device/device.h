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
#include <utility>
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

// Whose clock a call's time is taken from.
//   kJudge   go to done on the judge's clock, less the hand-over; the runner's
//            stamps are the witness
//   kEvents  between two events on the device, where the runner launches; the
//            judge's clock is the witness
enum class Clock { kJudge, kEvents };

// What a sandbox must let in for a process that uses the device.
struct Reach {
  std::vector<std::string> nodes;  // below /dev
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> calls;  // system calls that others may not make
  bool address_limit = true;       // RLIMIT_AS can be borne
};

// What the device's own management says of it; 0 and "" where it says nothing.
struct DeviceHealth {
  double temperature_c = 0, power_w = 0;
  std::string clock_limits;  // what holds the clock down, for people
};

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

  // Waits until nobody else works on it, so long at most. UNAVAILABLE: somebody
  // does.
  virtual absl::Status WaitQuiet(double seconds) = 0;

  // Pushes memory objects out of all caches; returns when that has happened.
  virtual void Evict(std::initializer_list<SharedMemory*> memories) = 0;
  virtual std::string eviction() const = 0;  // how, for the record
  // The last Evict took as long as ever: nobody else had the device at work.
  virtual bool EvictedAlone() const { return true; }
  // What a single call may save against one of many: its outputs still lie in
  // the cache when it ends. Microseconds of so many bytes' way to memory.
  virtual double WriteBackUs(int64_t output_bytes) const = 0;
  // No cold call that reads and writes so much can be shorter, microseconds: what
  // does not stay in the cache at 1.15 x the measured bandwidth. 0: not known.
  virtual double FloorUs(int64_t, int64_t /*output_bytes*/) const { return 0; }
  // The same of so many operations on operands of this type, by the rate of its
  // tensor cores at their highest clock.
  virtual double FlopsFloorUs(double, DType /*operand*/) const { return 0; }

  // Work of the judge that does nothing, waited for; microseconds. Many times the
  // usual where anybody else has the device at work. 0: there is no telling.
  virtual double Sentinel() { return 0; }

  // Clock of its cores during the last Evict, MHz; 0: not known.
  virtual double clock_mhz() const { return 0; }
  // Its hardware holds the clock down (heat, power brake); cheap, but no more
  // than some twenty times a second.
  virtual bool Slowed() { return false; }
  virtual DeviceHealth Health() { return {}; }

  // What its compiler calls its kind ("90a"); "" on the host.
  virtual std::string arch() const = 0;
  virtual Clock clock() const = 0;
  virtual Reach reach() const = 0;
  // The name of an error that a runner saw on the device; "" for 0.
  virtual std::string ErrorName(int code) const = 0;

  // CPU for runners and for the judge's turn; -1 when there is no choice.
  virtual int runner_cpu() const = 0;
  virtual int judge_cpu() const = 0;
};

}  // namespace kernelopt::worker
