// Several workloads as one result. Pure.
#pragma once

#include "judge/comparisons.h"
#include "kernelopt/v1/result.pb.h"

namespace kernelopt::worker {

// Fills subjects and comparisons of `result` from its workloads:
//   verdict     the worst of all, said of which workload
//   times       exp(sum w ln t / sum w), the weighted geometric mean
//   speedups    the same of the ratios; intervals combined as independent
//               (measure/compare.h), the outcome decided anew
void SummariseWorkloads(const CompareOptions& options, v1::JobResult& result);

}  // namespace kernelopt::worker
