#include "judge/workload_run.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/time_util.h"
#include "judge/record.h"
#include "support/ids.h"

namespace kernelopt::worker {
namespace {

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
    if (!workload_.hidden) RecordContract(contract_, oracle_, work_, *found_.result.mutable_contract());
    clock_.Add("time.fill", rounds_.fill_s);
    clock_.Add("time.calls", rounds_.calls_s);
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
    const absl::Status status = Verify(turn, verified);
    found_.draw_seeds = verified.seeds;
    for (const v1::Lint& lint : verified.lint) *found_.result.add_lint() = lint;
    if (!status.ok()) return status;
    clock_.Mark("verify");
    if (CountAlive(subjects_) == 0) return absl::OkStatus();
    if (absl::Status s = Time(turn); !s.ok()) return s;
    bench_.spares->Refill();  // nothing is timed any more
    if (absl::Status s = AuditCaptures(turn, rounds_); !s.ok()) return s;
    clock_.Mark("audit");
    return absl::OkStatus();
  }

  // The main reference serves one baseline, unless it has inputs to make
  // meanwhile; the others have processes of their own.
  absl::Status LoadSubjects(Arena& arena) {
    bool reference_taken = contract_.make_inputs;
    for (auto& subject : subjects_) {
      if (!subject->alive()) continue;
      if (!subject->builtin()) {
        if (absl::Status s = subject->Load(arena, *bench_.spares, timeout_us_); !s.ok()) return s;
      } else if (!reference_taken) {
        reference_taken = true;
        subject->SetReference(&reference_, nullptr, ModeOf(subject->spec().builtin()));
      } else if (absl::Status s = StartOwnReference(*subject); !s.ok()) {
        return s;
      }
      if (subject->alive()) subject->StopWhen([this] { return sink_.Stopped(); });
    }
    return absl::OkStatus();
  }

  absl::Status StartOwnReference(Subject& subject) {
    auto own = reference_.Another();
    if (!own.ok()) return own.status();
    subject.SetReference(nullptr, *std::move(own), ModeOf(subject.spec().builtin()));
    return subject.StartServing();
  }

  absl::Status Time(Turn& turn) {
    rounds_.pair_ratios.resize(subjects_.size());
    if (absl::Status s = StartServing(turn); !s.ok()) return s;
    if (absl::Status s = TimeRounds(turn, rounds_); !s.ok()) return s;
    clock_.Mark("time");
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
    if (absl::Status s = TakeFreshPairs(turn, *bench_.spares, candidate, near, needs, rounds_); !s.ok()) {
      return s;
    }
    clock_.Mark("fresh pairs");
    if (absl::Status s = TakeBackToBack(turn, rounds_); !s.ok()) return s;
    clock_.Mark("back to back");
    return StopServing(turn);
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
