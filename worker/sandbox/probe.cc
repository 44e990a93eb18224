#include <unistd.h>

#include <mutex>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "sandbox/sandbox.h"

namespace kernelopt::worker {
namespace {

constexpr char kMissing[] =
    "; install bubblewrap and util-linux, and allow user namespaces "
    "(sysctl kernel.unprivileged_userns_clone=1) or run the worker as root";

}  // namespace

SandboxReport ProbeSandbox() {
  if (access(BubblewrapPath().c_str(), X_OK) != 0) {
    return {SandboxLevel::kNone, absl::StrCat(BubblewrapPath(), " is not there", kMissing)};
  }
  std::mutex mutex;
  std::string seen;
  SandboxSpec spec;
  spec.arguments = {"/bin/sh", "-c",
                    "grep -E '^(CapEff|Seccomp|NoNewPrivs):' /proc/self/status; "
                    "echo pids:$(ls -d /proc/[0-9]* | wc -l)"};
  spec.seccomp = SeccompProfile::kCompiler;
  spec.log = [&](std::string_view text) {
    const std::lock_guard<std::mutex> lock(mutex);
    seen.append(text);
  };
  {
    auto sandbox = Sandbox::Spawn(spec);
    if (!sandbox.ok()) {
      return {SandboxLevel::kNone,
              absl::StrCat("bwrap does not work here: ", std::string(sandbox.status().message()), kMissing)};
    }
    const auto end = (*sandbox)->Wait(std::chrono::seconds(10));
    if (!end.ok() || end->code != 0) {
      sandbox->reset();
      return {SandboxLevel::kNone, absl::StrCat("the sandbox probe failed: ", seen, kMissing)};
    }
  }
  const bool tight = absl::StrContains(seen, "CapEff:\t0000000000000000") &&
                     absl::StrContains(seen, "NoNewPrivs:\t1") &&
                     absl::StrContains(seen, "Seccomp:\t2");
  if (!tight) return {SandboxLevel::kNone, absl::StrCat("the sandbox leaks: ", seen)};
  return {SandboxLevel::kStandard,
          absl::StrCat("bwrap, no capabilities, seccomp, rlimits, ",
                       geteuid() == 0 ? "own uid per sandbox" : "user namespace",
                       "; cgroup limits are not used yet, so the level is standard")};
}

}  // namespace kernelopt::worker
