#include "judge/workload_run.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/time_util.h"
#include "judge/record.h"
#include "measure/stats.h"
#include "support/clock.h"
#include "support/ids.h"

namespace kernelopt::worker {
namespace {

std::string ModeOf(const v1::SubjectSpec& spec) {
  switch (spec.builtin()) {
    case v1::BUILTIN_BASELINE_TORCH_COMPILE:
      return absl::StrCat("torch-compile:", spec.compile_mode().empty() ? "default" : spec.compile_mode());
    case v1::BUILTIN_BASELINE_FLASHINFER:
      return "flashinfer";
    case v1::BUILTIN_BASELINE_LIBRARY:
      return "library";
    default:
      return "eager";
  }
}

class Run {
 public:
  Run(const v1::JobSpec& spec, const JobPlan& plan, const WorkloadPlan& workload, Bench& bench,
      Reference& reference, Subjects& subjects, JobSink& sink, PhaseClock& clock)
      : spec_(spec), plan_(plan), workload_(workload), bench_(bench), reference_(reference),
        subjects_(subjects), sink_(sink), clock_(clock),
        timeout_us_(static_cast<double>(
            google::protobuf::util::TimeUtil::DurationToMicroseconds(spec.limits().call()))) {}

  absl::StatusOr<WorkloadFound> Take() {
    found_.result.set_name(workload_.name);
    found_.result.set_weight(workload_.weight);
    contract_ = workload_.contract;
    if (absl::Status s = OnTheDevice(); !s.ok()) return s;
    rounds_.samples.resize(subjects_.size());
    rounds_.pair_ratios.resize(subjects_.size());
    rounds_.fresh.resize(subjects_.size());
    rounds_.back_to_back.resize(subjects_.size());
    RecordTimings(rounds_, found_.calibration, rule_, subjects_);
    RecordComparisons(rounds_, bench_.compare, subjects_, found_.result);
    for (const uint64_t nonce : rounds_.nonces) found_.result.add_call_nonces(nonce);
    KeepRunner();
    if (!workload_.hidden) RecordContract(contract_, oracle_, work_, *found_.result.mutable_contract());
    clock_.Add("time.fill", rounds_.fill_s);
    clock_.Add("time.calls", rounds_.calls_s);
    clock_.Add("time.guard", rounds_.guard_s);
    for (const auto& subject : subjects_) clock_.Add("evict", subject->evict_s());
    return std::move(found_);
  }

 private:
  absl::Status OnTheDevice() {
    if (absl::Status s = bench_.device.WaitQuiet(bench_.busy_seconds); !s.ok()) {
      CondemnAll(subjects_, {v1::VERDICT_DISTURBED, "DEVICE_BUSY", std::string(s.message()), {}});
      return absl::OkStatus();
    }
    clock_.Mark("wait");
    auto arena = Arena::Make(bench_.device, contract_, static_cast<int>(subjects_.size()));
    if (arena.ok() && (*arena)->audits_at_once() && HasBuiltin()) {
      // It serves while the others are timed, and cannot compute expected values then.
      arena = absl::ResourceExhaustedError("no room for the audit's copies of outputs; leave out the built-in baselines (--baselines=none) or use smaller dims");
    }
    if (!arena.ok()) {
      CondemnAll(subjects_, {v1::VERDICT_OUT_OF_MEMORY, "BUFFERS", std::string(arena.status().message()), {}});
      return absl::OkStatus();
    }
    clock_.Mark("allocate");
    const auto mapped = reference_.Map(**arena, workload_.problem);
    if (!mapped.ok()) return mapped.status();
    if (const auto* invalid = std::get_if<InvalidProblem>(&*mapped)) {
      CondemnAll(subjects_, FindingOf(*invalid));
      return absl::OkStatus();
    }
    work_ = std::get<Reference::Work>(*mapped);
    rule_.events = bench_.device.clock() == Clock::kEvents;
    rule_.flops_floor_us = FlopsFloorUs();
    rule_.floor_us = std::max(FloorUs(), rule_.flops_floor_us);
    rule_.process_us = bench_.compare.process_noise_us;
    rule_.write_back_us = bench_.device.WriteBackUs((*arena)->capture_bytes());
    Inputs inputs(**arena, reference_, plan_.files);
    Turn turn{bench_.device, sink_, spec_, **arena, inputs, reference_, subjects_, clock_};
    turn.call_timeout_us = timeout_us_;
    turn.oracle.seconds = bench_.oracle_seconds;
    absl::Status status = Measure(turn);
    if (absl::IsResourceExhausted(status)) {
      CondemnAll(subjects_, {v1::VERDICT_OUT_OF_MEMORY, "BUFFERS",
                             absl::StrCat("buffers, copies for the audit and what the reference needs do not fit together: ",
                                          std::string(status.message()), "; use smaller dims"), {}});
      status = absl::OkStatus();
    }
    contract_ = (*arena)->contract();  // roles are known now
    oracle_ = turn.oracle;
    found_.calibration = turn.calibration;
    return status;
  }

