// One kopt-runner in its sandbox: started, loaded with a solution, called.
// Used from the job thread.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "judge/arena.h"
#include "judge/line.h"
#include "problem/solve_parser.h"
#include "sandbox/sandbox.h"

namespace kernelopt::worker {

struct RunnerOptions {
  std::string program;  // path of kopt-runner
  int64_t address_bytes = int64_t{8} << 30;  // beside the buffers
  int64_t workspace_bytes = int64_t{4} << 30;  // most that solve_workspace_bytes() may ask for
  std::function<void(std::string_view)> log;
};

class Runner {
 public:
  // Spawned on `cpu` (-1: any) and waiting for something to load. UNAVAILABLE when the sandbox
  // did not start.
  static absl::StatusOr<std::unique_ptr<Runner>> Start(Device& device, const RunnerOptions& options,
                                                       int64_t buffer_bytes, int cpu);

  // Makes the GPU context before anything is known of the solution; AwaitWarm
  // says whether it did, at once when it was not begun.
  absl::Status BeginWarm();
  absl::Status AwaitWarm();

  // Loads the shared object behind `object_fd` to be called with `signature`'s
  // order of arguments. The error is what the runner said: no symbol, dlopen
  // failed, or that it died loading (`Death` then tells how).
  absl::Status Load(Arena& arena, const SolveSignature& signature, int object_fd);
  // solve_workspace_bytes() and solve_prepare(), where they are; after Load.
  // Errors as of Load, and RESOURCE_EXHAUSTED: too large a workspace.
  struct Prepared {
    double prepare_us = 0;  // wall time
    int64_t workspace_bytes = 0;
  };
  absl::StatusOr<Prepared> Prepare();
  // Ready to be called; stopped until the first call.
  absl::Status Serve() { return Exchange(wire::kServe, {}); }
  // Maps the arena's further sets, for batches (wire::Batch), and serves again.
  absl::Status TakeSets(Arena& arena);
  // Lets solution and buffers go and stands still; Wake before the next Load. An
  // error: it did not, or it has changed (threads, processes); throw it away.
  absl::Status Rest();
  absl::Status Wake();
  // That it was started for, where its address space is limited.
  int64_t buffer_bytes() const { return buffer_bytes_; }
  // Serves calls that do nothing.
  absl::Status LoadNull();

  Line& line() { return *line_; }
  Sandbox& sandbox() { return *sandbox_; }

 private:
  Runner() = default;
  absl::StatusOr<Census> Heads();
  absl::StatusOr<std::string> Ask(const std::string& message, std::initializer_list<int> fds);
  // Asks, and stops the process that then serves.
  absl::Status Exchange(const std::string& message, std::initializer_list<int> fds);

  int64_t workspace_limit_ = 0;
  int64_t buffer_bytes_ = 0;
  int threads_ = 0;  // before a solution was loaded first
  bool warming_ = false;
  std::unique_ptr<Sandbox> sandbox_;
  std::unique_ptr<Line> line_;
  support::UniqueFd socket_;
};

// Opens a sandbox as far as its device needs.
void LetIn(const Reach& reach, SandboxSpec& spec);

// Packets with descriptors, over SOCK_SEQPACKET.
absl::Status SendPacket(int socket, std::string_view text, std::initializer_list<int> fds);
// DEADLINE_EXCEEDED after `timeout`; UNAVAILABLE when the other end is gone.
absl::StatusOr<std::string> ReceivePacket(int socket, std::chrono::milliseconds timeout);
struct SocketPair {
  support::UniqueFd ours, theirs;
};
absl::StatusOr<SocketPair> MakeSocketPair();

}  // namespace kernelopt::worker
