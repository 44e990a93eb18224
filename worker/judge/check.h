// One output against its expected values. Pure.
#pragma once

#include <cstdint>

#include "kernelopt/v1/result.pb.h"
#include "problem/contract.h"

namespace kernelopt::worker {

// What one comparison found.
struct CheckFigures {
  int64_t elements = 0, mismatches = 0, first_mismatch = -1;
  int64_t unwritten = 0;  // mismatches that still hold the poison
  int64_t nans = 0;       // mismatches that are NaN where a number is expected
  double max_abs = 0, mean_abs = 0, max_rel = 0, mean_rel = 0;
  double first_got = 0, first_expected = 0;
};

// |got - expected| <= atol + rtol |expected| for floating types, equality for
// the others; NaN matches NaN only (and not even that where the problem forbids
// it), infinities match exactly. Errors are means
// and maxima over pairs of finite values; relative to max(|expected|, 1e-8).
CheckFigures CheckOutput(const Parameter& parameter, const void* got, const void* expected,
                         double atol, double rtol, uint64_t poison_nonce);

// Every element bit for bit.
bool SameBits(const Parameter& parameter, const void* a, const void* b);

// Folds figures of one more draw into the record: worst figures win.
void Merge(const CheckFigures& figures, v1::OutputCheck& record);

}  // namespace kernelopt::worker