  // For the next candidate of the same run, unless anything was odd about this one.
  void KeepRunner() {
    for (auto& subject : subjects_) {
      const v1::SubjectResult& record = subject->record();
      const bool good = record.verdict() == v1::VERDICT_CORRECT && record.timing().witness() == v1::WITNESS_WITNESSED;
      if (bench_.run.empty() || !subject->candidate() || !good) continue;
      if (auto runner = subject->GiveUpRunner()) bench_.spares->KeepUsed(bench_.run, std::move(runner));
    }
  }

  bool HasBuiltin() const {
    return std::any_of(subjects_.begin(), subjects_.end(), [](const auto& s) { return s->builtin(); });
  }

  double FloorUs() const {
    int64_t dense = 0, written = 0;
    for (const Parameter& p : contract_.parameters) {
      const int64_t bytes = p.elements() * static_cast<int64_t>(SizeOf(p.dtype));  // gaps need not be read
      if (p.tensor() && p.dense && !p.writable()) dense += bytes;
      if (p.output()) written += bytes;
    }
    return dense > 0 ? bench_.device.FloorUs(dense, written) : 0;
  }

  // By the fastest type among the tensors. 0 where most of the input is of a type
  // without a rate: it may be packed.
  double FlopsFloorUs() const {
    if (work_.flops <= 0) return 0;
    double floor_us = 0, of_largest = 0;
    int64_t largest = 0;
    for (const Parameter& p : contract_.parameters) {
      if (!p.tensor() || p.role == TensorRole::kScratch) continue;
      const double us = bench_.device.FlopsFloorUs(work_.flops, p.dtype);
      if (us > 0 && (floor_us == 0 || us < floor_us)) floor_us = us;
      if (p.role == TensorRole::kOut || p.bytes() <= largest) continue;
      largest = p.bytes();
      of_largest = us;
    }
    return of_largest > 0 ? floor_us : 0;
  }

  absl::Status Measure(Turn& turn) {
    clock_.Mark("map");
    found_.static_seed = support::RandomU64();
    if (absl::Status s = ExamineReference(turn, found_.static_seed); !s.ok()) return s;
    clock_.Mark("examine");
    if (CountAlive(subjects_) == 0) return absl::OkStatus();
    if (absl::Status s = LoadSubjects(turn.arena); !s.ok()) return s;
    clock_.Mark("load");
    if (CountAlive(subjects_) == 0) return absl::OkStatus();
    if (absl::Status s = Calibrate(turn, *bench_.spares); !s.ok()) return s;
    clock_.Mark("calibrate");
    Verified verified;
    bench_.spares->RefillPython();
    const absl::Status status = Verify(turn, verified);
    bench_.spares->SettlePython();
    found_.draw_seeds = verified.seeds;
    for (const v1::Lint& lint : verified.lint) *found_.result.add_lint() = lint;
    if (!status.ok()) return status;
    clock_.Mark("verify");
    if (CountAlive(subjects_) == 0) return absl::OkStatus();
    if (absl::Status s = Time(turn); !s.ok()) return s;
    found_.health = bench_.device.Health();
    bench_.spares->Refill();  // nothing is timed any more
    if (absl::Status s = AuditCaptures(turn, rounds_); !s.ok()) return s;
    clock_.Mark("audit");
    return absl::OkStatus();
  }

  // The main reference serves one baseline, unless it has inputs to make
  // meanwhile; the others have processes of their own.
  absl::Status LoadSubjects(Arena& arena) {
    bool taken = contract_.make_inputs;
    for (auto& subject : subjects_) {
      if (!subject->alive()) continue;
      if (subject->python) {
        if (absl::Status s = subject->LoadPython(arena, workload_.problem, timeout_us_); !s.ok()) return s;
      } else if (!subject->builtin()) {
        if (absl::Status s = subject->Load(arena, *bench_.spares, timeout_us_, bench_.run); !s.ok()) return s;
      } else if (const bool compiles = subject->spec().builtin() != v1::BUILTIN_BASELINE_EAGER; !taken && !compiles) {
        taken = true;
        subject->SetReference(&reference_, nullptr, ModeOf(subject->spec()));
      } else if (absl::Status s = StartOwnReference(*subject, compiles); !s.ok()) {
        return s;
      }
      if (subject->alive()) subject->StopWhen([this] { return sink_.Stopped(); });
    }
    return absl::OkStatus();
  }

