// The judge's end of one control page: lets a runner go, takes the time, stops
// it again.
//
// Between calls the process is stopped (Payload). What the runner writes is
// copied once and believed never. Used from the job thread; between go and its
// return the thread spins.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "device/device.h"
#include "runner/wire.h"
#include "sandbox/sandbox.h"

namespace kernelopt::worker {

// More than this before the first event (CallTime::lead_us, a claim) is not the
// runner's loop looking up pages.
inline constexpr double kMostLeadUs = 50;

// So much more of CallTime::ready_us is no accident: a GPU changes hands in 150.
inline constexpr double kEarlyUs = 50;

struct CallTime {
  enum class End {
    kDone,
    kTimeout,
    kDied,
    kProtocol,  // the control page was changed by something else than the loop
    kNotIdle,   // it used the CPU while it was to stand still, or would not stop
    kStopped,   // the job is given up
  };
  End end = End::kDone;
  double outer_us = 0;  // judge: go written to done seen
  double inner_us = 0;  // runner's claim
  // On a GPU: the claim by the two events, what the runner's loop itself did
  // before the first, and the driver's error.
  double device_us = 0, lead_us = 0;
  int device_error = 0;
  // On a GPU: how long the judge's first kernel after the call took to come
  // back; what the runner left running delays it.
  double close_us = 0;
  // And a kernel of the judge that does nothing, right before go: what the process
  // has the GPU do before it is called delays it.
  double ready_us = 0;
  // Until solve() had returned, by the runner's stamps.
  double host_us = 0;
  // The claim lies outside [go, done seen] of the same clock: impossible.
  bool impossible = false;
  // CPU time of the process from being continued to being stopped, less
  // outer_us: what it did beside the timed window.
  double aside_us = 0;
  // From being continued to waiting for go, by the judge's clock.
  double getting_ready_us = 0;
  std::string evidence;  // for kProtocol and kNotIdle
};

class Line {
 public:
  // `sandbox` holds the process on the other end and outlives the line.
  static absl::StatusOr<std::unique_ptr<Line>> Make(Sandbox& sandbox);

  // Asked about once a millisecond during a call; true ends it with kStopped.
  void StopWhen(std::function<bool()> stopped) { stopped_ = std::move(stopped); }

  wire::ControlPage& page() { return *page_; }
  int fd() const { return memory_->fd(); }

  // Stops the process, which has just been told to serve calls, until the
  // first one. UNAVAILABLE: it is gone.
  absl::Status Hold();

  // One call of a process on hold, which is on hold again afterwards.
  // `expect_us` is what earlier calls took: the judge sleeps through the first
  // half of long ones.
  struct Moments {
    std::function<double()> at_ready;  // the process waits for go; becomes ready_us
    std::function<void()> at_done;     // done was seen, the process is not stopped yet; short
  };
  CallTime Call(double timeout_us, double expect_us, const Moments& moments = {});

  // Sends the runner back to its socket.
  void Leave();

 private:
  explicit Line(Sandbox& sandbox) : sandbox_(sandbox) {}
  // Waits for `wanted`; kDone when it came.
  CallTime::End WaitFor(wire::Phase wanted, wire::Phase meanwhile, int64_t start_ns,
                        double timeout_us);
  void Timed(CallTime& time, double timeout_us, double expect_us, const Moments& moments);
  // The words that only the judge writes are as it left them.
  bool PageIntact() const;

  Sandbox& sandbox_;
  std::unique_ptr<SharedMemory> memory_;
  wire::ControlPage* page_ = nullptr;
  std::unique_ptr<wire::ControlPage> told_;  // the page when the calls began
  Payload* payload_ = nullptr;
  double held_cpu_us_ = 0;
  std::function<bool()> stopped_;
};

}  // namespace kernelopt::worker
