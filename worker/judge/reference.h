// The reference process: describes the problem, computes expected values,
// serves as the eager baseline. See worker/runner/kopt_reference.py.
// Used from the job thread.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "judge/arena.h"
#include "judge/line.h"
#include "sandbox/sandbox.h"

namespace kernelopt::worker {

struct ReferenceOptions {
  std::string python = "/usr/bin/python3";
  std::string script;        // path of kopt_reference.py
  std::string wire_library;  // path of libkopt_wire.so
  bool torch = true;
  std::chrono::milliseconds call_timeout{60'000};
  std::function<void(std::string_view)> log;
};

// What the process can do, known when its imports are done.
struct ReferenceHost {
  std::string framework;  // "torch 1.13.1", "numpy 1.24.2"
  bool torch_compile = false, flashinfer = false;
};

class Reference {
 public:
  // Spawns; does not wait for the imports.
  static absl::StatusOr<std::unique_ptr<Reference>> Start(Device& device,
                                                          const ReferenceOptions& options);
  // Waits for the imports.
  absl::StatusOr<ReferenceHost> WaitReady();

  // Each answers INVALID_PROBLEM with its reason, or a Status when the system
  // failed.
  template <class T>
  using Answer = absl::StatusOr<std::variant<T, InvalidProblem>>;
  struct Ok {};
  Answer<ReferenceFacts> Load(const std::string& source, const std::string& name);
  Answer<Ok> Map(Arena& arena);
  enum class InputCheck { kNo, kYes };
  // Runs reference() on the inputs as they are; the results lie in expected().
  Answer<Ok> ComputeExpected(InputCheck check);

  // Serves calls over the line until StopServing. `mode`: eager,
  // torch-compile, flashinfer.
  absl::Status StartServing(const std::string& mode);
  // What the process said of its end, when a call killed it: the user's error.
  absl::Status StopServing();

  Line& line() { return *line_; }
  Sandbox& sandbox() { return *sandbox_; }

 private:
  Reference() = default;
  Answer<std::string> Ask(const std::string& request, std::initializer_list<int> fds);

  std::unique_ptr<Sandbox> sandbox_;
  std::unique_ptr<Line> line_;
  support::UniqueFd socket_;
  std::chrono::milliseconds timeout_{60'000};
};

}  // namespace kernelopt::worker
