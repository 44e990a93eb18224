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
  std::function<void(std::string_view)> log;
};

class Runner {
 public:
  // Spawned and waiting for something to load. UNAVAILABLE when the sandbox
  // did not start.
  static absl::StatusOr<std::unique_ptr<Runner>> Start(Device& device, const RunnerOptions& options,
                                                       int64_t buffer_bytes);

  // Loads the shared object behind `object_fd` to be called with `signature`'s
  // order of arguments. The error is what the runner said: no symbol, dlopen
  // failed, or that it died loading (`Death` then tells how).
  absl::Status Load(Arena& arena, const SolveSignature& signature, int object_fd);
  // Serves calls that do nothing.
  absl::Status LoadNull();

  Line& line() { return *line_; }
  Sandbox& sandbox() { return *sandbox_; }

 private:
  Runner() = default;
  absl::Status Exchange(const std::string& message, std::initializer_list<int> fds);

  std::unique_ptr<Sandbox> sandbox_;
  std::unique_ptr<Line> line_;
  support::UniqueFd socket_;
};

// Packets with descriptors, over SOCK_SEQPACKET.
absl::Status SendPacket(int socket, std::string_view text, std::initializer_list<int> fds);
// DEADLINE_EXCEEDED after `timeout`; UNAVAILABLE when the other end is gone.
absl::StatusOr<std::string> ReceivePacket(int socket, std::chrono::milliseconds timeout);
struct SocketPair {
  support::UniqueFd ours, theirs;
};
absl::StatusOr<SocketPair> MakeSocketPair();

}  // namespace kernelopt::worker
