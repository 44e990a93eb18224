// Whether an output has the errors of a smaller type than its own. Pure.
//
// A tolerance that nobody gave (by dtype) is loose enough for float16 in the place
// of float32; the mean error is not. It is held against
//
//   allowed = max(u max(1024, sqrt(K)), 8 e / m)
//
// of the mean of |expected| (m), where u is half the distance from 1 to the next
// number of the output's type, K the reduction length, taken as elements of the
// largest input for each of the output, and e the mean error of the reference in its own
// type (of the largest of each kErrorBlock). One sum of K random numbers, one after the
// other, is off by less than u sqrt(K) / 2 of its size (Higham, Accuracy and
// Stability of Numerical Algorithms, 4.2: rounding errors as a random walk); 1024 leaves
// ten bits for approximations of functions.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "problem/contract.h"
#include "values/check.h"

namespace kernelopt::worker {

struct PrecisionFacts {
  double found = 0, allowed = 0;  // mean error over mean size
};

// None: not judged (other types, another comparison, a tolerance that was given, TF32
// asked for).
std::optional<PrecisionFacts> PrecisionOf(const Contract& contract, const Parameter& output, const CheckFigures& figures,
                                          std::span<const double> reference_errors);

// In words, for who has to mend it.
std::string TooImprecise(const Parameter& output, const PrecisionFacts& facts);

}  // namespace kernelopt::worker
