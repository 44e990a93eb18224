#include "judge/subject.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "support/clock.h"
#include "support/ids.h"

namespace kernelopt::worker {

namespace {

// The first call of a solution in Python may take so many times as long, and no
// longer than that.
constexpr double kFirstCallTimes = 6, kFirstCallUs = 60e6;
// A solution in Python that needs longer to be imported, for setup() and for its first
// call (it compiles there) is timed in one process.
constexpr double kRestartSeconds = 0.8;

}  // namespace

std::string LabelOf(const v1::SubjectSpec& spec) {
  if (spec.has_solution()) {
    const std::string& path = spec.solution().files(0).path();
    return path.substr(path.rfind('/') + 1);
  }
  switch (spec.builtin()) {
    case v1::BUILTIN_BASELINE_TORCH_COMPILE:
      return spec.compile_mode().empty() ? "Torch Compile" : absl::StrCat("Torch Compile (", spec.compile_mode(), ")");
    case v1::BUILTIN_BASELINE_FLASHINFER:
      return "FlashInfer";
    case v1::BUILTIN_BASELINE_LIBRARY:
      return "Library";
    default:
      return "PyTorch Eager";  // NumPy where the reference ran on it
  }
}

std::unique_ptr<Subject> Subject::ForWorkload() const {
  auto copy = std::make_unique<Subject>(spec_);
  copy->record_ = record_;
  copy->signature = signature;
  copy->python = python;
  if (object.valid()) copy->object.Reset(fcntl(object.get(), F_DUPFD_CLOEXEC, 0));
  return copy;
}

Subject::Subject(const v1::SubjectSpec& spec) : spec_(spec) {
  record_.set_id(spec.id());
  record_.set_role(spec.role() == v1::ROLE_CANDIDATE ? "candidate" : "baseline");
  record_.set_label(LabelOf(spec));
}

void Subject::Condemn(const Finding& finding) {
  record_.set_verdict(finding.verdict);
  // Compilers and runners may say anything; protobuf takes only UTF-8 back.
  record_.set_reason(support::ValidUtf8(finding.reason));
  record_.set_message(support::ValidUtf8(finding.message.substr(0, 4096)));
  if (python && finding.reason == "UNWRITTEN_OUTPUT") {
    record_.set_message(absl::StrCat(record_.message(), "; write into the tensor that the solution is given (y.copy_(...), y[:] = ...), "
                                     "or return it: another tensor under its name is not seen"));
  }
  for (const std::string& evidence : finding.evidence) {
    record_.add_evidence(support::ValidUtf8(evidence));
  }
}

void Subject::CondemnDead(const std::string& where) {
  if (const auto words = solution_ ? solution_->LastWords() : std::nullopt) return Condemn(*words);
  const auto end = sandbox().Wait(std::chrono::seconds(5));
  if (!end.ok()) {
    return EndWith({v1::VERDICT_INTEGRITY_VIOLATION, "PROTOCOL",
                    "the runner closed its side without ending", {}});
  }
  Condemn(ExplainDeath(*end, line().page().fault, told_, where));
}

void Subject::CondemnEnd(const CallTime& time, double timeout_us) {
  switch (time.end) {
    case CallTime::End::kTimeout:
      return EndWith({v1::VERDICT_KERNEL_TIMEOUT, "CALL_TIMEOUT",
                      absl::StrFormat("one call took longer than %g s (--call-timeout)",
                                      timeout_us * 1e-6),
                      {}});
    case CallTime::End::kDied:
      return CondemnDead(Entry());
    case CallTime::End::kProtocol: {
      // A dying process can leave anything in the page: its end says more.
      if (sandbox().Wait(std::chrono::milliseconds(50)).ok()) return CondemnDead(Entry());
      return EndWith({v1::VERDICT_INTEGRITY_VIOLATION, "PROTOCOL",
                      "the control page was changed by something else than the runner's loop",
                      {time.evidence}});
    }
    case CallTime::End::kNotIdle:
      return EndWith({v1::VERDICT_INTEGRITY_VIOLATION, "NOT_IDLE",
                      "the process worked between two calls, when it has to stand still",
                      {time.evidence}});
    case CallTime::End::kStopped:  // nobody's fault; the job is given up
    case CallTime::End::kDone:
      break;
  }
}

void Subject::CondemnDeviceError(const std::string& name) {
  if (absl::StrContains(name, "OUT_OF_MEMORY")) {
    return Condemn({v1::VERDICT_OUT_OF_MEMORY, "DEVICE_MEMORY", absl::StrCat("the call ended with ", name), {}});
  }
  Condemn({v1::VERDICT_RUNTIME_ERROR, "CUDA_ERROR",
           absl::StrCat("the call ended with ", name, "; run it under compute-sanitizer to see where"), {}});
}

absl::Status Subject::Load(Arena& arena, Spares& spares, double timeout_us, const std::string& run) {
  if (runner_) spares.Retire(std::move(runner_));
  const int64_t buffer_bytes = arena.inputs().size() + arena.outputs().size();
  if (candidate()) runner_ = spares.TakeUsed(run, buffer_bytes);
  record_.set_runner_reused(record_.runner_reused() || runner_ != nullptr);
  if (!runner_) {
    auto runner = spares.Take(buffer_bytes);
    if (!runner.ok()) return runner.status();
    runner_ = *std::move(runner);
  }
  told_.clear();
  const std::vector<Parameter>& parameters = arena.contract().parameters;
  for (const SolveParameter& mine : signature->parameters) {
    if (!mine.of_problem()) continue;
    const auto agreed = std::find_if(parameters.begin(), parameters.end(),
                                     [&](const Parameter& p) { return p.name == mine.name; });
    if (mine.pointer) told_.push_back({mine.name, agreed->output()});
  }
  const absl::Status loaded = runner_->Load(arena, *signature, object.get());
  if (!loaded.ok()) return CondemnLoad(loaded, "loading", timeout_us);
  if (signature->prepare || signature->workspace_bytes) {
    const auto prepared = runner_->Prepare();
    if (!prepared.ok()) return CondemnLoad(prepared.status(), "solve_prepare()", timeout_us);
    record_.set_workspace_bytes(prepared->workspace_bytes);
    if (signature->prepare) record_.set_prepare_us(prepared->prepare_us);
  }
  const absl::Status served = runner_->Serve();
  return served.ok() ? served : CondemnLoad(served, "loading", timeout_us);
}

absl::Status Subject::LoadPython(Arena& arena, const v1::ProblemSpec& problem, double timeout_us) {
  auto started = python->Start();
  if (!started.ok()) return started.status();
  if (const auto* wrong = std::get_if<Finding>(&*started)) {
    Condemn(*wrong);
    return absl::OkStatus();
  }
  solution_ = std::get<std::unique_ptr<PythonSolution>>(*std::move(started));
  const bool again = std::exchange(called_, false);
  problem_ = problem;
  const double begin = support::MonotonicSeconds();
  const auto wrong = solution_->Load(arena, problem);
  if (!wrong.ok()) return CondemnLoad(wrong.status(), "loading", timeout_us);
  load_s_ = support::MonotonicSeconds() - begin;
  if (*wrong) Condemn(**wrong);
  if (again) return absl::OkStatus();
  record_.set_prepare_us(load_s_ * 1e6);
  if (!solution_->own_weights().empty()) {
    record_.add_notes(support::ValidUtf8(absl::StrCat("weights_from_solution: ", absl::StrJoin(solution_->own_weights(), ", ").substr(0, 500),
                                                      "; the problem's Model has none of that name and size")));
  }
  return absl::OkStatus();
}

absl::Status Subject::LoadPythonAgain(Arena& arena, Spares& spares, double timeout_us) {
  LeavePython();
  if (!alive()) return absl::OkStatus();
  spares.Retire(solution_->GiveUpProcess());
  solution_.reset();
  return LoadPython(arena, problem_, timeout_us);
}

absl::Status Subject::CondemnLoad(const absl::Status& status, const std::string& where, double timeout_us) {
  const std::string said(status.message());
  if (absl::IsDeadlineExceeded(status)) {
    CondemnEnd({.end = CallTime::End::kTimeout, .evidence = ""}, timeout_us);
  } else if (absl::IsUnavailable(status)) {
    CondemnDead(where);
  } else if (absl::IsResourceExhausted(status)) {
    Condemn({v1::VERDICT_OUT_OF_MEMORY, "WORKSPACE", absl::StrCat("solve_workspace_bytes(): ", said), {}});
  } else if (absl::IsFailedPrecondition(status)) {
    const bool symbol = absl::StartsWith(said, "no symbol");
    Condemn({v1::VERDICT_BUILD_FAILED, symbol ? "NO_ENTRY_POINT" : "COMPILE_ERROR",
             symbol ? absl::StrCat("the shared object has ", said, "; define it as extern \"C\"")
                    : absl::StrCat("the shared object does not load: ", said),
             {}});
  } else {
    return status;
  }
  return absl::OkStatus();
}

bool Subject::CountHeads() {
  const auto payload = sandbox().payload();
  const auto census = payload.ok() ? (*payload)->Count() : absl::StatusOr<Census>(payload.status());
  if (!census.ok()) return true;  // it is gone: the next call says how
  record_.set_threads(std::max(record_.threads(), census->threads));
  if (census->processes <= 1 || builtin()) return true;
  EndWith({v1::VERDICT_INTEGRITY_VIOLATION, "NEW_PROCESS",
           "the solution started a process; threads are allowed, processes are not",
           {absl::StrCat(census->processes, " processes in its sandbox, where one was started")}});
  return false;
}

void Subject::SetReference(Reference* reference, std::unique_ptr<Reference> own,
                           const std::string& mode) {
  own_reference_ = std::move(own);
  reference_ = own_reference_ ? own_reference_.get() : reference;
  mode_ = mode;
}

absl::Status Subject::StartServing() { return reference_->StartServing(mode_); }
absl::Status Subject::StopServing() { return reference_->StopServing(); }

absl::Status Subject::LookAtCaches(double timeout_us, int64_t& entries) {
  auto wrong = solution_->Leave();
  entries = solution_->compiled();
  if (wrong.ok() && !*wrong) wrong = solution_->Serve();
  return CondemnOver(wrong, "the solution", timeout_us);
}

absl::Status Subject::CondemnOver(const absl::StatusOr<std::optional<Finding>>& wrong, const std::string& where, double timeout_us) {
  if (!wrong.ok()) return CondemnLoad(wrong.status(), where, timeout_us);
  if (!*wrong) return absl::OkStatus();
  EndWith(**wrong);
  return absl::OkStatus();
}

absl::Status Subject::EndTimingPython(double timeout_us) {
  int64_t entries = 0;
  if (absl::Status s = LookAtCaches(timeout_us, entries); !s.ok() || !alive() || entries <= compiled_) return s;
  Condemn({v1::VERDICT_RUNTIME_ERROR, "COMPILED_WHEN_TIMED",
           "compilers ran inside timed calls; let the first call, which is not timed, launch everything that later ones launch, with the "
           "same constants (Triton: do_not_specialize, for a number that comes from data)",
           {absl::StrCat(entries - compiled_, " entries more in the caches of its compilers than when timing began")}});
  return absl::OkStatus();
}

void Subject::LeavePython() {
  if (!solution_ || std::exchange(left_, true) || !solution_->Leave().ok()) return;
  for (const std::string& name : solution_->copied()) {
    record_.add_notes(support::ValidUtf8(absl::StrCat("returned ", name.substr(0, 80), ", which was copied into the output inside the timed call; writing it saves that")));
  }
}

void Subject::EndWith(const Finding& finding) {
  sandbox().Kill();
  Condemn(finding);
}

void Subject::CondemnOutOfBounds(const std::string& output) {
  EndWith({v1::VERDICT_RUNTIME_ERROR, "OUT_OF_BOUNDS",
           absl::StrCat("solve() wrote outside the output ", output, "; check the index at the ends"),
           {absl::StrCat("canary bytes beside ", output, " were changed")}});
}

// A process beside the one that stands still could read the next inputs, and
// write what belongs to them, before the call. In C++ nothing can make one.
bool Subject::AloneAfterCall() { return !python || CountHeads(); }

bool Subject::EndedWell(const Device& device, const CallTime& time, double timeout_us) {
  if (time.end != CallTime::End::kDone) {
    CondemnEnd(time, timeout_us);
    return false;
  }
  if (time.device_error == 0) return true;
  sandbox().Kill();
  CondemnDeviceError(device.ErrorName(time.device_error));
  return false;
}

absl::Status Subject::TakeSets(Arena& arena, double timeout_us) {
  if (solution_) {
    return CondemnOver(solution_->TakeSets(arena), "mapping further buffers", timeout_us);
  }
  const absl::Status taken = runner_->TakeSets(arena);
  return taken.ok() ? taken : CondemnLoad(taken, "mapping further buffers", timeout_us);
}

std::optional<CallTime> Subject::Batch(Device& device, int calls, int sets, double timeout_us) {
  device.Evict({});
  line().page().batch = {static_cast<uint32_t>(calls), static_cast<uint32_t>(sets)};
  const CallTime time = line().Call(timeout_us * calls, 0, {.at_ready = [&] { return device.Sentinel(); }});
  line().page().batch = {};
  if (!EndedWell(device, time, timeout_us) || !AloneAfterCall()) return std::nullopt;
  return time;
}

std::optional<CallTime> Subject::Call(Device& device, Arena& arena, uint64_t nonce,
                                      double timeout_us) {
  arena.ResetOutputs(nonce, Arena::Which::kSubject);
  const double begin = support::MonotonicSeconds();
  device.Evict({&arena.inputs(), &arena.outputs()});
  evict_s_ += support::MonotonicSeconds() - begin;
  // A kernel of the judge would wait for the runner's: it looks when the process
  // stands still.
  const bool events = device.clock() == Clock::kEvents;
  const auto glance = [&] { arena.Glance(); };
  Line::Moments moments;
  if (events) {
    moments.at_ready = [&] { return device.Sentinel(); };
  } else {
    moments.at_done = glance;
  }
  // Compilers of Python run in the first call.
  const bool compiles = python && !std::exchange(called_, true);
  if (compiles) timeout_us = std::max(timeout_us, std::min(kFirstCallTimes * timeout_us, kFirstCallUs));
  CallTime time = line().Call(timeout_us, expect_us_, moments);
  if (!EndedWell(device, time, timeout_us) || !AloneAfterCall()) return std::nullopt;
  if (compiles && !left_) {
    restart_s_ = python->start_s() + load_s_ + time.outer_us * 1e-6;
    restarts_ = events && python->Forks() && restart_s_ < kRestartSeconds;
  }
  if (events) {
    const double closing = support::MonotonicSeconds();
    glance();
    time.close_us = (support::MonotonicSeconds() - closing) * 1e6;
  }
  expect_us_ = expect_us_ == 0 ? time.outer_us : std::min(expect_us_, time.outer_us);
  if (const auto late = arena.ChangedSinceGlance()) {
    EndWith({v1::VERDICT_INCORRECT, "WRITTEN_AFTER_RETURN",
             absl::StrCat("solve() returned while ", late->name,
                          " was still being written; wait for all threads before returning"),
             {absl::StrCat(late->name, " changed at byte ", late->offset,
                           " after the call had ended")}});
    return std::nullopt;
  }
  if (const auto broken = arena.BrokenCanary(nonce)) {
    CondemnOutOfBounds(*broken);
    return std::nullopt;
  }
  return time;
}

}  // namespace kernelopt::worker