  absl::Status StartOwnReference(Subject& subject, bool compiles) {
    auto own = reference_.Another(compiles);
    if (!own.ok()) return own.status();
    subject.SetReference(nullptr, *std::move(own), ModeOf(subject.spec()));
    const double begin = support::MonotonicSeconds();
    const absl::Status served = subject.StartServing();
    subject.record().set_prepare_us((support::MonotonicSeconds() - begin) * 1e6);  // compilers, plan()
    if (!absl::IsFailedPrecondition(served)) return served;
    subject.Condemn({v1::VERDICT_RUNTIME_ERROR, "EXCEPTION", std::string(served.message()), {}});
    return absl::OkStatus();
  }

  absl::Status Time(Turn& turn) {
    rounds_.pair_ratios.resize(subjects_.size());
    if (absl::Status s = StartServing(turn); !s.ok()) return s;
    if (absl::Status s = TimeRounds(turn, rounds_); !s.ok()) return s;
    clock_.Mark("time");
    if (absl::Status s = TakeBackToBack(turn, rounds_); !s.ok()) return s;
    clock_.Mark("back to back");
    if (absl::Status s = TakeProcesses(turn, *bench_.spares, Processes(turn), rounds_); !s.ok()) return s;
    clock_.Mark("processes");
    if (absl::Status s = FreshPairs(turn); !s.ok()) return s;
    clock_.Mark("fresh pairs");
    return StopServing(turn);
  }

  absl::Status FreshPairs(Turn& turn) {
    std::vector<size_t> near;
    size_t candidate = 0;
    FreshNeeds needs;
    for (const Pairing& pairing : PairUp(rounds_, bench_.compare, subjects_)) {
      candidate = pairing.candidate;
      if (!WantInstances(pairing.pair) && !bench_.compare.always_fresh) continue;
      near.push_back(pairing.baseline);
      needs.round_sd = std::max(needs.round_sd, pairing.round_sd);
      needs.process_sd = std::max(needs.process_sd, pairing.noise.process_sd);
    }
    return TakeFreshPairs(turn, *bench_.spares, candidate, near, needs, rounds_);
  }

  // An exact number of trials is taken of one process.
  int Processes(const Turn& turn) const {
    if (turn.device.clock() != Clock::kEvents || spec_.measure().num_trials() > 0) return 1;
    double shortest = std::numeric_limits<double>::infinity(), start_us = 0;
    for (size_t i = 0; i < subjects_.size(); ++i) {
      if (!subjects_[i]->alive() || subjects_[i]->one_process()) continue;
      start_us += subjects_[i]->python ? std::max(kPythonStartUs, 1e6 * subjects_[i]->restart_s()) : kStartUs;
      shortest = std::min(shortest, Median(Kept(Screen(rounds_.samples[i]).us)));
    }
    if (start_us == 0) return 1;
    const int most = MostProcesses(rounds_.round_us, start_us);
    const double of_one = bench_.compare.process_noise_us / std::sqrt(2);
    int processes = ProcessesFor(of_one, shortest, most);
    for (const Pairing& pairing : PairUp(rounds_, bench_.compare, subjects_)) {
      const double process_sd = ProcessSd(pairing.noise.process_sd, most, pairing.fresh_sides);
      if (MightDecide(pairing.pair, pairing.rule, process_sd)) processes = most;
    }
    return processes;
  }

  const v1::JobSpec& spec_;
  const JobPlan& plan_;
  const WorkloadPlan& workload_;
  Bench& bench_;
  Reference& reference_;
  Subjects& subjects_;
  JobSink& sink_;
  PhaseClock& clock_;
  const double timeout_us_;
  Contract contract_;
  Oracle oracle_;
  Reference::Work work_;
  TimedRounds rounds_;
  RecordRule rule_;
  WorkloadFound found_;
};

}  // namespace

absl::StatusOr<WorkloadFound> RunWorkload(const v1::JobSpec& spec, const JobPlan& plan,
                                          const WorkloadPlan& workload, Bench& bench,
                                          Reference& reference, Subjects& subjects, JobSink& sink,
                                          PhaseClock& clock) {
  return Run(spec, plan, workload, bench, reference, subjects, sink, clock).Take();
}

}  // namespace kernelopt::worker
