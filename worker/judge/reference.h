// The reference process: describes the problem, computes expected values,
// serves as the eager baseline. See worker/runner/kopt_reference.py.
// Used from the job thread.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "judge/answers.h"
#include "judge/arena.h"
#include "judge/line.h"
#include "sandbox/sandbox.h"

namespace kernelopt::worker {

struct ReferenceOptions {
  std::string python = "/usr/bin/python3";
  std::string scripts;       // folder of kopt_*.py
  std::string wire_library;  // path of libkopt_wire.so
  bool torch = true;
  std::chrono::milliseconds call_timeout{60'000};
  std::function<void(std::string_view)> log;
};

class Reference {
 public:
  // Spawns; does not wait for the imports.
  static absl::StatusOr<std::unique_ptr<Reference>> Start(Device& device,
                                                          const ReferenceOptions& options);
  // Waits for the imports, the first time.
  absl::StatusOr<ReferenceHost> WaitReady();

  // Each answers INVALID_PROBLEM with its reason, or a Status when the system
  // failed.
  template <class T>
  using Answer = absl::StatusOr<std::variant<T, InvalidProblem>>;
  struct Ok {};
  // At once when just this is loaded already.
  Answer<ReferenceFacts> Load(const std::string& source, const std::string& name);
  // Views on the buffers of one workload, in place of an earlier one's.
  using Work = ReferenceWork;
  Answer<Work> Map(Arena& arena, const v1::ProblemSpec& problem);

  // Inputs that are not the judge's to make, into staging(): a .npy file (an
  // open descriptor of it), plan(), make_inputs(seed), which answers the names.
  Answer<Ok> TakeFile(const Parameter& parameter, int fd);
  Answer<Ok> MakePlan();
  Answer<std::vector<std::string>> MakeInputs(uint64_t seed);

  struct Ask {
    bool check_inputs = false;    // see that the reference leaves them alone
    double oracle_seconds = 0;    // how long double precision may take; 0: not wanted now
    bool keep_outputs = false;    // outputs() hold what a subject left
  };
  using Expected = ReferenceResults;
  // Runs reference() on the inputs as they are; the results lie in expected(),
  // and in its own type in outputs(): what the reference itself gets wrong is
  // the difference.
  Answer<Expected> ComputeExpected(const Ask& ask);

  using Checked = ReferenceChecked;
  // check() on outputs() and expected().
  Answer<Checked> Check();

  // Serves calls over the line until StopServing. `mode`: eager,
  // torch-compile, flashinfer.
  absl::Status StartServing(const std::string& mode);
  // What the process said of its end, when a call killed it: the user's error.
  absl::Status StopServing();

  // Another process, loaded and mapped as this one is.
  absl::StatusOr<std::unique_ptr<Reference>> Another() const;
  // Such a one in place of this one, which is gone: a baseline that it served
  // killed it.
  absl::Status Revive();

  // Stands still until Wake, whatever it is doing.
  absl::Status Pause();
  absl::Status Wake();
  // Lets go of buffers, then pauses.
  absl::Status Rest();

  Line& line() { return *line_; }
  Sandbox& sandbox() { return *sandbox_; }

 private:
  Reference() = default;
  // The text of an answer that is no refusal.
  Answer<std::string> Exchange(const nlohmann::json& request, std::initializer_list<int> fds);

  std::unique_ptr<Sandbox> sandbox_;
  std::unique_ptr<Line> line_;
  support::UniqueFd socket_;
  std::chrono::milliseconds timeout_{60'000};
  // For Another.
  Device* device_ = nullptr;
  ReferenceOptions options_;
  std::optional<ReferenceHost> host_;
  std::optional<ReferenceFacts> facts_;  // once loaded
  std::string source_, name_;
  Arena* arena_ = nullptr;
  v1::ProblemSpec problem_;
};

}  // namespace kernelopt::worker
