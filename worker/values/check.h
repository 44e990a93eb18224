// One output against its expected values. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernelopt/v1/result.pb.h"
#include "problem/contract.h"

namespace kernelopt::worker {

// What one comparison found.
struct CheckFigures {
  int64_t elements = 0, mismatches = 0, first_mismatch = -1;
  int64_t unwritten = 0;  // mismatches that still hold the poison
  int64_t nans = 0;       // mismatches that are NaN where a number is expected
  double max_abs = 0, mean_abs = 0, max_rel = 0, mean_rel = 0;
  double mean_expected = 0;    // of |expected|, where both are finite
  int64_t solid_runs = 0;      // aligned stretches of kSolidRun elements, all of them mismatches
  double first_got = 0, first_expected = 0;
  // The output is wrong; some kinds allow some mismatches.
  bool failed = false;
  // In words, where counting mismatches would not explain it.
  std::string message;
};

// What the expected values are, beside the values themselves.
struct Expectation {
  const void* values = nullptr;
  // Largest error of the reference in its own type against the oracle, per
  // kErrorBlock elements in the order of the shape; empty: none. Twice as much
  // is nobody's fault. By block, so that large values do not excuse small ones.
  std::span<const double> errors = {};
};
inline constexpr int64_t kErrorBlock = 64;
// A row or a tile that was left out shows as such a stretch; mismatches that are far
// apart, as matched_ratio allows, do not.
inline constexpr int64_t kSolidRun = 16;
// Those of `own` against `oracle`, both laid out as the parameter says. Pairs
// of finite values count.
std::vector<double> BlockErrors(const Parameter& parameter, const void* own, const void* oracle);

// By p.compare.kind, on memory laid out as p.layout says:
//   allclose       |got - expected| <= max(atol + rtol |expected|, 2 error) for
//                  floating types, equality for the others
//   exact          equal values; a NaN equals a NaN
//   ulp            at most `ulp` representable numbers apart, or within 2 error
//   matched_ratio  a share of `ratio` is close as in allclose, every other
//                  element within `cap` times that, and no kSolidRun of them side by
//                  side (a row or a tile)
//   topk           allclose after both sides are sorted along the last dimension
//   statistical    the same distribution: two-sample Kolmogorov-Smirnov, 1e-5 (a
//                  job makes some fifteen such tests)
//   custom         not decided here: figures only
// NaN matches NaN only, and not even that where the problem forbids it;
// infinities match exactly. Errors are means and maxima over pairs of finite
// values; relative to max(|expected|, 1e-8).
CheckFigures CheckOutput(const Parameter& parameter, const void* got, const Expectation& expected,
                         uint64_t poison_nonce);

// Figures of two sorted samples for the statistical kind (check_kinds.cc):
// largest distance of the empirical distributions, and what it may be for
// samples of these sizes (Smirnov's asymptotic formula, alpha 1e-5).
struct Distance {
  double found = 0, allowed = 0;
};
Distance KolmogorovSmirnov(const std::vector<double>& a, const std::vector<double>& b);

// Representable numbers of a floating type between two elements; 2^62 when one
// is NaN.
int64_t UlpsApart(DType type, const void* a, const void* b, int64_t index);

// Sorts dense rows of `row` elements; floating -0 and 0 are equal, NaN is last.
void SortRows(DType type, void* dense, int64_t count, int64_t row);

// What a comparison element by element goes by.
struct CheckTerms {
  double atol = 0, rtol = 0;
  int64_t ulp = -1;    // this many representable numbers apart will do; -1: not asked
  bool bits = false;   // beside that the bits must be equal (integers)
  double slack = 0;    // so many times the reference's own error is forgiven
};
CheckTerms TermsOf(const Parameter& parameter);
// Whether figures of such a comparison mean failure, and in which words.
// `beyond_cap`: mismatches by more than compare.cap tolerances.
void DecideFigures(const Parameter& parameter, int64_t beyond_cap, CheckFigures& figures);

// Folds figures of one more draw into the record: worst figures win.
void Merge(const CheckFigures& figures, v1::OutputCheck& record);

}  // namespace kernelopt::worker
