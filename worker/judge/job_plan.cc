#include "judge/job_plan.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "build/prebuilt.h"

namespace kernelopt::worker {
namespace {

Finding Unavailable(const std::string& reason, const std::string& message) {
  return {v1::VERDICT_UNAVAILABLE, reason, message, {}};
}

class Planner {
 public:
  Planner(const v1::JobSpec& spec, Bench& bench, Reference& reference, const Fetch& fetch, Subjects& subjects)
      : spec_(spec), bench_(bench), device_(bench.device.id()), reference_(reference), fetch_(fetch), subjects_(subjects) {}

  absl::StatusOr<JobPlan> Run() {
    if (absl::Status s = ReadSources(); !s.ok()) return s;
    for (auto& subject : subjects_) ReadSignature(*subject);
    BorrowSignatures();
    if (absl::Status s = LoadReference(); !s.ok()) return s;
    ChooseWorkloads();
    if (absl::Status s = Derive(); !s.ok()) return s;
    if (plan_.workloads.empty()) {
      CondemnAll(subjects_, Unavailable("NO_SOLUTION", "no solution of this job can run, so nothing "
                                                       "says what to compute"));
    }
    return std::move(plan_);
  }

 private:
  absl::Status Get(const v1::SourceFile& file, std::string& content) {
    auto fetched = fetch_(file.digest());
    if (!fetched.ok()) return fetched.status();
    content = *std::move(fetched);
    return absl::OkStatus();
  }

  absl::Status ReadSources() {
    const v1::ProblemSpec& problem = spec_.problem();
    if (absl::Status s = Get(problem.reference(), plan_.reference_source); !s.ok()) return s;
    if (problem.has_definition()) {
      if (absl::Status s = Get(problem.definition(), definition_source_); !s.ok()) return s;
    }
    for (const v1::SourceFile& file : problem.files()) {
      if (absl::Status s = Get(file, plan_.files[file.path()]); !s.ok()) return s;
    }
    for (auto& subject : subjects_) {
      for (const v1::SourceFile& file : subject->spec().solution().files()) {
        SourceText text{file.path(), ""};
        if (absl::Status s = Get(file, text.content); !s.ok()) return s;
        plan_.sources[subject->spec().id()].push_back(std::move(text));
      }
    }
    return absl::OkStatus();
  }

  // Of the main file; of a prebuilt object, from a header beside it.
  void ReadSignature(Subject& subject) {
    if (subject.builtin()) return;
    const bool gpu = device_ != "host";
    const v1::Implementation wanted = gpu ? v1::IMPLEMENTATION_CUDA_CPP : v1::IMPLEMENTATION_CPP;
    const v1::Implementation given = subject.spec().solution().implementation();
    const std::vector<SourceText>& files = plan_.sources[subject.spec().id()];
    if (given == v1::IMPLEMENTATION_TRITON || given == v1::IMPLEMENTATION_CUTE_DSL) {
      if (!absl::EndsWith(files[0].path, ".py")) {
        return subject.Condemn(Unavailable("IMPLEMENTATION_UNSUPPORTED", absl::StrCat(subject.record().label(), " is no .py file, which Triton and CuTe DSL take")));
      }
      subject.python = std::make_shared<PythonStarter>(*bench_.spares, files);
      return;
    }
    if (given != wanted && !(gpu && given == v1::IMPLEMENTATION_CUTLASS)) {
      return subject.Condemn(Unavailable(
          "IMPLEMENTATION_UNSUPPORTED",
          absl::StrCat(subject.record().label(), " does not run on the device ", device_, ", which takes ",
                       gpu ? "CUDA C++ (.cu), also with CUTLASS," : "plain C++ (.cpp)", " and shared objects built from it (.so)")));
    }
    const bool prebuilt = IsPrebuilt(files[0].path);
    for (const SourceText& file : files) {
      if (prebuilt && !absl::EndsWith(file.path, ".h") && !absl::EndsWith(file.path, ".hpp")) continue;
      auto parsed = ParseSolve(file.content);
      const auto* bad = std::get_if<ParseProblem>(&parsed);
      if (bad == nullptr) {
        subject.signature = std::get<SolveSignature>(parsed);
        if (!gpu) RefuseStreams(subject);
        return;
      }
      if (prebuilt && bad->reason == "NO_ENTRY_POINT") continue;
      const bool no_entry = bad->reason == "NO_ENTRY_POINT";
      return subject.Condemn({no_entry ? v1::VERDICT_BUILD_FAILED : v1::VERDICT_INVALID_PROBLEM,
                              bad->reason, bad->message, {}});
    }
  }

