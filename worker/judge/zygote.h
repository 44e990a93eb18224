// A Python interpreter that has imported PyTorch and Triton and forks the processes
// that need them (worker/runner/kopt_zygote.py): a child is ready in some 30 ms
// where the imports take seconds.
//
// It lives outside of any sandbox, with the worker's rights, because entering one
// needs them; so it runs the administrator's interpreter only, and never a user's
// file. Each child has a sandbox of its own, made by bwrap as for any program: the
// child moves in, and gives up the same things. What it keeps is its program: the
// file behind /proc/self/exe, which therefore must not be the worker's user's. Used from the job thread.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "sandbox/sandbox.h"

namespace kernelopt::worker {

struct ZygoteOptions {
  std::string python, script;  // outside of sandboxes
  std::string anchor;          // kopt-runner, which keeps a sandbox for a child
  std::vector<std::pair<std::string, std::string>> environment;
};

class Zygote {
 public:
  // Does not wait for the imports. FAILED_PRECONDITION: others than root can change
  // the interpreter, and this is root; or it belongs to this user, who is not root.
  static absl::StatusOr<std::unique_ptr<Zygote>> Start(const ZygoteOptions& options);
  // Ends it; its children live on.
  ~Zygote();
  Zygote(const Zygote&) = delete;
  Zygote& operator=(const Zygote&) = delete;

  // A child that runs `role` ("reference", "solution") in a sandbox as `spec` says,
  // whose arguments are not looked at. Waits for the imports the first time. Once
  // the zygote itself has failed, every further one fails at once.
  absl::StatusOr<std::unique_ptr<Sandbox>> Fork(SandboxSpec spec, const std::string& role);
  // OK until something failed.
  const absl::Status& trouble() const { return trouble_; }

 private:
  Zygote() = default;
  absl::StatusOr<std::unique_ptr<Sandbox>> TryFork(SandboxSpec& spec, const std::string& role);

  ZygoteOptions options_;
  pid_t pid_ = -1;
  support::UniqueFd socket_;
  bool ready_ = false, worked_ = false;
  absl::Status trouble_;
};

}  // namespace kernelopt::worker
