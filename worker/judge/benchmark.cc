#include "judge/benchmark.h"

#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/time_util.h"
#include "judge/record.h"
#include "judge/turn.h"
#include "support/clock.h"
#include "support/ids.h"

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

Finding Invalid(const InvalidProblem& problem) {
  return {v1::VERDICT_INVALID_PROBLEM, problem.reason, problem.message, {}};
}

Finding Unavailable(const std::string& reason, const std::string& message) {
  return {v1::VERDICT_UNAVAILABLE, reason, message, {}};
}

std::string ModeOf(v1::BuiltinBaseline builtin) {
  switch (builtin) {
    case v1::BUILTIN_BASELINE_TORCH_COMPILE:
      return "torch-compile";
    case v1::BUILTIN_BASELINE_FLASHINFER:
      return "flashinfer";
    default:
      return "eager";
  }
}

class Benchmark {
 public:
  Benchmark(const v1::JobSpec& spec, Bench& bench, const Fetch& fetch, JobSink& sink)
      : spec_(spec), bench_(bench), fetch_(fetch), sink_(sink) {
    for (const v1::SubjectSpec& subject : spec.subjects()) {
      subjects_.push_back(std::make_unique<Subject>(subject));
    }
  }

  absl::StatusOr<v1::JobResult> Run(std::unique_ptr<Reference> spare,
                                    const std::function<void()>& turn_begun) {
    reference_ = std::move(spare);
    clock_.Mark("prepare");
    sink_.Progress(v1::STAGE_PREPARE, 0, 0, "reading sources");
    if (absl::Status s = Prepare(); !s.ok()) return s;
    clock_.Mark("prepare");
    if (absl::Status s = BuildAll(); !s.ok()) return s;
    clock_.Mark("build");
    if (CountAlive(subjects_) > 0) {
      if (absl::Status s = TakeTurn(turn_begun); !s.ok()) return s;
    }
    return Result();
  }

 private:
  absl::Status Prepare();
  absl::Status LoadReference(ReferenceFacts& facts);
  absl::Status ReadSources();
  void ParseSignatures();
  void Derive(const ReferenceFacts& facts);
  absl::Status BuildAll();
  absl::Status TakeTurn(const std::function<void()>& turn_begun);
  absl::Status LoadSubjects(Arena& arena);
  absl::Status StartOwnReference(Subject& subject, Arena& arena);
  absl::Status MeasureIn(Turn& turn);
  absl::Status Time(Turn& turn);
  v1::JobResult Result();
  void FillConditions(v1::Conditions& out) const;

  const v1::JobSpec& spec_;
  Bench& bench_;
  const Fetch& fetch_;
  JobSink& sink_;
  Subjects subjects_;
  std::unique_ptr<Reference> reference_;
  ReferenceHost reference_host_;
  std::string reference_source_;
  std::map<const Subject*, std::vector<SourceText>> sources_;
  std::optional<Contract> contract_;
  Calibration calibration_;
  TimedRounds rounds_;
  std::vector<uint64_t> seeds_;
  PhaseClock clock_;
};

absl::Status Benchmark::ReadSources() {
  auto reference = fetch_(spec_.problem().reference().digest());
  if (!reference.ok()) return reference.status();
  reference_source_ = *std::move(reference);
  for (auto& subject : subjects_) {
    for (const v1::SourceFile& file : subject->spec().solution().files()) {
      auto content = fetch_(file.digest());
      if (!content.ok()) return content.status();
      sources_[subject.get()].push_back({file.path(), *std::move(content)});
    }
  }
  return absl::OkStatus();
}

void Benchmark::ParseSignatures() {
  for (auto& subject : subjects_) {
    if (subject->builtin()) continue;
    if (subject->spec().solution().implementation() != v1::IMPLEMENTATION_CPP) {
      subject->Condemn(Unavailable(
          "IMPLEMENTATION_UNSUPPORTED",
          absl::StrCat(subject->record().label(), " does not run on the device ",
                       bench_.device.id(), ", which takes plain C++ (.cpp)")));
      continue;
    }
    auto parsed = ParseSolve(sources_[subject.get()][0].content);
    if (const auto* problem = std::get_if<ParseProblem>(&parsed)) {
      const bool no_entry = problem->reason == "NO_ENTRY_POINT";
      subject->Condemn({no_entry ? v1::VERDICT_BUILD_FAILED : v1::VERDICT_INVALID_PROBLEM,
                        problem->reason, problem->message, {}});
      continue;
    }
    subject->signature = std::get<SolveSignature>(parsed);
  }
}

