// One subject during its turn: a loaded runner, or the reference serving.
// Used from the job thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "build/compiler.h"
#include "judge/arena.h"
#include "judge/death.h"
#include "judge/python_solution.h"
#include "judge/reference.h"
#include "judge/runner.h"
#include "judge/spares.h"
#include "kernelopt/v1/job.pb.h"

namespace kernelopt::worker {

class Subject {
 public:
  explicit Subject(const v1::SubjectSpec& spec);
  // The same, as built, for the turn of one workload; no process yet.
  std::unique_ptr<Subject> ForWorkload() const;

  const v1::SubjectSpec& spec() const { return spec_; }
  bool candidate() const { return spec_.role() == v1::ROLE_CANDIDATE; }
  v1::SubjectResult& record() { return record_; }
  const v1::SubjectResult& record() const { return record_; }
  // Still in the running: nothing bad was found.
  bool alive() const { return record_.verdict() == v1::VERDICT_UNSPECIFIED; }
  void Condemn(const Finding& finding);
  // The same, and ends its process, which might go on with what it did.
  void EndWith(const Finding& finding);
  void CondemnOutOfBounds(const std::string& output);

  // --- solutions ---
  std::optional<SolveSignature> signature;
  // In Python: what starts its processes; null: in C++.
  std::shared_ptr<PythonStarter> python;
  support::UniqueFd object;  // the sealed shared object
  // Starts a runner, in place of an earlier one, loads the object and prepares
  // it; condemns the subject when that is its fault. A Status only for faults
  // of the system.
  // With the run that a candidate belongs to, in the process of an earlier
  // candidate of it, where one was kept.
  absl::Status Load(Arena& arena, Spares& spares, double timeout_us, const std::string& run = "");
  // The same of a solution in Python; again, in another process in place of the first.
  absl::Status LoadPython(Arena& arena, const v1::ProblemSpec& problem, double timeout_us);
  absl::Status LoadPythonAgain(Arena& arena, Spares& spares, double timeout_us);
  // Its runner, which then is the caller's; null: none any more.
  std::unique_ptr<Runner> GiveUpRunner() { return std::move(runner_); }

  // --- built-in baselines ---
  // The process that serves it. The main reference also computes expected
  // values and must not serve meanwhile; others serve from the start.
  void SetReference(Reference* reference, std::unique_ptr<Reference> own, const std::string& mode);
  absl::Status StartServing();
  absl::Status StopServing();
  // Of a solution in Python, right before and after its timed rounds: that it compiled
  // meanwhile condemns it.
  absl::Status BeginTimingPython(double timeout_us) { return LookAtCaches(timeout_us, compiled_); }
  absl::Status EndTimingPython(double timeout_us);
  // When its first process is timed no more: what it did beside its calls becomes notes.
  void LeavePython();
  // Seconds spent evicting caches before its calls.
  double evict_s() const { return evict_s_; }
  // See Line::StopWhen.
  void StopWhen(const std::function<bool()>& stopped) { line().StopWhen(stopped); }
  bool builtin() const { return !spec_.has_solution(); }
  // Seconds that another process of it took until it had been called once.
  double restart_s() const { return restart_s_; }
  // Called by Python.
  bool interpreted() const { return builtin() || python != nullptr; }
  // Starting another process takes too long to compare several of them. Known of
  // Python when the first has been called.
  bool one_process() const { return builtin() || (python && !restarts_); }
  // Serves in a process of its own, all the time.
  bool serves_alone() const { return own_reference_ != nullptr; }

  // Notes how many threads it has; false, and condemned, when a process was
  // made. While it is stopped.
  bool CountHeads();

  // Calls one behind the other on `sets` further sets of the arena, which are
  // filled; caches empty. Outputs are not looked at. GPUs, and solutions only.
  std::optional<CallTime> Batch(Device& device, int calls, int sets, double timeout_us);
  absl::Status TakeSets(Arena& arena, double timeout_us);

  // One call on fresh outputs: resets, evicts, calls, stops the process again,
  // checks canaries. None when the subject was condemned over it, or the call
  // was stopped.
  std::optional<CallTime> Call(Device& device, Arena& arena, uint64_t nonce, double timeout_us);

 private:
  // Whether nobody else lives in its sandbox; condemns otherwise.
  bool AloneAfterCall();
  // Condemns over how a call ended; true: it ended well.
  bool EndedWell(const Device& device, const CallTime& time, double timeout_us);
  // What lies in the caches of its compilers, by its own word.
  absl::Status LookAtCaches(double timeout_us, int64_t& entries);
  void CondemnDead(const std::string& where);
  void CondemnDeviceError(const std::string& name);
  // What went wrong until it served: the subject's fault condemns, anything
  // else is handed on.
  absl::Status CondemnLoad(const absl::Status& status, const std::string& where, double timeout_us);
  // Over what asking a solution in Python came to, if anything.
  absl::Status CondemnOver(const absl::StatusOr<std::optional<Finding>>& wrong, const std::string& where, double timeout_us);
  void CondemnEnd(const CallTime& time, double timeout_us);
  Line& line() { return builtin() ? reference_->line() : python ? solution_->line() : runner_->line(); }
  Sandbox& sandbox() { return builtin() ? reference_->sandbox() : python ? solution_->sandbox() : runner_->sandbox(); }
  std::string Entry() const { return builtin() ? "the reference" : python ? "the solution" : "solve()"; }

  const v1::SubjectSpec spec_;
  v1::SubjectResult record_;
  std::unique_ptr<Runner> runner_;
  std::unique_ptr<PythonSolution> solution_;
  std::unique_ptr<Reference> own_reference_;
  Reference* reference_ = nullptr;
  std::string mode_;
  std::vector<ToldTensor> told_;
  v1::ProblemSpec problem_;  // Python's
  int64_t compiled_ = 0;  // when timing began
  double expect_us_ = 0, evict_s_ = 0, load_s_ = 0, restart_s_ = 0;
  bool called_ = false, restarts_ = false, left_ = false;
};

// Heading of a subject in reports.
std::string LabelOf(const v1::SubjectSpec& spec);

}  // namespace kernelopt::worker
