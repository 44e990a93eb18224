// The judge's decisions on simulated devices whose truth is known.
//
//   judge_simulation [--runs 10000]
//
// Every run takes the judge's own way: rounds in ABBA order until the stopping
// rule is content, blocks, then fresh pairs of processes where those cannot
// tell. The device has what real ones have: luck of a process that lasts for
// its life, drift, autocorrelated noise, bursts that slow a stretch of calls,
// and single outliers.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "measure/compare.h"
#include "measure/noise_table.h"
#include "measure/rounds.h"
#include "measure/stats.h"

namespace kernelopt::worker {
namespace {

struct World {
  const char* name;
  double process_sd;  // of one process's log time
  double noise_sd;    // of one call
  double rho;         // autocorrelation of the noise
  double drift;       // slow wave, relative
  double burst;       // chance that a burst begins at a call
};

constexpr World kWorlds[] = {
    {"quiet", 0.003, 0.003, 0.0, 0.00, 0.0},     {"process luck", 0.003, 0.01, 0.0, 0.00, 0.0},
    {"drift", 0.003, 0.01, 0.0, 0.05, 0.0},      {"autocorrelated", 0.003, 0.01, 0.7, 0.01, 0.0},
    {"bursts", 0.003, 0.01, 0.3, 0.01, 0.01},    {"noisy VM", 0.003, 0.03, 0.5, 0.03, 0.01},
};

class Machine {
 public:
  Machine(const World& world, uint64_t seed) : world_(world), random_(seed) {
    phase_ = std::uniform_real_distribution<>(0, 6.28)(random_);
  }
  double NewProcess() { return world_.process_sd * Normal(); }
  double Call(double true_us, double luck) {
    noise_ = world_.rho * noise_ + std::sqrt(1 - world_.rho * world_.rho) * Normal();
    const double u = std::uniform_real_distribution<>(0, 1)(random_);
    if (burst_left_ == 0 && u < world_.burst) burst_left_ = 12;
    const double burst = burst_left_ > 0 ? 1.2 : 1.0;
    burst_left_ = std::max(0, burst_left_ - 1);
    const double outlier = u > 0.99 ? 1.5 : 1.0;
    const double drift = 1 + world_.drift * std::sin(phase_ + 0.01 * calls_++);
    return true_us * std::exp(luck + world_.noise_sd * noise_) * drift * burst * outlier;
  }

