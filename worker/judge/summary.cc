#include "judge/summary.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace kernelopt::worker {
namespace {

// Worst first.
constexpr std::array<v1::Verdict, 10> kSeverity = {
    v1::VERDICT_INTEGRITY_VIOLATION, v1::VERDICT_INCORRECT,       v1::VERDICT_RUNTIME_ERROR,
    v1::VERDICT_KERNEL_TIMEOUT,      v1::VERDICT_OUT_OF_MEMORY,   v1::VERDICT_INVALID_PROBLEM,
    v1::VERDICT_BUILD_FAILED,        v1::VERDICT_UNAVAILABLE,     v1::VERDICT_DISTURBED,
    v1::VERDICT_CORRECT};

size_t RankOf(v1::Verdict verdict) {
  return static_cast<size_t>(std::find(kSeverity.begin(), kSeverity.end(), verdict) - kSeverity.begin());
}

// Weighted mean of logarithms, taken back.
class GeometricMean {
 public:
  void Add(double value, double weight) {
    possible_ = possible_ && value > 0;
    sum_ += weight * std::log(std::max(value, 1e-300));
    weight_ += weight;
  }
  double Value() const { return possible_ && weight_ > 0 ? std::exp(sum_ / weight_) : 0; }

 private:
  double sum_ = 0, weight_ = 0;
  bool possible_ = true;
};

v1::Timing TimingOf(const v1::JobResult& result, int subject) {
  v1::Timing timing;
  GeometricMean median, low, high, inner;
  timing.set_stability(v1::STABILITY_STABLE);
  timing.set_witness(v1::WITNESS_WITNESSED);
  for (const v1::WorkloadResult& workload : result.workloads()) {
    const v1::Timing& t = workload.subjects(subject).timing();
    timing.set_method(t.method());
    median.Add(t.median_us(), workload.weight());
    low.Add(t.median_low_us(), workload.weight());
    high.Add(t.median_high_us(), workload.weight());
    inner.Add(t.inner_median_us(), workload.weight());
    timing.set_dropped(timing.dropped() + t.dropped());
    timing.set_billed(timing.billed() + t.billed());
    if (t.stability() != v1::STABILITY_STABLE) timing.set_stability(t.stability());
    if (t.witness() != v1::WITNESS_WITNESSED) timing.set_witness(t.witness());
    timing.set_suspect(timing.suspect() || t.suspect());
  }
  timing.set_median_us(median.Value());
  timing.set_median_low_us(low.Value());
  timing.set_median_high_us(high.Value());
  timing.set_inner_median_us(inner.Value());
  return timing;
}

v1::SubjectResult SubjectOf(const v1::JobResult& result, int subject) {
  const v1::WorkloadResult* worst = &result.workloads(0);
  bool timed = true;
  int draws = 0, audited = 0;
  for (const v1::WorkloadResult& workload : result.workloads()) {
    const v1::SubjectResult& s = workload.subjects(subject);
    if (RankOf(s.verdict()) < RankOf(worst->subjects(subject).verdict())) worst = &workload;
    timed = timed && s.has_timing();
    draws += s.draws();
    audited += s.audited_calls();
  }
  v1::SubjectResult out = worst->subjects(subject);
  if (out.verdict() != v1::VERDICT_CORRECT && !out.message().empty()) {
    out.set_message(absl::StrCat("workload ", worst->name(), ": ", out.message()));
  }
  out.set_draws(draws);
  out.set_audited_calls(audited);
  out.clear_timing();
  if (timed) *out.mutable_timing() = TimingOf(result, subject);
  return out;
}

v1::Comparison ComparisonOf(const CompareOptions& options, const v1::JobResult& result, int index) {
  std::vector<WeightedPair> pairs;
  v1::Comparison out = result.workloads(0).comparisons(index);
  out.clear_log_ratios();
  CompareRule rule{.noise_floor = 0, .same_within = options.same_within};
  std::string missing;
  int runs = out.noise_runs();
  for (const v1::WorkloadResult& workload : result.workloads()) {
    const v1::Comparison& c = workload.comparisons(index);
    rule.noise_floor = std::max(rule.noise_floor, c.noise_floor());
    rule.alpha = std::max(c.alpha(), 1e-9);
    runs = std::min(runs, c.noise_runs());
    bool decided = c.outcome() != v1::OUTCOME_INCONCLUSIVE || c.blocks() >= kMinBlocks;
    // FASTER by its interval, and yet withheld (SUSPECT, launch-bound...).
    decided = decided && !(c.outcome() == v1::OUTCOME_INCONCLUSIVE && c.speedup_low() > 1 + c.noise_floor());
    // What the clocks did not agree on in one workload counts in none.
    for (const v1::SubjectResult& s : workload.subjects()) {
      const bool takes_part = s.id() == c.candidate() || s.id() == c.baseline();
      decided = decided && !(takes_part && s.timing().witness() == v1::WITNESS_UNWITNESSED);
    }
    if (!decided && missing.empty()) missing = absl::StrCat("workload ", workload.name(), ": ", c.message());
    pairs.push_back({workload.weight(), c.speedup(), c.speedup_low(), c.speedup_high(), c.blocks()});
  }
  out.set_noise_runs(runs);
  const Pair pair = missing.empty() ? CombinePairs(pairs, rule) : Pair{};
  out.set_outcome(pair.outcome);
  out.set_speedup(pair.speedup);
  out.set_speedup_low(pair.low);
  out.set_speedup_high(pair.high);
  out.set_blocks(pair.blocks);
  out.set_noise_floor(rule.noise_floor);
  out.set_message(missing.empty() ? pair.message : missing);
  return out;
}

}  // namespace

void SummariseWorkloads(const CompareOptions& options, v1::JobResult& result) {
  const v1::WorkloadResult& first = result.workloads(0);
  for (int i = 0; i < first.subjects_size(); ++i) *result.add_subjects() = SubjectOf(result, i);
  for (int i = 0; i < first.comparisons_size(); ++i) {
    *result.add_comparisons() = ComparisonOf(options, result, i);
  }
}

}  // namespace kernelopt::worker
