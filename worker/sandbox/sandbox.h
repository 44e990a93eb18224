// Runs one program where it can do no harm.
//
// bubblewrap with its own pid, net, ipc and uts namespaces, a read-only system,
// a private /tmp, a seccomp filter and rlimits. As root the payload also gets a
// uid of its own from a pool and loses every capability (bwrap alone leaves
// them all, and --uid changes nothing outside); otherwise a user namespace.
//
// Spawn only from a thread that lives as long as the worker: --die-with-parent
// fires when the spawning *thread* ends. A Sandbox is used from that thread;
// its log is collected by a thread of its own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sandbox/payload.h"
#include "support/files.h"

namespace kernelopt::worker {

// How much is in force, recorded in every result.
enum class SandboxLevel { kNone, kStandard, kFull };
std::string_view SandboxLevelName(SandboxLevel level);

// What a filter forbids beside what nobody may do (ptrace, mount, bpf, new
// namespaces, sockets...).
enum class SeccompProfile {
  kCompiler,   // may start processes
  kReference,  // may not; fork fails with EPERM
  kRunner,     // may not; fork is SIGSYS, so that it shows
};

struct SandboxLimits {
  int64_t address_bytes = 0;  // RLIMIT_AS; 0: none
  int64_t file_bytes = 256 << 20;  // RLIMIT_FSIZE; 0: none
  int64_t tmp_bytes = 256 << 20;
  int processes = 128;  // threads count too; of this sandbox's own uid
  int cpu_seconds = 0;  // RLIMIT_CPU; 0: none
};

struct SandboxSpec {
  std::vector<std::string> arguments;  // [0] is the program, as seen inside
  std::vector<std::pair<std::string, std::string>> read_only;  // outside -> inside
  std::vector<std::pair<std::string, std::string>> writable;
  std::vector<std::string> devices;  // nodes below /dev that the payload may open
  std::vector<std::pair<std::string, std::string>> environment;
  std::string directory = "/tmp";
  SeccompProfile seccomp = SeccompProfile::kRunner;
  std::vector<std::string> allowed_calls;  // of those that nobody else may make
  SandboxLimits limits;
  int socket_fd = -1;  // becomes descriptor 3 inside; -1: none
  // The program is the init of its pid namespace, and only keeps the place of one
  // that moves in: Open, Adopt.
  bool joined = false;
  int cpu = -1;        // pin to this CPU; -1: anywhere
  // Gets what the program prints, on a thread of the sandbox.
  std::function<void(std::string_view)> log;
};

// What a process needs to move in: the namespaces' init (a pidfd of the sandbox),
// where to print, the filter to give itself.
struct SandboxDoor {
  int init = -1;
  support::UniqueFd log, seccomp;
};

// How a program ended.
struct SandboxEnd {
  bool signalled = false;
  int code = 0;  // exit status, or the signal's number
};

class Sandbox {
 public:
  static absl::StatusOr<std::unique_ptr<Sandbox>> Spawn(const SandboxSpec& spec);
  // Kills everything inside and waits until it is gone.
  ~Sandbox();

  // The program is still there.
  bool Alive();
  // Waits for the end; none when `timeout` passed before.
  absl::StatusOr<SandboxEnd> Wait(std::chrono::milliseconds timeout);
  // SIGKILL to the init of its pid namespace: nothing inside survives.
  void Kill();
  // User id everything inside runs as, seen from outside.
  uid_t uid() const;
  // The program, to be stopped and continued; owned by the sandbox. Ask when
  // it has said something: before, it may still be bwrap. UNAVAILABLE: it is
  // gone.
  absl::StatusOr<Payload*> payload();
  // All its threads, and those they make, on this CPU from now on; -1: as they are.
  absl::Status PinTo(int cpu);
  // Of a sandbox that is joined, once, when its program has said something.
  absl::StatusOr<SandboxDoor> Open();
  // `pid` has moved in, and is the program from now on.
  absl::Status Adopt(pid_t pid);
  // Stops the program until Thaw. Errors as of Payload::Freeze, and UNAVAILABLE:
  // it is gone.
  absl::Status Freeze();
  absl::Status Thaw();

 private:
  Sandbox();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The bwrap beside this program, which a bundle brings along, else the system's.
const std::string& BubblewrapPath();

// Tries it out with a program that looks around from inside.
struct SandboxReport {
  SandboxLevel level = SandboxLevel::kNone;
  std::string detail;  // what is in force, or why it cannot work and what to do
};
SandboxReport ProbeSandbox();

}  // namespace kernelopt::worker
