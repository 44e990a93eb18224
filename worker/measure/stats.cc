#include "measure/stats.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kernelopt::worker {
namespace {

// Continued fraction of the incomplete beta function, modified Lentz.
double BetaFraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  if (std::fabs(d) < kTiny) d = kTiny;
  d = 1 / d;
  double h = d;
  for (int m = 1; m <= 300; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double step = 1;
    for (const double term : {even, odd}) {
      d = 1 + term * d;
      c = 1 + term / c;
      if (std::fabs(d) < kTiny) d = kTiny;
      if (std::fabs(c) < kTiny) c = kTiny;
      d = 1 / d;
      step = c * d;
      h *= step;
    }
    if (std::fabs(step - 1) < 1e-15) break;
  }
  return h;
}

double RegularisedBeta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

// P(|T| > t).
double TwoTail(double t, int df) { return RegularisedBeta(df / 2.0, 0.5, df / (df + t * t)); }

}  // namespace

double Percentile(std::span<const double> sorted, double p) {
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<size_t>(at);
  const size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - static_cast<double>(low));
}

double Median(std::vector<double> samples) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  return Percentile(samples, 0.5);
}

Interval MedianInterval(std::span<const double> sorted, double confidence) {
  const size_t n = sorted.size();
  const double tail = (1 - confidence) / 2;
  double term = std::exp2(-static_cast<double>(n));  // P(B = 0)
  if (term == 0) {                                   // n > 1,074: normal approximation
    const double half = 0.5 * std::sqrt(static_cast<double>(n)) * StudentT(1 - confidence, 100'000);
    const auto j = static_cast<size_t>(std::max(0.0, 0.5 * static_cast<double>(n) - half));
    return {sorted[j], sorted[n - 1 - j]};
  }
  double below = 0;
  size_t j = 0;  // one-based j - 1
  for (size_t k = 0; k < n / 2; ++k) {
    below += term;
    if (below > tail) break;
    j = k;
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  return {sorted[j], sorted[n - 1 - j]};
}

Summary Summarize(std::span<const double> samples) {
  Summary s;
  if (samples.empty()) return s;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  s.count = static_cast<int>(sorted.size());
  s.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / n;
  double squares = 0;
  for (const double x : sorted) squares += (x - s.mean) * (x - s.mean);
  s.std = s.count > 1 ? std::sqrt(squares / (n - 1)) : 0;
  s.min = sorted.front();
  s.max = sorted.back();
  s.median = Percentile(sorted, 0.5);
  s.p20 = Percentile(sorted, 0.2);
  s.p80 = Percentile(sorted, 0.8);
  const Interval interval = MedianInterval(sorted, 0.95);
  s.median_low = interval.low;
  s.median_high = interval.high;
  s.median_error = (interval.high - interval.low) / (2 * 1.959964);
  return s;
}

double StudentT(double alpha, int df) {
  double low = 0, high = 1;
  while (TwoTail(high, df) > alpha && high < 1e12) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double middle = (low + high) / 2;
    (TwoTail(middle, df) > alpha ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace kernelopt::worker
