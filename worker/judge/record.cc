#include "judge/record.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "measure/sample.h"
#include "measure/stats.h"
#include "support/ids.h"

namespace kernelopt::worker {
namespace {

// More than this many stamps outside the judge's window are no accident of a
// clock.
constexpr int kImpossibleAllowed = 2;
// A call may seem faster than one of many behind each other by this much: the
// errors of two clocks, and a clock of the device that sinks under load.
constexpr double kBelowBound = 0.02;
// So far below it no cache explains it. (One that solve() set aside for what persists
// is smaller for calls behind each other: 0.85 on an H200.)
constexpr double kHidesWork = 0.75;
// Below this share of the floor a time is not believed.
constexpr double kBelowFloor = 0.85;
// Where solve() itself takes so much of a back-to-back call, the CPU limits it.
constexpr double kLaunchShare = 0.9;

void FillTiming(const Series& series, double within_us, double inner_us, const Calibration& calibration,
                const RecordRule& rule, v1::Timing& timing) {
  const std::vector<double> kept = Kept(series.us);
  const Summary s = Summarize(kept);
  timing.set_method(rule.events ? "cuda_event" : "host_time");
  for (const double us : kept) timing.add_samples_us(us);
  timing.set_median_us(s.median);
  timing.set_median_low_us(s.median_low);
  timing.set_median_high_us(s.median_high);
  timing.set_mean_us(s.mean);
  timing.set_std_us(s.std);
  timing.set_min_us(s.min);
  timing.set_max_us(s.max);
  timing.set_p20_us(s.p20);
  timing.set_p80_us(s.p80);
  timing.set_dropped(series.dropped);
  timing.set_billed(series.billed);
  timing.set_inner_median_us(inner_us);
  timing.set_effective_samples(EffectiveSize(kept));
  timing.set_timer_step_us(TimerStep(kept));
  const double width = s.median > 0 ? (s.median_high - s.median_low) / s.median : 1;
  const bool steady = width <= rule.unstable_above && timing.timer_step_us() <= rule.unstable_above * s.median;
  timing.set_stability(steady ? v1::STABILITY_STABLE : v1::STABILITY_UNSTABLE);
  const double apart = std::fabs(within_us - inner_us);
  const double band = std::max(calibration.band_us, 0.01 * s.median);
  timing.set_witness(!series.unwitnessed && apart <= band ? v1::WITNESS_WITNESSED
                                                          : v1::WITNESS_UNWITNESSED);
}

double DroppedShare(const Series& series, bool events) {
  const int counted = events ? series.late + series.slowed : series.dropped;
  return series.called > 0 ? static_cast<double>(counted) / series.called : 0;
}

Finding ForgedStamps(int impossible, int called) {
  return {v1::VERDICT_INTEGRITY_VIOLATION,
          "TIME_FORGED",
          "the runner's time stamps were changed: they lie before the judge said go or after it "
          "saw the end",
          {absl::StrCat(impossible, " of ", called,
                        " calls have stamps outside the judge's window on the same clock")}};
}

// Whoever has the GPU at work whenever it is about to be called.
bool BeginsEarly(const Series& series) { return 2 * series.early > series.called; }

// What the same work costs when nothing can hide; 0: not known. The batch was of
// the first process, which has its own luck.
double BoundUs(const v1::Timing& timing, const RecordRule& rule) {
  if (timing.batch_calls() == 0 || timing.launch_bound()) return 0;
  const double luck_us = timing.processes() > 1 ? 2 * rule.process_us : 0;
  return (1 - kBelowBound) * timing.back_to_back_us() - rule.write_back_us - luck_us;
}

Finding HiddenWork(const v1::Timing& timing) {
  return {v1::VERDICT_INTEGRITY_VIOLATION,
          "BELOW_BOUND",
          "work of a call escapes its events (another stream that is not joined, or a thread): launch it on the "
          "stream that solve() is given, or on the default stream",
          {absl::StrFormat("%.2f us between the events of one call; at least %.2f us per call of %d behind each other, on "
                           "the judge's clock", timing.median_us(), timing.back_to_back_us(), timing.batch_calls())}};
}

// Clock and cycles of the calls that count.
void FillCycles(std::span<const Sample> samples, const Series& series, v1::Timing& timing) {
  std::vector<double> mhz, cycles;
  for (size_t i = 0; i < samples.size(); ++i) {
    if (std::isnan(series.us[i]) || samples[i].clock_mhz <= 0) continue;
    mhz.push_back(samples[i].clock_mhz);
    cycles.push_back(series.us[i] * samples[i].clock_mhz);
  }
  timing.set_sm_clock_mhz(mhz.empty() ? 0 : Median(mhz));
  timing.set_median_cycles(cycles.empty() ? 0 : Median(cycles));
}

void FillBatch(const BackToBack& batch, v1::Timing& timing) {
  timing.set_batch_calls(batch.calls);
  timing.set_back_to_back_us(batch.us);
  timing.set_warm_us(batch.warm_us);
  timing.set_host_us(batch.host_us);
  timing.set_launch_bound(batch.calls > 0 && batch.host_us >= kLaunchShare * batch.us);
}

}  // namespace

void RecordTimings(const TimedRounds& rounds, const Calibration& calibration, const RecordRule& rule,
                   Subjects& subjects) {
  for (size_t i = 0; i < subjects.size(); ++i) {
    Subject& subject = *subjects[i];
    if (!subject.alive()) continue;
    const Series series = Screen(rounds.samples[i]);
    // Of the same calls, before anything was added for work beside the window.
    std::vector<double> inner, within;
    for (const Sample& sample : rounds.samples[i]) {
      inner.push_back(sample.inner_us);
      within.push_back(sample.within_us);
    }
    v1::Timing& timing = *subject.record().mutable_timing();
    FillTiming(series, Median(within), Median(inner), calibration, rule, timing);
    FillBatch(rounds.back_to_back[i], timing);
    FillCycles(rounds.samples[i], series, timing);
    timing.set_processes(subject.one_process() ? 1 : rounds.processes());
    timing.set_slowed(series.slowed);
    timing.set_floor_us(rule.floor_us);
    timing.set_flops_floor_us(rule.flops_floor_us);
    timing.set_suspect(timing.median_us() < kBelowFloor * rule.floor_us);
    // Calls of fresh processes are held to the same rules.
    const Series fresh = Screen(rounds.fresh[i]);
    if (fresh.unwitnessed) timing.set_witness(v1::WITNESS_UNWITNESSED);
    const double bound_us = BoundUs(timing, rule);
    if (timing.median_us() < bound_us) {
      timing.set_witness(v1::WITNESS_UNWITNESSED);
      subject.record().add_notes(absl::StrFormat("%.2f us between the events of one call, but %.2f us per call of many behind each other: either work "
                                                 "escapes the events, or the caches serve single calls better; so it is never FASTER",
                                                 timing.median_us(), timing.back_to_back_us()));
    }
    const double share = std::max(DroppedShare(series, rule.events), DroppedShare(fresh, rule.events));
    if (series.impossible + fresh.impossible > kImpossibleAllowed) {
      subject.Condemn(ForgedStamps(series.impossible + fresh.impossible, series.called + fresh.called));
    } else if (!subject.builtin() && (BeginsEarly(series) || BeginsEarly(fresh))) {
      subject.Condemn(WorksBeforeCalls(series.early + fresh.early, series.called + fresh.called));
    } else if (share > rule.disturbed_above) {
      subject.Condemn({v1::VERDICT_DISTURBED, "DROPPED_SAMPLES",
                       absl::StrFormat("%d of %d samples were disturbed by other work on this "
                                       "machine; try again when it is quieter",
                                       series.dropped + fresh.dropped, series.called + fresh.called),
                       {absl::StrFormat("on %d of them the two clocks differ; on %d the device was busy when the call had ended; "
                                        "on %d its hardware held the clock down (heat or power)",
                                        series.dropped + fresh.dropped - series.late - fresh.late - series.slowed - fresh.slowed,
                                        series.late + fresh.late, series.slowed + fresh.slowed)}});
    } else if (timing.median_us() < kHidesWork * bound_us) {
      subject.Condemn(HiddenWork(timing));
    } else {
      subject.Condemn({v1::VERDICT_CORRECT, "", "", {}});
    }
  }
}

Finding WorksBeforeCalls(int early, int calls) {
  return {v1::VERDICT_INTEGRITY_VIOLATION,
          "NOT_IDLE",
          "the process has the GPU at work before solve() is called (a thread of its own?): launch everything inside solve()",
          {absl::StrFormat("before %d of %d calls a kernel of the judge that does nothing was delayed", early, calls)}};
}

void RecordContract(const Contract& contract, const Oracle& oracle, const Reference::Work& work,
                    v1::Contract& out) {
  out.set_oracle(oracle.used ? "float64" : "reference");
  if (!oracle.used) out.set_oracle_message(support::ValidUtf8(oracle.message));
  out.set_tf32(contract.tf32);
  out.set_flops(work.flops);
  out.set_bytes(work.bytes);
  out.set_contract_from(contract.contract_from);
  out.set_atol(contract.atol);
  out.set_rtol(contract.rtol);
  out.set_tolerance_from(contract.tolerance_from);
  out.set_ptr_size(contract.ptr_size);
  for (const Parameter& p : contract.parameters) {
    v1::ContractParameter* parameter = out.add_parameters();
    parameter->set_name(p.name);
    parameter->set_role(RoleName(p.role));
    const Layout layout = p.problem_layout();
    parameter->set_dtype(p.type_name());
    parameter->set_c_type(p.c_type);
    for (const int64_t extent : layout.shape) parameter->add_shape(extent);
    for (const int64_t stride : layout.strides) parameter->add_strides(stride);
    if (p.tensor()) parameter->set_alignment(p.alignment);
    if (p.output()) {
      parameter->set_compare(CompareName(p.compare.kind));
      parameter->set_atol(p.atol);
      parameter->set_rtol(p.rtol);
    } else if (p.tensor() && p.role != TensorRole::kScratch) {
      parameter->set_init(InitName(p.init.kind));
    }
    if (!p.tensor()) parameter->set_scalar(p.real_value);
  }
}

}  // namespace kernelopt::worker