  static void RefuseStreams(Subject& subject) {
    for (const SolveParameter& parameter : subject.signature->parameters) {
      if (!parameter.stream) continue;
      return subject.Condemn({v1::VERDICT_INVALID_PROBLEM, "UNSUPPORTED_TYPE",
                              absl::StrCat("parameter \"", parameter.name, "\" is a cudaStream_t; streams exist on "
                                           "CUDA devices only, take it out for the host device"),
                              {}});
    }
  }

  // A shared object without a header takes what the others take.
  void BorrowSignatures() {
    const auto lender = std::find_if(subjects_.begin(), subjects_.end(),
                                     [](const auto& s) { return s->alive() && s->signature; });
    for (auto& subject : subjects_) {
      if (subject->builtin() || subject->python || !subject->alive() || subject->signature) continue;
      if (lender != subjects_.end()) {
        subject->signature = (*lender)->signature;
      } else {
        subject->Condemn({v1::VERDICT_BUILD_FAILED, "NO_ENTRY_POINT",
                          "nothing says what solve of a prebuilt .so takes; give a header with its "
                          "declaration (--with=solution.h)",
                          {}});
      }
    }
  }

  absl::Status LoadReference() {
    auto host = reference_.WaitReady();
    if (!host.ok()) return host.status();
    plan_.host = *host;
    auto loaded = reference_.Load(plan_.reference_source, spec_.problem().reference().path());
    if (!loaded.ok()) return loaded.status();
    if (const auto* invalid = std::get_if<InvalidProblem>(&*loaded)) {
      CondemnAll(subjects_, FindingOf(*invalid));
    } else {
      facts_ = std::get<ReferenceFacts>(*loaded);
    }
    for (auto& subject : subjects_) {
      if (subject->builtin() && subject->alive()) CheckBuiltin(*subject);
    }
    return absl::OkStatus();
  }

  void CheckBuiltin(Subject& subject) const {
    const PythonHost& host = plan_.host;
    const bool torch = absl::StartsWith(host.framework, "torch");
    const v1::BuiltinBaseline builtin = subject.spec().builtin();
    if (builtin == v1::BUILTIN_BASELINE_EAGER && !torch) subject.record().set_label("NumPy");
    if (builtin == v1::BUILTIN_BASELINE_TORCH_COMPILE && !host.torch_compile) {
      subject.Condemn(Unavailable("TORCH_COMPILE_MISSING",
                                  absl::StrCat("torch.compile needs PyTorch >= 2; here the reference runs on ",
                                               host.framework)));
    }
    if (builtin == v1::BUILTIN_BASELINE_FLASHINFER && !host.flashinfer) {
      subject.Condemn(Unavailable("FLASHINFER_MISSING", "FlashInfer is not installed here"));
    } else if (builtin == v1::BUILTIN_BASELINE_FLASHINFER && !facts_.names_flashinfer) {
      subject.Condemn(Unavailable("NO_SUCH_BASELINE", "the reference file does not mention FlashInfer; reference(baseline=\"flashinfer\") has to call it"));
    }
    if (builtin == v1::BUILTIN_BASELINE_LIBRARY && !facts_.takes_baseline) {
      subject.Condemn(Unavailable("NO_SUCH_BASELINE", "reference() has no argument baseline, which would be \"library\""));
    }
  }

