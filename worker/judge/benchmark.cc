#include "judge/benchmark.h"

#include <sched.h>
#include <sys/utsname.h>

#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "build/prebuilt.h"
#include "google/protobuf/util/time_util.h"
#include "judge/compile_ahead.h"
#include "judge/summary.h"
#include "judge/workload_run.h"
#include "support/clock.h"
#include "support/ids.h"
#include "support/sha256.h"

namespace kernelopt::worker {
namespace {

// Pins the job thread for as long as it lives, and lets go afterwards.
class PinnedTo {
 public:
  explicit PinnedTo(int cpu) {
    CPU_ZERO(&before_);
    if (cpu < 0 || sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<size_t>(cpu), &one);
    pinned_ = sched_setaffinity(0, sizeof one, &one) == 0;
  }
  ~PinnedTo() {
    if (pinned_) sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_;
  bool pinned_ = false;
};

// See JobResult.problem_digest.
std::string ProblemDigest(const v1::ProblemSpec& problem) {
  support::Sha256 hash;
  const auto add = [&](const char* role, const v1::SourceFile& file) {
    if (!file.digest().empty()) hash.Update(absl::StrCat(role, " ", file.path(), " ", file.digest(), "\n"));
  };
  add("reference", problem.reference());
  add("definition", problem.definition());
  for (const v1::SourceFile& file : problem.files()) add("file", file);
  return hash.FinishHex();
}

class Benchmark {
 public:
  Benchmark(const v1::JobSpec& spec, Bench& bench, const Fetch& fetch, JobSink& sink)
      : spec_(spec), bench_(bench), fetch_(fetch), sink_(sink) {
    for (const v1::SubjectSpec& subject : spec.subjects()) {
      subjects_.push_back(std::make_unique<Subject>(subject));
    }
  }

  absl::StatusOr<v1::JobResult> Run(Reference& reference,
                                    const std::function<void()>& turn_begun) {
    clock_.Mark("prepare");
    sink_.Progress(v1::STAGE_PREPARE, 0, 0, "reading sources");
    auto plan = PlanJob(spec_, bench_, reference, fetch_, subjects_);
    if (!plan.ok()) return plan.status();
    plan_ = *std::move(plan);
    clock_.Mark("prepare");
    if (absl::Status s = BuildAll(); !s.ok()) return s;
    clock_.Mark("build");
    // Called back during the last build: the device is not touched any more.
    if (sink_.Stopped()) return absl::CancelledError("stopped");
    if (CountAlive(subjects_) > 0) {
      turn_begun();
      if (absl::Status s = TakeTurn(reference); !s.ok()) return s;
    }
    return Result();
  }

 private:
  absl::Status BuildAll() {
    int done = 0;
    for (auto& subject : subjects_) {
      sink_.Progress(v1::STAGE_BUILD, done++, static_cast<int>(subjects_.size()),
                     subject->record().label());
      if (!subject->alive() || subject->builtin()) continue;
      if (sink_.Stopped()) return absl::CancelledError("stopped");
      if (subject->python) {
        if (absl::Status s = ImportPython(*subject); !s.ok()) return s;
        continue;
      }
      const auto& files = plan_.sources[subject->spec().id()];
      if (WantsCutlass(*subject) && bench_.compiler.toolchain().cutlass_version.empty()) {
        subject->Condemn({v1::VERDICT_UNAVAILABLE, "NO_CUTLASS",
                          absl::StrCat("there is no CUTLASS for ", bench_.device.id(), "; `koptctl doctor` says how its worker finds one"), {}});
        continue;
      }
      auto built = IsPrebuilt(files[0].path)
                       ? TakePrebuilt(files)
                       : bench_.compiler.Build(files, FlagsOf(*subject),
                                               [this](std::string_view text) { sink_.Log(text); });
      if (!built.ok()) return built.status();
      if (auto* problem = std::get_if<BuildProblem>(&*built)) {
        *subject->record().mutable_build() = problem->record;
        subject->Condemn({v1::VERDICT_BUILD_FAILED, problem->reason, problem->message, {}});
        continue;
      }
      Built& good = std::get<Built>(*built);
      *subject->record().mutable_build() = good.record;
      if (WantsCutlass(*subject)) {
        subject->record().mutable_build()->set_compiler(
            absl::StrCat(good.record.compiler(), ", CUTLASS ", bench_.compiler.toolchain().cutlass_version));
      }
      subject->object = std::move(good.object);
    }
    return absl::OkStatus();
  }

  // What is not compiled here compiles in its first call.
  absl::Status ImportPython(Subject& subject) {
    const double begin = support::MonotonicSeconds();
    if (absl::StartsWith(plan_.host.framework, "torch") && !plan_.host.triton.empty() && subject.spec().solution().implementation() == v1::IMPLEMENTATION_TRITON) {
      subject.python->UseCache(CompileAhead(bench_, plan_.sources[subject.spec().id()], plan_, [this](std::string_view text) { sink_.Log(text); }));
      clock_.Add("build.ahead", support::MonotonicSeconds() - begin);
    }
    auto started = subject.python->Start();
    if (!started.ok()) return started.status();
    if (const auto* wrong = std::get_if<Finding>(&*started)) {
      subject.Condemn(*wrong);
      return absl::OkStatus();
    }
    auto& solution = std::get<std::unique_ptr<PythonSolution>>(*started);
    subject.record().mutable_build()->set_compiler(solution->framework());
    subject.record().mutable_build()->set_seconds(support::MonotonicSeconds() - begin);
    subject.python->Keep(std::move(solution));
    return absl::OkStatus();
  }