absl::Status Benchmark::LoadReference(ReferenceFacts& facts) {
  auto host = reference_->WaitReady();
  if (!host.ok()) return host.status();
  reference_host_ = *host;
  auto loaded = reference_->Load(reference_source_, spec_.problem().reference().path());
  if (!loaded.ok()) return loaded.status();
  if (const auto* invalid = std::get_if<InvalidProblem>(&*loaded)) {
    CondemnAll(subjects_, Invalid(*invalid));
  } else {
    facts = std::get<ReferenceFacts>(*loaded);
  }
  for (auto& subject : subjects_) {
    if (!subject->builtin() || !subject->alive()) continue;
    if (subject->spec().builtin() == v1::BUILTIN_BASELINE_EAGER) {
      const bool torch = reference_host_.framework.rfind("torch", 0) == 0;
      if (!torch) subject->record().set_label("NumPy");
    } else if (subject->spec().builtin() == v1::BUILTIN_BASELINE_TORCH_COMPILE &&
               !reference_host_.torch_compile) {
      subject->Condemn(Unavailable("TORCH_COMPILE_MISSING",
                                   absl::StrCat("torch.compile needs PyTorch >= 2; here the "
                                                "reference runs on ",
                                                reference_host_.framework)));
    } else if (subject->spec().builtin() == v1::BUILTIN_BASELINE_FLASHINFER &&
               !reference_host_.flashinfer) {
      subject->Condemn(Unavailable("FLASHINFER_MISSING", "FlashInfer is not installed here"));
    }
  }
  return absl::OkStatus();
}

// From the first baseline that is a solution, else from the candidate.
void Benchmark::Derive(const ReferenceFacts& facts) {
  const Subject* source = nullptr;
  for (const auto& subject : subjects_) {
    if (!subject->signature || !subject->alive()) continue;
    if (source == nullptr || (source->candidate() && !subject->candidate())) source = subject.get();
  }
  if (source == nullptr) return;
  auto derived = DeriveContract(*source->signature, source->candidate() ? "candidate" : "baseline",
                                facts, spec_.problem());
  if (const auto* invalid = std::get_if<InvalidProblem>(&derived)) {
    return CondemnAll(subjects_, Invalid(*invalid));
  }
  contract_ = std::get<Contract>(derived);
  for (auto& subject : subjects_) {
    if (!subject->signature || !subject->alive()) continue;
    if (auto mismatch = CheckSignature(*subject->signature, *contract_)) {
      subject->Condemn(Invalid(*mismatch));
    }
  }
}

absl::Status Benchmark::Prepare() {
  if (absl::Status s = ReadSources(); !s.ok()) return s;
  ParseSignatures();
  ReferenceFacts facts;
  if (absl::Status s = LoadReference(facts); !s.ok()) return s;
  Derive(facts);
  if (!contract_) {
    CondemnAll(subjects_, Unavailable("NO_SOLUTION", "no solution of this job can run, so nothing "
                                                     "says what to compute"));
  }
  return absl::OkStatus();
}

absl::Status Benchmark::BuildAll() {
  int done = 0;
  for (auto& subject : subjects_) {
    sink_.Progress(v1::STAGE_BUILD, done++, static_cast<int>(subjects_.size()),
                   subject->record().label());
    if (!subject->alive() || subject->builtin()) continue;
    if (sink_.Stopped()) return absl::CancelledError("stopped");
    const auto& flags = subject->spec().solution().flags();
    auto built = bench_.compiler.Build(sources_[subject.get()], {flags.begin(), flags.end()},
                                       [this](std::string_view text) { sink_.Log(text); });
    if (!built.ok()) return built.status();
    if (auto* problem = std::get_if<BuildProblem>(&*built)) {
      *subject->record().mutable_build() = problem->record;
      subject->Condemn({v1::VERDICT_BUILD_FAILED, problem->reason, problem->message, {}});
      continue;
    }
    Built& good = std::get<Built>(*built);
    *subject->record().mutable_build() = good.record;
    subject->object = std::move(good.object);
  }
  return absl::OkStatus();
}

absl::Status Benchmark::StartOwnReference(Subject& subject, Arena& arena) {
  auto own = Reference::Start(bench_.device, bench_.reference);
  if (!own.ok()) return own.status();
  if (auto host = (*own)->WaitReady(); !host.ok()) return host.status();
  auto loaded = (*own)->Load(reference_source_, spec_.problem().reference().path());
  if (!loaded.ok()) return loaded.status();
  auto mapped = (*own)->Map(arena);
  if (!mapped.ok()) return mapped.status();
  subject.SetReference(nullptr, *std::move(own), ModeOf(subject.spec().builtin()));
  return subject.StartServing();
}

absl::Status Benchmark::LoadSubjects(Arena& arena) {
  const auto timeout_us = static_cast<double>(
      google::protobuf::util::TimeUtil::DurationToMicroseconds(spec_.limits().call()));
  bool reference_taken = false;
  for (auto& subject : subjects_) {
    if (!subject->alive()) continue;
    if (!subject->builtin()) {
      if (absl::Status s = subject->Load(bench_.device, arena, bench_.runner, timeout_us); !s.ok()) {
        return s;
      }
    } else if (!reference_taken) {
      reference_taken = true;
      subject->SetReference(reference_.get(), nullptr, ModeOf(subject->spec().builtin()));
    } else if (absl::Status s = StartOwnReference(*subject, arena); !s.ok()) {
      return s;
    }
    if (subject->alive()) subject->StopWhen([this] { return sink_.Stopped(); });
  }
  return absl::OkStatus();
}