 private:
  double Normal() { return normal_(random_); }
  const World& world_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  double noise_ = 0, phase_ = 0;
  int burst_left_ = 0, calls_ = 0;
};

constexpr double kRoundUs = 3000;  // two calls of 1 ms and what the judge does around them

struct Columns {
  std::vector<double> us[2];  // baseline, candidate
};

void Round(Machine& machine, const double (&true_us)[2], const double (&luck)[2], int round,
           uint64_t seed, Columns& out) {
  for (const int i : RoundOrder(2, round, seed)) {
    out.us[i].push_back(machine.Call(true_us[i], luck[i]));
  }
}

struct Answer {
  Pair pair;
  std::vector<double> pair_ratios;
  bool fresh = false;
};

std::vector<double> FreshPairs(Machine& machine, const double (&true_us)[2], FreshPlan plan,
                               uint64_t seed) {
  std::vector<double> ratios;
  for (int block = 0; block < plan.pairs; ++block) {
    const double luck[2] = {machine.NewProcess(), machine.NewProcess()};
    Columns columns;
    for (int round = 0; round < plan.rounds; ++round) {
      Round(machine, true_us, luck, round, seed + static_cast<uint64_t>(block), columns);
    }
    ratios.push_back(PairedLogRatio(columns.us[0], columns.us[1]));
  }
  return ratios;
}

Answer Judge(const World& world, double ratio, const Noise& noise, uint64_t seed) {
  Machine machine(world, seed);
  const double true_us[2] = {1000, 1000 * ratio};
  const double luck[2] = {machine.NewProcess(), machine.NewProcess()};
  Columns rounds;
  RoundsSoFar so_far;
  for (int round = 0; WantMoreRounds({}, so_far); ++round) {
    Round(machine, true_us, luck, round, seed, rounds);
    so_far.kept = round + 1;
    so_far.spent_us += kRoundUs;
    if (!IsLookPoint(so_far.kept)) continue;
    so_far.worst_error = 0;
    for (const auto& column : rounds.us) {
      const Summary s = Summarize(column);
      so_far.worst_error = std::max(so_far.worst_error, s.median_error / s.median);
      so_far.worst_error_us = s.median_error;
    }
  }
  CompareRule rule{.noise_floor = noise.floor, .process_sd = noise.process_sd};
  Answer answer{ComparePair(BlockLogRatios(rounds.us[0], rounds.us[1]), rule), {}};
  if (!WantInstances(answer.pair)) return answer;
  const std::vector<double> blocks = BlockLogRatios(rounds.us[0], rounds.us[1]);
  const double per_block = static_cast<double>(rounds.us[0].size()) / static_cast<double>(blocks.size());
  answer.pair_ratios = FreshPairs(machine, true_us,
                                  PlanFreshPairs({Summarize(blocks).std * std::sqrt(per_block),
                                                  noise.process_sd, kRoundUs, 25'000}),
                                  seed);
  rule.process_sd = 0;
  answer.fresh = true;
  answer.pair = ComparePair(answer.pair_ratios, rule);
  return answer;
}

// As the worker does in its idle time; nothing is decided, all pairs are taken.
Noise Learn(const World& world, uint64_t seed) {
  NoiseTable table;
  for (int run = 0; run < NoiseTable::kRunsWanted; ++run) {
    const Answer answer = Judge(world, 1.0, {0.0, 0.01}, seed + 1000 + static_cast<uint64_t>(run));
    table.Add(NoiseTable::BandOf(1000), std::log(answer.pair.speedup), answer.pair_ratios);
  }
  return table.For(1000, {});
}

struct Tally {
  int runs = 0, faster = 0, slower = 0, same = 0, unsure = 0, fresh = 0, covered = 0;
};

Tally Run(const World& world, double ratio, int runs) {
  Tally tally;
  Noise noise;
  for (int run = 0; run < runs; ++run) {
    const auto seed = static_cast<uint64_t>(run) * 7919 + 17;
    if (run % 100 == 0) noise = Learn(world, seed);  // another day, another calibration
    const Answer answer = Judge(world, ratio, noise, seed);
    ++tally.runs;
    tally.faster += answer.pair.outcome == v1::OUTCOME_FASTER;
    tally.slower += answer.pair.outcome == v1::OUTCOME_SLOWER;
    tally.same += answer.pair.outcome == v1::OUTCOME_SAME;
    tally.unsure += answer.pair.outcome == v1::OUTCOME_INCONCLUSIVE;
    tally.fresh += answer.fresh;
    tally.covered += answer.pair.low <= 1 / ratio && 1 / ratio <= answer.pair.high;
  }
  return tally;
}

// Coverage at the level a table can be checked at, over fresh pairs alone.
double Coverage(const World& world, double alpha, int runs) {
  int covered = 0;
  for (int run = 0; run < runs; ++run) {
    const auto seed = static_cast<uint64_t>(run) * 104729 + 5;
    Machine machine(world, seed);
    const Pair pair = ComparePair(FreshPairs(machine, {1000, 1000}, {20, 12}, seed), {.alpha = alpha});
    covered += pair.low <= 1 && 1 <= pair.high;
  }
  return 100.0 * covered / runs;
}

void Print(const char* what, const Tally& t) {
  const auto percent = [&](int n) { return 100.0 * n / t.runs; };
  std::printf("  %-24s %6d  FASTER %6.2f %%  SLOWER %6.2f %%  SAME %6.2f %%  INCONCLUSIVE %6.2f %%  "
              "fresh processes %5.1f %%  truth inside %6.2f %%\n",
              what, t.runs, percent(t.faster), percent(t.slower), percent(t.same),
              percent(t.unsure), percent(t.fresh), percent(t.covered));
}

int Main(int runs) {
  const int each = runs / static_cast<int>(std::size(kWorlds));
  int false_verdicts = 0, total = 0;
  std::printf("A/A: equal kernels, process luck 0.3 %%\n");
  for (const World& world : kWorlds) {
    const Tally t = Run(world, 1.0, each);
    Print(world.name, t);
    false_verdicts += t.faster + t.slower;
    total += t.runs;
  }
  const double false_percent = 100.0 * false_verdicts / total;
  std::printf("false FASTER or SLOWER: %d of %d = %.3f %%\n\n", false_verdicts, total, false_percent);
  std::printf("candidate 1 %% faster\n");
  double worst = 100;
  for (const World& world : kWorlds) {
    const Tally t = Run(world, 1 / 1.01, each / 4);
    Print(world.name, t);
    const bool counted = std::strcmp(world.name, "noisy VM") != 0;  // printed, no goal
    if (counted) worst = std::min(worst, 100.0 * t.faster / t.runs);
  }
  std::printf("found in at least %.2f %% (all but the noisy VM)\n\n", worst);
  std::printf("coverage of the interval\n");
  double off = 0;
  for (const World& world : kWorlds) {
    for (const double alpha : {0.05, 0.005}) {
      const double covered = Coverage(world, alpha, runs);
      std::printf("  %-24s nominal %.1f %%: %.2f %%\n", world.name, 100 * (1 - alpha), covered);
      off = std::max(off, std::fabs(covered - 100 * (1 - alpha)));
    }
  }
  std::printf("largest deviation from nominal: %.2f %%\n", off);
  const bool good = false_percent <= 1 && worst >= 95 && off <= 1;
  std::printf("goals (<= 1 %%, >= 95 %%, <= 1 %%): %s\n", good ? "met" : "MISSED");
  return good ? 0 : 1;
}

}  // namespace
}  // namespace kernelopt::worker

int main(int argc, char** argv) {
  int runs = 10'000;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--runs") == 0) runs = std::atoi(argv[i + 1]);
  }
  return kernelopt::worker::Main(runs);
}
