// The program inside a sandbox, as the judge holds it still.
//
// A runner that is not being called is *stopped*, not merely asleep: whatever
// threads it made cannot run before their call, after it, or during somebody
// else's. Linux only: SIGSTOP to the one process of the pid namespace beside
// its init (processes are refused by seccomp, threads are not), then /proc
// until every thread is in state T. Used from the job thread.
#pragma once

#include <dirent.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "support/files.h"

namespace kernelopt::worker {

// Who lives in the pid namespace.
struct Census {
  int processes = 0;  // beside the namespace's init
  int threads = 0;    // of the payload
};

class Payload {
 public:
  // The only child of the pid namespace's init `init` (a pid outside).
  // UNAVAILABLE when it is gone already.
  static absl::StatusOr<std::unique_ptr<Payload>> Of(pid_t init);
  // One that moved into the pid namespace of `init` from outside, and is nobody's
  // child there. UNAVAILABLE when it is gone or never was there.
  static absl::StatusOr<std::unique_ptr<Payload>> Moved(pid_t init, pid_t pid);

  // Stops every thread and returns when all have stopped and left their CPU, so
  // that their CPU time is booked. UNAVAILABLE: the
  // process is gone. DEADLINE_EXCEEDED: a thread did not stop within two
  // seconds; the message names its state.
  absl::Status Freeze();
  // Lets it run again; returns at once.
  void Thaw();

  // All its threads, and those they make, on this CPU from now on.
  absl::Status PinTo(int cpu) const;

  // CPU time of all its threads, ended ones included, since it began;
  // microseconds. Exact while it is frozen.
  double CpuUs() const;

  // UNAVAILABLE: it is gone.
  absl::StatusOr<Census> Count() const;

 private:
  Payload() = default;
  static absl::StatusOr<std::unique_ptr<Payload>> Hold(pid_t init, pid_t pid);
  struct CloseFolder {
    void operator()(DIR* folder) const { closedir(folder); }
  };
  using Folder = std::unique_ptr<DIR, CloseFolder>;
  // /proc/<pid>/task; null: it is gone.
  Folder OpenThreads() const;
  // Empty: all stopped. Otherwise the state of a thread that is not: T when it
  // has yet to leave its CPU, unless `believe_state`.
  absl::StatusOr<std::string> RunningThread(bool believe_state) const;

  pid_t init_ = -1, pid_ = -1;
  bool moved_ = false;  // no child of init_
  support::UniqueFd pidfd_, proc_;  // proc_: the folder /proc/<pid>
  clockid_t clock_ = 0;
};

}  // namespace kernelopt::worker