absl::Status Benchmark::TakeTurn(const std::function<void()>& turn_begun) {
  turn_begun();
  const PinnedTo pinned(bench_.device.judge_cpu());
  auto arena = Arena::Make(bench_.device, *contract_);
  if (!arena.ok()) {
    CondemnAll(subjects_, {v1::VERDICT_OUT_OF_MEMORY, "BUFFERS",
                           std::string(arena.status().message()), {}});
    return absl::OkStatus();
  }
  auto mapped = reference_->Map(**arena);
  if (!mapped.ok()) return mapped.status();
  if (const auto* invalid = std::get_if<InvalidProblem>(&*mapped)) {
    CondemnAll(subjects_, Invalid(*invalid));
    return absl::OkStatus();
  }
  Turn turn{bench_.device, sink_, spec_, **arena, *reference_, subjects_, clock_};
  turn.call_timeout_us = static_cast<double>(
      google::protobuf::util::TimeUtil::DurationToMicroseconds(spec_.limits().call()));
  const absl::Status status = MeasureIn(turn);
  contract_ = (*arena)->contract();  // roles are known now
  calibration_ = turn.calibration;
  return status;
}

absl::Status Benchmark::MeasureIn(Turn& turn) {
  clock_.Mark("allocate");
  if (absl::Status s = ExamineReference(turn); !s.ok()) return s;
  clock_.Mark("examine");
  if (absl::Status s = LoadSubjects(turn.arena); !s.ok()) return s;
  clock_.Mark("load");
  if (CountAlive(subjects_) == 0) return absl::OkStatus();
  if (absl::Status s = Calibrate(turn, bench_.runner); !s.ok()) return s;
  clock_.Mark("calibrate");
  if (absl::Status s = Verify(turn, seeds_); !s.ok()) return s;
  clock_.Mark("verify");
  if (CountAlive(subjects_) == 0) return absl::OkStatus();
  if (absl::Status s = Time(turn); !s.ok()) return s;
  if (absl::Status s = AuditCaptures(turn, rounds_); !s.ok()) return s;
  clock_.Mark("audit");
  return absl::OkStatus();
}

absl::Status Benchmark::Time(Turn& turn) {
  rounds_.pair_ratios.resize(subjects_.size());
  if (absl::Status s = StartServing(turn); !s.ok()) return s;
  if (absl::Status s = TimeRounds(turn, rounds_); !s.ok()) return s;
  clock_.Mark("time");
  std::vector<size_t> near;
  size_t candidate = 0;
  FreshNeeds needs;
  for (const Pairing& pairing : PairUp(rounds_, bench_.compare, subjects_)) {
    candidate = pairing.candidate;
    if (!WantInstances(pairing.pair)) continue;
    near.push_back(pairing.baseline);
    needs.round_sd = std::max(needs.round_sd, pairing.round_sd);
    needs.process_sd = std::max(needs.process_sd, pairing.noise.process_sd);
  }
  if (absl::Status s = TakeFreshPairs(turn, bench_.runner, candidate, near, needs, rounds_); !s.ok()) {
    return s;
  }
  clock_.Mark("fresh pairs");
  return StopServing(turn);
}

void Benchmark::FillConditions(v1::Conditions& out) const {
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
  out.set_reference_framework(support::ValidUtf8(reference_host_.framework));
}

v1::JobResult Benchmark::Result() {
  v1::JobResult result;
  result.set_protocol("kopt-1");
  rounds_.samples.resize(subjects_.size());
  rounds_.pair_ratios.resize(subjects_.size());
  RecordTimings(rounds_, calibration_, {}, subjects_);
  RecordComparisons(rounds_, bench_.compare, subjects_, result);
  FillConditions(*result.mutable_conditions());
  if (contract_) RecordContract(*contract_, *result.mutable_contract());
  for (auto& subject : subjects_) *result.add_subjects() = subject->record();
  for (const uint64_t seed : seeds_) result.add_draw_seeds(seed);
  const auto phase = [&](const std::string& name, double seconds) {
    v1::Phase* out = result.add_phases();
    out->set_name(name);
    out->set_seconds(seconds);
  };
  for (const auto& [name, seconds] : clock_.phases()) phase(name, seconds);
  phase("time.fill", rounds_.fill_s);
  phase("time.calls", rounds_.calls_s);
  double evict_s = 0;
  for (const auto& subject : subjects_) evict_s += subject->evict_s();
  phase("evict", evict_s);
  *result.mutable_finish_time() = google::protobuf::util::TimeUtil::MicrosecondsToTimestamp(
      support::Clock::Real().WallUs());
  return result;
}

}  // namespace

absl::StatusOr<v1::JobResult> RunBenchmark(const v1::JobSpec& spec, Bench& bench, const Fetch& fetch,
                                           std::unique_ptr<Reference> spare, JobSink& sink,
                                           const std::function<void()>& turn_begun) {
  return Benchmark(spec, bench, fetch, sink).Run(std::move(spare), turn_begun);
}

}  // namespace kernelopt::worker
