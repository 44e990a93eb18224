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

// All zero for no samples.
Summary Summarize(std::span<const double> samples);

// Linear interpolation at (n - 1) p, as numpy.percentile does. `sorted` is not
// empty, p in [0, 1].
double Percentile(std::span<const double> sorted, double p);
double Median(std::vector<double> samples);

// Distribution-free interval of the median: the order statistics j and n+1-j
// with the largest j for which the binomial(n, 1/2) tail below j is at most
// (1 - confidence) / 2 (David & Nagaraja, Order Statistics, 7.1). For few
// samples it is [min, max].
struct Interval {
  double low = 0, high = 0;
};
Interval MedianInterval(std::span<const double> sorted, double confidence);

// Two-sided quantile of Student's t: P(|T| <= t) = 1 - alpha, df >= 1. By
// bisection on the regularised incomplete beta function (DLMF 8.17.22).
double StudentT(double alpha, int df);

}  // namespace kernelopt::worker
