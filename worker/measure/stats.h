// Order statistics of timing samples. Pure; units are those of the samples.
#pragma once

#include <span>
#include <vector>

namespace kernelopt::worker {

struct Summary {
  int count = 0;
  double mean = 0, std = 0;  // std: sample standard deviation, n - 1
  double min = 0, max = 0, median = 0, p20 = 0, p80 = 0;
  double median_low = 0, median_high = 0;  // 95 % confidence interval
  double median_error = 0;                 // standard error of the median
};

// All zero for no samples. `samples` in the order taken: the interval of the
// median is widened where neighbours resemble each other (EffectiveSize).
Summary Summarize(std::span<const double> samples);

// Linear interpolation at (n - 1) p, as numpy.percentile does. `sorted` is not
// empty, p in [0, 1].
double Percentile(std::span<const double> sorted, double p);
double Median(std::vector<double> samples);

// Median of all pairwise means (Hodges & Lehmann, Ann. Math. Statistics 34,
// 1963): as robust as needed here, and 95 % as precise as the mean on normal
// noise where the median has 64 %. 0 for none; n (n + 1) / 2 means.
double HodgesLehmann(std::span<const double> samples);

// Mean without the smallest and the largest tenth, which one value in ten that something disturbed does not move.
// Its standard error is std / sqrt(independent values): std is of all values with those two tenths drawn in to the others, over the
// share that is left (Yuen, Biometrika 61, 1974). `samples` in time order. All zero for none.
struct TrimmedMean {
  double mean = 0, std = 0;
  double share = 1;      // of the values that are left; the error has share * independent values - 1 degrees of freedom
  double effective = 0;  // EffectiveSize of the values so drawn in, in time order
};
TrimmedMean Trim(std::span<const double> samples);

// Distribution-free interval of the median: order statistics by the binomial
// (n, 1/2) tail (David & Nagaraja, Order Statistics, 7.1), interpolated between
// neighbours so that the coverage is the one asked for and not the next larger
// (Hettmansperger & Sheather, Stat. Prob. Letters 4, 1986). For few samples it
// is [min, max]. `effective` is the number of independent samples they are
// worth, at most their number; ranks are stretched accordingly.
struct Interval {
  double low = 0, high = 0;
};
Interval MedianInterval(std::span<const double> sorted, double confidence, double effective);

// How many independent samples a series in time order is worth: n / tau with
// tau = 1 + 2 sum of autocorrelations, summed in pairs while these are positive
// (Geyer, Statistical Science 7, 1992, initial positive sequence). In [2, n].
double EffectiveSize(std::span<const double> series);

// Step of a coarse clock that the samples show: most values occur several
// times and all gaps are multiples of it. 0: none seen.
double TimerStep(std::span<const double> samples);

// Two-sided quantile of Student's t: P(|T| <= t) = 1 - alpha, df >= 1. By
// bisection on the regularised incomplete beta function (DLMF 8.17.22).
double StudentT(double alpha, int df);
// P(|T| > t), the inverse of it.
double StudentTail(double t, int df);

}  // namespace kernelopt::worker
