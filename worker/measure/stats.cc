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

}  // namespace

double StudentTail(double t, int df) { return RegularisedBeta(df / 2.0, 0.5, df / (df + t * t)); }

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

double HodgesLehmann(std::span<const double> samples) {
  std::vector<double> means;
  means.reserve(samples.size() * (samples.size() + 1) / 2);
  for (size_t i = 0; i < samples.size(); ++i) {
    for (size_t k = i; k < samples.size(); ++k) means.push_back((samples[i] + samples[k]) / 2);
  }
  return Median(std::move(means));
}

Interval MedianInterval(std::span<const double> sorted, double confidence, double effective) {
  const double n = static_cast<double>(sorted.size());
  // Ranks for the effective number, found as a fraction of it.
  const double m = std::clamp(std::floor(effective), 1.0, n);
  const double tail = (1 - confidence) / 2;
  double rank = 0;  // zero-based, may lie between two
  if (m > 1000) {   // normal approximation
    rank = std::max(0.0, 0.5 * m - 0.5 - 0.5 * std::sqrt(m) * StudentT(1 - confidence, 100'000));
  } else {
    double term = std::exp2(-m), below = term;  // P(B = 0), P(B <= 0)
    double before = below;                      // tail outside [k], where k is one-based rank
    double k = 1;
    while (k < m / 2) {
      term *= (m - k + 1) / k;
      below += term;  // P(B <= k)
      if (below > tail) break;
      before = below;
      ++k;
    }
    rank = k - 1;
    if (before <= tail && below > tail && k < m / 2) {
      // Between rank k (tail `before`) and k + 1 (tail `below`).
      const double share = (tail - before) / (below - before);
      rank += (m - k) * share / (k + (m - 2 * k) * share);
    }
  }
  const double stretched = m < n && m > 1 ? rank * (n - 1) / (m - 1) : rank;
  const double p = n > 1 ? stretched / (n - 1) : 0;
  return {Percentile(sorted, p), Percentile(sorted, 1 - p)};
}

double EffectiveSize(std::span<const double> series) {
  const auto n = static_cast<double>(series.size());
  if (n < 8) return n;
  const double mean = std::accumulate(series.begin(), series.end(), 0.0) / n;
  const auto correlation = [&](size_t lag) {
    double sum = 0;
    for (size_t i = 0; i + lag < series.size(); ++i) {
      sum += (series[i] - mean) * (series[i + lag] - mean);
    }
    return sum;
  };
  const double variance = correlation(0);
  if (variance <= 0) return n;
  double tau = 1;
  for (size_t lag = 1; lag + 1 < series.size() / 4; lag += 2) {
    const double pair = (correlation(lag) + correlation(lag + 1)) / variance;
    if (pair <= 0) break;
    tau += 2 * pair;
  }
  return std::clamp(n / tau, 2.0, n);
}

double TimerStep(std::span<const double> samples) {
  if (samples.size() < 10) return 0;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  double step = 0;
  size_t repeated = 0;
  for (size_t i = 1; i < sorted.size(); ++i) {
    const double gap = sorted[i] - sorted[i - 1];
    if (gap <= 1e-9 * sorted[i]) {
      ++repeated;
    } else {
      step = step == 0 ? gap : std::min(step, gap);
    }
  }
  if (step == 0) return 0;
  if (2 * repeated < samples.size()) return 0;
  for (size_t i = 1; i < sorted.size(); ++i) {
    const double steps = (sorted[i] - sorted[i - 1]) / step;
    if (std::fabs(steps - std::round(steps)) > 0.05 * std::max(1.0, steps)) return 0;
  }
  return step;
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
  const Interval interval = MedianInterval(sorted, 0.95, EffectiveSize(samples));
  s.median_low = interval.low;
  s.median_high = interval.high;
  s.median_error = (interval.high - interval.low) / (2 * 1.959964);
  return s;
}

TrimmedMean Trim(std::span<const double> samples) {
  if (samples.empty()) return {};
  constexpr double kTenth = 0.1;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const size_t n = sorted.size(), off = static_cast<size_t>(kTenth * static_cast<double>(n));
  TrimmedMean trimmed;
  trimmed.share = static_cast<double>(n - 2 * off) / static_cast<double>(n);
  const auto left_out = static_cast<std::ptrdiff_t>(off);
  trimmed.mean = std::accumulate(sorted.begin() + left_out, sorted.end() - left_out, 0.0) / static_cast<double>(n - 2 * off);
  std::vector<double> drawn_in(samples.begin(), samples.end());
  for (double& x : drawn_in) x = std::clamp(x, sorted[off], sorted[n - 1 - off]);
  trimmed.std = Summarize(drawn_in).std / trimmed.share;
  trimmed.effective = EffectiveSize(drawn_in);
  return trimmed;
}

double StudentT(double alpha, int df) {
  double low = 0, high = 1;
  while (StudentTail(high, df) > alpha && high < 1e12) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double middle = (low + high) / 2;
    (StudentTail(middle, df) > alpha ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace kernelopt::worker
