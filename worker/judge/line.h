// The judge's end of one control page: wakes a runner, says go, takes the time.
//
// What the runner writes is copied once and believed never. Used from the job
// thread; between Go and its return the thread spins.
#pragma once

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "device/device.h"
#include "runner/wire.h"

namespace kernelopt::worker {

struct CallTime {
  enum class End { kDone, kTimeout, kDied, kProtocol, kStopped };
  End end = End::kDone;
  double outer_us = 0;  // judge: go written to done seen
  double inner_us = 0;  // runner's claim
};

class Line {
 public:
  // `alive` tells whether the process on the other end still exists.
  static absl::StatusOr<std::unique_ptr<Line>> Make(Device& device, std::function<bool()> alive);

  // Asked about once a millisecond during a call; true ends it with kStopped.
  void StopWhen(std::function<bool()> stopped) { stopped_ = std::move(stopped); }

  wire::ControlPage& page() { return *page_; }
  int fd() const { return memory_->fd(); }

  // One call. `prepare` runs when the runner is awake and spinning, right
  // before go (it evicts caches). `expect_us` is what earlier calls took: the
  // judge sleeps through the first half of long ones.
  CallTime Call(const std::function<void()>& prepare, double timeout_us, double expect_us);

  // Sends the runner back to its socket.
  void Leave();

 private:
  Line() = default;
  // Waits for `wanted`; kDone when it came.
  CallTime::End WaitFor(wire::Phase wanted, wire::Phase meanwhile, int64_t start_ns,
                        double timeout_us);
  void Wake(wire::Phase phase);

  std::unique_ptr<SharedMemory> memory_;
  wire::ControlPage* page_ = nullptr;
  std::function<bool()> alive_, stopped_;
};

}  // namespace kernelopt::worker