  void ChooseWorkloads() {
    if (!spec_.problem().has_definition()) {
      plan_.workloads.push_back({.name = "", .problem = spec_.problem(), .contract = {}});
      facts_by_workload_.push_back(facts_);
      return;
    }
    auto parsed = ParseDefinition(definition_source_);
    if (const auto* bad = std::get_if<InvalidProblem>(&parsed)) return CondemnAll(subjects_, FindingOf(*bad));
    const auto& definition = std::get<ProblemDefinition>(parsed);
    const auto& names = spec_.problem().workloads();
    auto chosen = SelectWorkloads(definition, {names.begin(), names.end()});
    if (const auto* bad = std::get_if<InvalidProblem>(&chosen)) return CondemnAll(subjects_, FindingOf(*bad));
    for (const Workload& w : std::get<std::vector<Workload>>(chosen)) {
      WorkloadProblem made = ForWorkload(facts_, definition, w, spec_.problem());
      plan_.workloads.push_back({w.name, w.weight, w.hidden, made.problem, {}});
      facts_by_workload_.push_back(std::move(made.facts));
    }
  }

  // From the first baseline that is a solution, else from the candidate; one in C++
  // before one in Python, which takes what it is given.
  absl::Status Derive() {
    Subject* source = nullptr;
    const auto rank = [](const Subject& s) { return (s.python ? 2 : 0) + (s.candidate() ? 1 : 0); };
    for (const auto& subject : subjects_) {
      if (!subject->alive() || (!subject->signature && !subject->python)) continue;
      if (source == nullptr || rank(*subject) < rank(*source)) source = subject.get();
    }
    if (source == nullptr) plan_.workloads.clear();
    for (size_t i = 0; i < plan_.workloads.size(); ++i) {
      WorkloadPlan& workload = plan_.workloads[i];
      ReferenceFacts& facts = facts_by_workload_[i];
      if (source->python && facts.tensors.empty()) {
        if (absl::Status s = AskSetup(*source, workload, facts); !s.ok()) return s;
        if (!source->alive()) return absl::OkStatus();
      }
      const SolveSignature signature = source->python ? SignatureOf(facts, workload.problem) : *source->signature;
      auto derived = DeriveContract(signature, source->candidate() ? "candidate" : "baseline", facts, workload.problem);
      if (auto* invalid = std::get_if<InvalidProblem>(&derived)) {
        if (!workload.name.empty()) invalid->message = absl::StrCat("workload ", workload.name, ": ", invalid->message);
        plan_.workloads.clear();
        CondemnAll(subjects_, FindingOf(*invalid));
        return absl::OkStatus();
      }
      workload.contract = std::get<Contract>(derived);
      CheckSignatures(workload.contract);
    }
    return absl::OkStatus();
  }

  // Nothing else says what tensors there are.
  absl::Status AskSetup(Subject& source, const WorkloadPlan& workload, ReferenceFacts& facts) {
    const auto described = source.python->Describe(workload.problem);
    if (!described.ok()) return described.status();
    if (const auto* wrong = std::get_if<Finding>(&*described)) {
      source.Condemn(*wrong);
      plan_.workloads.clear();
      return absl::OkStatus();
    }
    facts.tensors = std::get<ReferenceFacts>(*described).tensors;
    facts.order = std::get<ReferenceFacts>(*described).order;
    facts.from_setup = true;
    return absl::OkStatus();
  }

  void CheckSignatures(const Contract& contract) {
    for (auto& subject : subjects_) {
      if (!subject->signature || !subject->alive()) continue;
      if (auto mismatch = CheckSignature(*subject->signature, contract)) subject->Condemn(FindingOf(*mismatch));
    }
  }

  const v1::JobSpec& spec_;
  Bench& bench_;
  const std::string device_;
  Reference& reference_;
  const Fetch& fetch_;
  Subjects& subjects_;
  std::string definition_source_;
  ReferenceFacts facts_;
  std::vector<ReferenceFacts> facts_by_workload_;
  JobPlan plan_;
};

}  // namespace

absl::StatusOr<JobPlan> PlanJob(const v1::JobSpec& spec, Bench& bench,
                                Reference& reference, const Fetch& fetch, Subjects& subjects) {
  return Planner(spec, bench, reference, fetch, subjects).Run();
}

}  // namespace kernelopt::worker
