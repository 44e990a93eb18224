#include "judge/comparisons.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "measure/stats.h"

namespace kernelopt::worker {
namespace {

bool Comparable(const Subject& subject) {
  const v1::Verdict verdict = subject.record().verdict();
  // While the turn goes on nothing bad was found yet.
  return verdict == v1::VERDICT_CORRECT || verdict == v1::VERDICT_UNSPECIFIED;
}

std::string WhyNotCompared(const v1::SubjectResult& subject) {
  return absl::StrCat(subject.label(), " is ", v1::Verdict_Name(subject.verdict()).substr(8),
                      subject.reason().empty() ? "" : " (", subject.reason(),
                      subject.reason().empty() ? "" : ")", ", so there is nothing to compare");
}

// Back from blocks to one round; as if rounds were independent.
double RoundSd(const std::vector<double>& block_ratios, size_t rounds) {
  if (block_ratios.empty()) return 0;
  const double per_block = static_cast<double>(rounds) / static_cast<double>(block_ratios.size());
  return Summarize(block_ratios).std * std::sqrt(per_block);
}

// The ratios that decide, and how to read them.
struct Evidence {
  std::vector<double> ratios;
  CompareRule rule;
  bool usable = false;
};

// Blocks of each pair of processes; none reaches into the next one's calls.
void TakeBlocks(const TimedRounds& rounds, std::span<const double> theirs, std::span<const double> mine, Evidence& evidence) {
  for (size_t k = 0; k < rounds.process_begins.size(); ++k) {
    const size_t begin = rounds.process_begins[k];
    const size_t end = k + 1 < rounds.process_begins.size() ? rounds.process_begins[k + 1] : theirs.size();
    const auto blocks = BlockLogRatios(theirs.subspan(begin, end - begin), mine.subspan(begin, end - begin));
    if (blocks.empty()) continue;
    evidence.ratios.insert(evidence.ratios.end(), blocks.begin(), blocks.end());
    evidence.rule.process_blocks.push_back(blocks.size());
  }
}

Evidence EvidenceFor(const TimedRounds& rounds, const CompareOptions& options,
                     const Subjects& subjects, Pairing& pairing) {
  Evidence evidence;
  evidence.usable = Comparable(*subjects[pairing.candidate]) && Comparable(*subjects[pairing.baseline]);
  if (!evidence.usable) return evidence;
  const Series mine = Screen(rounds.samples[pairing.candidate]);
  const Series theirs = Screen(rounds.samples[pairing.baseline]);
  const double median_us = Median(Kept(theirs.us));
  pairing.noise = options.table->For(median_us, options.assumed);
  pairing.noise.process_sd = std::max(pairing.noise.process_sd, options.process_noise_us / std::max(median_us, 1e-3));
  pairing.fresh = rounds.pair_ratios[pairing.baseline].size() >= kMinBlocks;
  pairing.fresh_sides = (subjects[pairing.baseline]->one_process() ? 0 : 1) + (subjects[pairing.candidate]->one_process() ? 0 : 1);
  evidence.rule = {.noise_floor = pairing.noise.floor, .same_within = options.same_within};
  if (pairing.fresh) {
    evidence.ratios = rounds.pair_ratios[pairing.baseline];
    // A process that cannot be started afresh keeps half of the luck.
    evidence.rule.process_sd = pairing.noise.process_sd * std::sqrt((2 - pairing.fresh_sides) / 2.0);
  } else {
    TakeBlocks(rounds, theirs.us, mine.us, evidence);
    evidence.rule.process_sd = ProcessSd(pairing.noise.process_sd, rounds.processes(), pairing.fresh_sides);
    pairing.round_sd = RoundSd(evidence.ratios, theirs.us.size());
  }
  return evidence;
}

// Two batches whose launches the CPU limits differ by as much for no reason.
constexpr double kBatchNoise = 0.10;
// So much of a call can lie outside its events, while the GPU changes hands,
// without the judge's clock showing it; beside what the witness' band lets pass.
constexpr double kMayHideUs = 5;
// What two processes' batches differ by for no reason, per call.
constexpr double kBatchNoiseUs = 0.3;
// Of a gain that could be hidden work.
constexpr double kShownShare = 0.75;

// A candidate that the CPU limits hides its device time behind launches: it is as
// much faster as it is back to back too.
void DecideLaunchBound(double mine_us, double baseline_us, v1::Comparison& out) {
  const double ratio = baseline_us / std::max(mine_us, 1e-3);
  const std::string what = absl::StrFormat("launch-bound: %.2f us per call back to back, the baseline %.2f us", mine_us, baseline_us);
  if (ratio <= 1 + kBatchNoise) {
    out.set_outcome(v1::OUTCOME_INCONCLUSIVE);
    out.set_message(absl::StrCat(what, "; give the device more work per launch, or use larger dims"));
  } else if (ratio < out.speedup()) {
    out.set_speedup_low(std::min(out.speedup_low(), ratio / (1 + kBatchNoise)));
    out.set_speedup(ratio);
    out.set_speedup_high(std::min(out.speedup_high(), ratio));
    out.set_message(absl::StrFormat("%.3fx faster (%s)", ratio, what));
  }
}

// FASTER by less than what a call can hide has to show, three quarters of it at least,
// where nothing can be hidden, and is as much as shows there. By the medians or by the ratio that decided, since
// few calls that hide something move the one and not the other.
void DecideBackToBack(const v1::Timing& mine, const v1::Timing& theirs, double may_hide_us, v1::Comparison& out) {
  if (mine.batch_calls() == 0) return;
  const double mine_us = mine.back_to_back_us();
  const double baseline_us = theirs.batch_calls() > 0 ? theirs.back_to_back_us() : theirs.median_us();
  if (mine.launch_bound()) return DecideLaunchBound(mine_us, baseline_us, out);
  const double gain_us = std::max(theirs.median_us() - mine.median_us(), theirs.median_us() * (1 - 1 / out.speedup()));
  if (gain_us >= may_hide_us) return;
  if (baseline_us - mine_us >= kShownShare * gain_us - kBatchNoiseUs) {
    // Calls that are not ordered behind each other overlap in a batch: no more than shows there.
    const double shown = (baseline_us + kBatchNoiseUs) / std::max(mine_us, 1e-3);
    if (shown >= out.speedup()) return;
    out.set_message(absl::StrFormat("%.3fx faster: as much as calls behind each other show (%.2f us against %.2f us); one call alone seems %.3fx",
                                    shown, mine_us, baseline_us, out.speedup()));
    out.set_speedup_low(std::min(out.speedup_low(), shown));
    out.set_speedup(std::min(out.speedup(), shown));
    out.set_speedup_high(std::min(out.speedup_high(), shown));
    return;
  }
  out.set_outcome(v1::OUTCOME_INCONCLUSIVE);
  out.set_message(absl::StrFormat("one call is %.2f us faster, but of calls behind each other only %.2f us is left (%.2f us against %.2f us)",
                                  gain_us, baseline_us - mine_us, mine_us, baseline_us));
}

// Of a time that is suspect.
std::string Suspicion(const v1::Timing& timing) {
  if (timing.flops_floor_us() >= timing.floor_us()) {
    return absl::StrFormat("SUSPECT: %.2f us is less than this device needs for the operations that the problem's flops() says "
                           "(%.2f us); if some solution can do with fewer, let flops() count those",
                           timing.median_us(), timing.floor_us());
  }
  return absl::StrFormat("SUSPECT: %.2f us is less than this device needs to read the dense inputs (%.2f us); "
                         "if not all of them are needed, declare their \"access\" as \"sparse\"",
                         timing.median_us(), timing.floor_us());
}

}  // namespace

double ProcessSd(double of_a_pair, int processes, int fresh_sides) {
  const double share = 1.0 / processes;
  return of_a_pair * std::sqrt((2 - fresh_sides + fresh_sides * share) / 2);
}

std::vector<Pairing> PairUp(const TimedRounds& rounds, const CompareOptions& options,
                            const Subjects& subjects) {
  std::vector<Pairing> pairings;
  const auto candidate = static_cast<size_t>(
      std::find_if(subjects.begin(), subjects.end(), [](const auto& s) { return s->candidate(); }) -
      subjects.begin());
  std::vector<Evidence> evidence;
  std::vector<double> p_values;
  for (size_t i = 0; i < subjects.size(); ++i) {
    if (i == candidate) continue;
    pairings.push_back({.candidate = candidate, .baseline = i});
    evidence.push_back(EvidenceFor(rounds, options, subjects, pairings.back()));
    p_values.push_back(PairPValue(evidence.back().ratios, evidence.back().rule));
  }
  const std::vector<double> alphas = HolmAlphas(p_values, options.alpha);
  for (size_t k = 0; k < pairings.size(); ++k) {
    if (!evidence[k].usable) continue;
    evidence[k].rule.alpha = alphas[k];
    pairings[k].pair = ComparePair(evidence[k].ratios, evidence[k].rule);
    pairings[k].rule = evidence[k].rule;
    pairings[k].log_ratios = evidence[k].ratios;
  }
  return pairings;
}

void RecordComparisons(const TimedRounds& rounds, const CompareOptions& options,
                       const Subjects& subjects, v1::WorkloadResult& result) {
  for (const Pairing& pairing : PairUp(rounds, options, subjects)) {
    const v1::SubjectResult& c = subjects[pairing.candidate]->record();
    const v1::SubjectResult& b = subjects[pairing.baseline]->record();
    v1::Comparison& out = *result.add_comparisons();
    out.set_candidate(c.id());
    out.set_baseline(b.id());
    out.set_outcome(v1::OUTCOME_INCONCLUSIVE);
    const v1::SubjectResult* bad = c.verdict() != v1::VERDICT_CORRECT   ? &c
                                   : b.verdict() != v1::VERDICT_CORRECT ? &b
                                                                        : nullptr;
    if (bad != nullptr) {
      out.set_message(WhyNotCompared(*bad));
      continue;
    }
    const Pair& pair = pairing.pair;
    out.set_outcome(pair.outcome);
    out.set_speedup(pair.speedup);
    out.set_speedup_low(pair.low);
    out.set_speedup_high(pair.high);
    out.set_alpha(pair.alpha);
    out.set_blocks(pair.blocks);
    out.set_fresh_processes(pairing.fresh);
    out.set_process_pairs(pairing.fresh ? static_cast<int>(pairing.log_ratios.size()) : pairing.fresh_sides == 0 ? 1 : rounds.processes());
    out.set_noise_floor(pairing.noise.floor);
    out.set_noise_runs(pairing.noise.runs);
    out.set_message(pair.message);
    for (const double ratio : pairing.log_ratios) out.add_log_ratios(ratio);
    const bool witnessed = c.timing().witness() == v1::WITNESS_WITNESSED &&
                           b.timing().witness() == v1::WITNESS_WITNESSED;
    if (!witnessed && pair.outcome != v1::OUTCOME_INCONCLUSIVE) {
      out.set_outcome(v1::OUTCOME_INCONCLUSIVE);
      out.set_message("UNWITNESSED: the judge's clock does not confirm the time of a call (the subjects' notes may say why)");
    } else if (pair.outcome == v1::OUTCOME_FASTER && c.timing().suspect()) {
      out.set_outcome(v1::OUTCOME_INCONCLUSIVE);
      out.set_message(Suspicion(c.timing()));
    } else if (pair.outcome == v1::OUTCOME_FASTER) {
      DecideBackToBack(c.timing(), b.timing(), kMayHideUs + rounds.candidate_band_us, out);
    }
  }
}

}  // namespace kernelopt::worker
