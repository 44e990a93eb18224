#include "judge/record.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "measure/compare.h"
#include "measure/stats.h"

namespace kernelopt::worker {
namespace {

std::vector<double> Kept(const std::vector<double>& samples) {
  std::vector<double> kept;
  for (const double us : samples) {
    if (!std::isnan(us)) kept.push_back(us);
  }
  return kept;
}

void FillTiming(const TimedRounds& rounds, size_t index, const Calibration& calibration,
                const RecordRule& rule, v1::Timing& timing) {
  const std::vector<double> kept = Kept(rounds.net_us[index]);
  const Summary s = Summarize(kept);
  timing.set_method("host_time");
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
  timing.set_dropped(rounds.dropped[index]);
  timing.set_inner_median_us(Median(rounds.inner_us[index]));
  const double width = s.median > 0 ? (s.median_high - s.median_low) / s.median : 1;
  timing.set_stability(width <= rule.unstable_above ? v1::STABILITY_STABLE : v1::STABILITY_UNSTABLE);
  const double apart = std::fabs(s.median - timing.inner_median_us());
  const double band = std::max(calibration.band_us, 0.01 * s.median);
  timing.set_witness(apart <= band ? v1::WITNESS_WITNESSED : v1::WITNESS_UNWITNESSED);
}

std::string WhyNotCompared(const v1::SubjectResult& subject) {
  return absl::StrCat(subject.label(), " is ", v1::Verdict_Name(subject.verdict()).substr(8),
                      subject.reason().empty() ? "" : " (", subject.reason(),
                      subject.reason().empty() ? "" : ")", ", so there is nothing to compare");
}

void Compare(const TimedRounds& rounds, const RecordRule& rule, int pairs, size_t candidate,
             size_t baseline, const Subjects& subjects, v1::Comparison& out) {
  const v1::SubjectResult& c = subjects[candidate]->record();
  const v1::SubjectResult& b = subjects[baseline]->record();
  out.set_candidate(c.id());
  out.set_baseline(b.id());
  out.set_alpha(AlphaForPairs(rule.alpha, pairs));
  out.set_noise_floor(rule.noise_floor);
  out.set_outcome(v1::OUTCOME_INCONCLUSIVE);
  for (const v1::SubjectResult* side : {&c, &b}) {
    if (side->verdict() != v1::VERDICT_CORRECT) {
      out.set_message(WhyNotCompared(*side));
      return;
    }
  }
  const std::vector<double> ratios = BlockLogRatios(rounds.net_us[baseline], rounds.net_us[candidate]);
  const Pair pair = ComparePair(ratios, {out.alpha(), rule.noise_floor});
  out.set_outcome(pair.outcome);
  out.set_speedup(pair.speedup);
  out.set_speedup_low(pair.low);
  out.set_speedup_high(pair.high);
  out.set_blocks(pair.blocks);
  out.set_message(pair.message);
  const bool witnessed = c.timing().witness() == v1::WITNESS_WITNESSED &&
                         b.timing().witness() == v1::WITNESS_WITNESSED;
  if (!witnessed && pair.outcome != v1::OUTCOME_INCONCLUSIVE) {
    out.set_outcome(v1::OUTCOME_INCONCLUSIVE);
    out.set_message("judge's clock and runner's stamps disagree (UNWITNESSED)");
  }
}

const char* RoleName(TensorRole role) {
  switch (role) {
    case TensorRole::kIn: return "in";
    case TensorRole::kOut: return "out";
    case TensorRole::kInOut: return "inout";
    case TensorRole::kScalar: break;
  }
  return "scalar";
}

}  // namespace

void RecordTimings(const TimedRounds& rounds, const Calibration& calibration, const RecordRule& rule,
                   Subjects& subjects) {
  for (size_t i = 0; i < subjects.size(); ++i) {
    Subject& subject = *subjects[i];
    if (!subject.alive()) continue;
    FillTiming(rounds, i, calibration, rule, *subject.record().mutable_timing());
    const double all = static_cast<double>(rounds.net_us[i].size());
    const double share = all > 0 ? rounds.dropped[i] / all : 0;
    if (share > rule.disturbed_above) {
      subject.Condemn({v1::VERDICT_DISTURBED, "DROPPED_SAMPLES",
                       absl::StrFormat("%d of %.0f samples were disturbed by other work on this "
                                       "machine; try again when it is quieter",
                                       rounds.dropped[i], all),
                       {}});
      continue;
    }
    subject.Condemn({v1::VERDICT_CORRECT, "", "", {}});
  }
}

void RecordComparisons(const TimedRounds& rounds, const RecordRule& rule, const Subjects& subjects,
                       v1::JobResult& result) {
  size_t candidate = 0;
  int pairs = 0;
  for (size_t i = 0; i < subjects.size(); ++i) {
    if (subjects[i]->candidate()) {
      candidate = i;
    } else {
      ++pairs;
    }
  }
  for (size_t i = 0; i < subjects.size(); ++i) {
    if (i == candidate) continue;
    Compare(rounds, rule, pairs, candidate, i, subjects, *result.add_comparisons());
  }
}

void RecordContract(const Contract& contract, v1::Contract& out) {
  out.set_contract_from(contract.contract_from);
  out.set_atol(contract.atol);
  out.set_rtol(contract.rtol);
  out.set_tolerance_from(contract.tolerance_from);
  out.set_ptr_size(contract.ptr_size);
  for (const Parameter& p : contract.parameters) {
    v1::ContractParameter* parameter = out.add_parameters();
    parameter->set_name(p.name);
    parameter->set_role(RoleName(p.role));
    parameter->set_dtype(std::string(DTypeName(p.dtype)));
    parameter->set_c_type(p.c_type);
    for (const int64_t extent : p.shape) parameter->add_shape(extent);
    if (!p.tensor()) parameter->set_scalar(p.real_value);
  }
}

}  // namespace kernelopt::worker