  static bool WantsCutlass(const Subject& subject) {
    const v1::Solution& solution = subject.spec().solution();
    return solution.implementation() == v1::IMPLEMENTATION_CUTLASS && !IsPrebuilt(solution.files(0).path());
  }

  std::vector<std::string> FlagsOf(const Subject& subject) const {
    std::vector<std::string> flags;
    if (WantsCutlass(subject)) flags = bench_.compiler.toolchain().cutlass_flags;
    const auto& asked = subject.spec().solution().flags();
    flags.insert(flags.end(), asked.begin(), asked.end());
    return flags;
  }

  // Every workload with subjects of its own, in processes of their own.
  absl::Status TakeTurn(Reference& reference) {
    const PinnedTo pinned(bench_.device.judge_cpu());
    for (const WorkloadPlan& workload : plan_.workloads) {
      Subjects own;
      for (const auto& subject : subjects_) own.push_back(subject->ForWorkload());
      auto found = RunWorkload(spec_, plan_, workload, bench_, reference, own, sink_, clock_);
      if (!found.ok()) return found.status();
      calibration_ = found->calibration;
      health_ = found->health;
      if (result_.draw_seeds_size() == 0) {
        for (const uint64_t seed : found->draw_seeds) result_.add_draw_seeds(seed);
        result_.set_static_seed(found->static_seed);
      }
      for (const auto& subject : own) {
        v1::SubjectResult& record = *found->result.add_subjects() = subject->record();
        if (!workload.hidden) continue;
        for (v1::OutputCheck& output : *record.mutable_outputs()) {
          output.clear_elements();
          output.clear_preview_got();
          output.clear_preview_expected();
        }
      }
      *result_.add_workloads() = std::move(found->result);
    }
    return absl::OkStatus();
  }

  // Without problem.json the one workload is the result.
  void Unwrap() {
    if (result_.workloads_size() == 0) {
      for (auto& subject : subjects_) *result_.add_subjects() = subject->record();
      return;
    }
    if (plan_.defined()) {
      SummariseWorkloads(bench_.compare, result_);
      return;
    }
    v1::WorkloadResult only = result_.workloads(0);
    result_.clear_workloads();
    result_.mutable_contract()->Swap(only.mutable_contract());
    result_.mutable_subjects()->Swap(only.mutable_subjects());
    result_.mutable_comparisons()->Swap(only.mutable_comparisons());
    result_.mutable_lint()->Swap(only.mutable_lint());
    result_.mutable_call_nonces()->Swap(only.mutable_call_nonces());
  }

  void FillConditions(v1::Conditions& out) const {
    utsname system{};
    uname(&system);
    double load = 0;
    (void)getloadavg(&load, 1);
    out.set_device(bench_.device.id());
    out.set_device_model(bench_.device.model());
    out.set_platform(absl::StrCat(system.release, " ", system.machine));
    out.set_runner_cpu(bench_.device.runner_cpu());
    out.set_judge_cpu(bench_.device.judge_cpu());
    out.set_load_average(load);
    out.set_sandbox_level(bench_.sandbox_level);
    out.set_judge_version(KOPT_VERSION);
    out.set_runner_digest(bench_.runner_digest);
    out.set_cache_eviction(bench_.device.eviction());
    out.set_handover_us(calibration_.handover_us);
    out.set_witness_band_us(calibration_.band_us);
    out.set_aside_us(calibration_.aside_us);
    out.set_aside_band_us(calibration_.aside_band_us);
    out.set_event_pair_us(calibration_.null_us);
    out.set_null_kernel_us(calibration_.null_kernel_us);
    out.set_temperature_c(health_.temperature_c);
    out.set_power_w(health_.power_w);
    out.set_clock_limits(health_.clock_limits);
    out.set_reference_framework(support::ValidUtf8(plan_.host.framework));
  }

  v1::JobResult Result() {
    result_.set_protocol("kopt-1");
    result_.set_problem_digest(ProblemDigest(spec_.problem()));
    Unwrap();
    FillConditions(*result_.mutable_conditions());
    for (const auto& [name, seconds] : clock_.phases()) {
      v1::Phase* out = result_.add_phases();
      out->set_name(name);
      out->set_seconds(seconds);
    }
    *result_.mutable_finish_time() = google::protobuf::util::TimeUtil::MicrosecondsToTimestamp(
        support::Clock::Real().WallUs());
    return std::move(result_);
  }

  const v1::JobSpec& spec_;
  Bench& bench_;
  const Fetch& fetch_;
  JobSink& sink_;
  Subjects subjects_;
  JobPlan plan_;
  Calibration calibration_;
  DeviceHealth health_;
  PhaseClock clock_;
  v1::JobResult result_;
};

}  // namespace

absl::StatusOr<v1::JobResult> RunBenchmark(const v1::JobSpec& spec, Bench& bench, const Fetch& fetch,
                                           Reference& reference, JobSink& sink,
                                           const std::function<void()>& turn_begun) {
  return Benchmark(spec, bench, fetch, sink).Run(reference, turn_begun);
}

}  // namespace kernelopt::worker
