#include "measure/rounds.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kernelopt::worker {
namespace {

uint64_t Mix(uint64_t x) {  // splitmix64 finaliser
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

bool IsLookPoint(int kept) {
  int point = kAdaptMin;
  while (point < kept) point *= 2;
  return point == kept || kept == kAdaptStart;
}

std::vector<int> RoundOrder(int subjects, int round, uint64_t seed) {
  std::vector<int> order(static_cast<size_t>(subjects));
  std::iota(order.begin(), order.end(), 0);
  uint64_t state = Mix(seed ^ Mix(static_cast<uint64_t>(round / 2)));
  for (size_t i = order.size(); i > 1; --i) {
    state = Mix(state);
    std::swap(order[i - 1], order[state % i]);
  }
  if (round % 2 == 1) std::reverse(order.begin(), order.end());
  return order;
}

bool WantMoreRounds(const RoundPlan& plan, const RoundsSoFar& so_far) {
  if (plan.trials > 0) return so_far.kept < plan.trials;
  // Slow calls: as many rounds as a comparison needs, then as many as fit.
  const bool spent = so_far.spent_us >= plan.budget_us;
  if (spent && so_far.kept >= kCompareMin) return false;
  if (so_far.spent_us >= 10 * plan.budget_us && so_far.kept >= 1) return false;
  if (so_far.kept < kAdaptMin) return true;
  if (so_far.kept >= kAdaptMax) return false;
  // Below the default count only a look point may end it, and only when both
  // the error is small and there are blocks enough to compare with.
  if (!IsLookPoint(so_far.kept)) return true;
  const bool precise = so_far.worst_error <= plan.precision || so_far.worst_error_us <= 0.010;
  return !precise;
}

int MostProcesses(double round_us, double start_us) {
  constexpr double kBudgetUs = 1.5e6;
  const double others = kBudgetUs / (kProcessRounds * round_us + start_us);
  return std::min(kMostProcesses, 1 + static_cast<int>(others));
}

int ProcessesFor(double process_us, double shortest_us, int most) {
  constexpr double kWanted = 0.0025;
  if (shortest_us <= 0) return 1;
  const double needed = std::pow(process_us / (kWanted * shortest_us), 2);
  return static_cast<int>(std::clamp(std::ceil(needed), 1.0, static_cast<double>(most)));
}

FreshPlan PlanFreshPairs(const FreshNeeds& needs) {
  constexpr double kWantedHalf = 0.0035, kBudgetUs = 2.5e6, kQuantile = 3.1;
  constexpr int kLeastPairs = 16;
  const auto cost = [&](FreshPlan plan) {
    return plan.pairs * (needs.pair_us + (plan.rounds + kFreshUntimed) * needs.round_us);
  };
  const auto half = [&](FreshPlan plan) {
    const double calls = needs.round_sd * needs.round_sd / plan.rounds;
    return kQuantile * std::sqrt((needs.process_sd * needs.process_sd + calls) / plan.pairs);
  };
  const FreshPlan least{kLeastPairs, 2};
  if (cost(least) > 8 * kBudgetUs) return {};
  FreshPlan best{kLeastPairs, 8};  // one outlier in eight is harmless, in two it is not
  if (cost(best) > kBudgetUs) return least;
  for (const int pairs : {16, 20, 24, 32, 40, 60, 80}) {
    for (const int rounds : {8, 12, 20, 32, 48}) {
      const FreshPlan plan{pairs, rounds};
      if (cost(plan) > kBudgetUs) continue;
      const bool enough = half(plan) <= kWantedHalf, had_enough = half(best) <= kWantedHalf;
      const bool better = enough && had_enough ? cost(plan) < cost(best) : half(plan) < half(best);
      if (better && (enough || !had_enough)) best = plan;
    }
  }
  return best;
}

bool AuditByChance(uint64_t random, int kept, int chosen, int wanted) {
  // One in four at first, then thinning out as 1/n but never ending; whoever is
  // unlucky catches up before the earliest stop.
  const bool behind = kept >= 10 && 20 * chosen < wanted * (kept - 10) && chosen < wanted;
  const auto odds = static_cast<uint64_t>(std::max(4, (kept + 1) / 3));
  return behind || random % odds == 0;
}

}  // namespace kernelopt::worker
