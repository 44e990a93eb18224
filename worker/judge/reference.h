// The reference process: describes the problem, computes expected values,
// serves as the eager baseline. See worker/runner/kopt_reference.py.
// Used from the job thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "judge/python_process.h"

namespace kernelopt::worker {

class Reference {
 public:
  // Spawns; does not wait for the imports.
  static absl::StatusOr<std::unique_ptr<Reference>> Start(Device& device,
                                                          const PythonOptions& options,
                                                          PythonProcess::Kind kind = PythonProcess::Kind::kReference);
  // Waits for the imports, the first time.
  absl::StatusOr<PythonHost> WaitReady() { return process_->WaitReady(); }

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
  // torch-compile:MODE, flashinfer, library.
  absl::Status StartServing(const std::string& mode);
  // What the process said of its end, when a call killed it: the user's error.
  absl::Status StopServing();

  // Another process, loaded and mapped as this one is. One that compiles may
  // start processes.
  absl::StatusOr<std::unique_ptr<Reference>> Another(bool compiles = false) const;
  // Such a one in place of this one, which is gone: a baseline that it served
  // killed it.
  absl::Status Revive();

  // Stands still until Wake, whatever it is doing.
  absl::Status Pause() { return process_->Pause(); }
  absl::Status Wake() { return process_->Wake(); }
  // Lets go of buffers, then pauses.
  absl::Status Rest();

  Line& line() { return process_->line(); }
  Sandbox& sandbox() { return process_->sandbox(); }

 private:
  Reference() = default;
  std::unique_ptr<PythonProcess> process_;
  // For Another.
  Device* device_ = nullptr;
  PythonOptions options_;
  std::optional<ReferenceFacts> facts_;  // once loaded
  std::string source_, name_;
  Arena* arena_ = nullptr;
  v1::ProblemSpec problem_;
};

}  // namespace kernelopt::worker
