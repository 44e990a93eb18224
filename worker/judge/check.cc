// Compiled with -O3: runs over every output of every draw.
#include "judge/check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "judge/content.h"

namespace kernelopt::worker {
namespace {

bool Matches(double got, double expected, double atol, double rtol, bool nan_equal) {
  if (std::isnan(got) || std::isnan(expected)) {
    return nan_equal && std::isnan(got) && std::isnan(expected);
  }
  if (std::isinf(got) || std::isinf(expected)) return got == expected;
  return std::fabs(got - expected) <= atol + rtol * std::fabs(expected);
}

void Count(CheckFigures& f, double got, double expected, int64_t index, bool poison) {
  ++f.mismatches;
  if (poison) ++f.unwritten;
  if (std::isnan(got) && !std::isnan(expected)) ++f.nans;
  if (f.first_mismatch >= 0) return;
  f.first_mismatch = index;
  f.first_got = got;
  f.first_expected = expected;
}

// Sums of one stretch in which everything matched. Eight lanes, so that the
// compiler can keep them in registers without reordering one sum.
struct Sums {
  double abs = 0, rel = 0, max_abs = 0, max_rel = 0;
  bool all_match = true;
};

constexpr int64_t kLanes = 8;

Sums SumStretch(const float* got, const float* expected, int64_t count, float atol, float rtol) {
  float abs[kLanes] = {}, rel[kLanes] = {}, max_abs[kLanes] = {}, max_rel[kLanes] = {};
  int32_t bad[kLanes] = {};
  for (int64_t i = 0; i + kLanes <= count; i += kLanes) {
    for (int64_t k = 0; k < kLanes; ++k) {
      const float e = std::fabs(expected[i + k]);
      const float d = std::fabs(got[i + k] - expected[i + k]);
      const float r = d / (e > 1e-8F ? e : 1e-8F);
      // The negated form is false for NaN and infinity too: they go the slow way.
      bad[k] |= d <= atol + rtol * e ? 0 : 1;
      bad[k] |= e < std::numeric_limits<float>::infinity() ? 0 : 1;
      abs[k] += d;
      rel[k] += r;
      max_abs[k] = d > max_abs[k] ? d : max_abs[k];
      max_rel[k] = r > max_rel[k] ? r : max_rel[k];
    }
  }
  Sums s;
  for (int64_t k = 0; k < kLanes; ++k) {
    s.abs += static_cast<double>(abs[k]);
    s.rel += static_cast<double>(rel[k]);
    s.max_abs = std::max(s.max_abs, static_cast<double>(max_abs[k]));
    s.max_rel = std::max(s.max_rel, static_cast<double>(max_rel[k]));
    s.all_match &= bad[k] == 0;
  }
  return s;
}

class Checker {
 public:
  Checker(const Parameter& p, const void* got, const void* expected, double atol, double rtol,
          uint64_t nonce)
      : p_(p), got_(got), expected_(expected), nonce_(nonce) {
    if (IsFloating(p.dtype)) {
      atol_ = atol;
      rtol_ = rtol;
    }
    f_.elements = p.elements;
  }

  CheckFigures Run() {
    constexpr int64_t kStretch = 1024;
    for (int64_t i = 0; i < p_.elements; i += kStretch) {
      const int64_t n = std::min(kStretch, p_.elements - i);
      if (p_.dtype == DType::kFloat32 && n % kLanes == 0 && Fast(i, n)) continue;
      for (int64_t k = i; k < i + n; ++k) One(k);
    }
    const double pairs = static_cast<double>(std::max<int64_t>(1, pairs_));
    f_.mean_abs /= pairs;
    f_.mean_rel /= pairs;
    return f_;
  }

 private:
  bool Fast(int64_t first, int64_t count) {
    const Sums s = SumStretch(static_cast<const float*>(got_) + first,
                              static_cast<const float*>(expected_) + first, count,
                              static_cast<float>(atol_), static_cast<float>(rtol_));
    if (!s.all_match) return false;
    f_.mean_abs += s.abs;
    f_.mean_rel += s.rel;
    f_.max_abs = std::max(f_.max_abs, s.max_abs);
    f_.max_rel = std::max(f_.max_rel, s.max_rel);
    pairs_ += count;
    return true;
  }

  void One(int64_t i) {
    const double g = LoadElement(p_.dtype, got_, i), e = LoadElement(p_.dtype, expected_, i);
    const bool exact = IsFloating(p_.dtype) || EqualBits(i);
    if (!Matches(g, e, atol_, rtol_, p_.compare.nan_equal) || !exact) {
      Count(f_, g, e, i, IsPoison(got_, i, p_.dtype, nonce_));
    }
    if (!std::isfinite(g) || !std::isfinite(e)) return;
    const double d = std::fabs(g - e), r = d / std::max(std::fabs(e), 1e-8);
    f_.mean_abs += d;
    f_.mean_rel += r;
    f_.max_abs = std::max(f_.max_abs, d);
    f_.max_rel = std::max(f_.max_rel, r);
    ++pairs_;
  }

  // 64-bit integers differ below what a double can tell.
  bool EqualBits(int64_t i) const {
    const auto size = static_cast<int64_t>(SizeOf(p_.dtype));
    return std::memcmp(static_cast<const char*>(got_) + i * size,
                       static_cast<const char*>(expected_) + i * size, SizeOf(p_.dtype)) == 0;
  }

  const Parameter& p_;
  const void* got_;
  const void* expected_;
  const uint64_t nonce_;
  double atol_ = 0, rtol_ = 0;
  int64_t pairs_ = 0;
  CheckFigures f_;
};

}  // namespace

CheckFigures CheckOutput(const Parameter& parameter, const void* got, const void* expected,
                         double atol, double rtol, uint64_t poison_nonce) {
  return Checker(parameter, got, expected, atol, rtol, poison_nonce).Run();
}

bool SameBits(const Parameter& parameter, const void* a, const void* b) {
  return std::memcmp(a, b, static_cast<size_t>(parameter.bytes())) == 0;
}

void Merge(const CheckFigures& f, v1::OutputCheck& record) {
  record.set_elements(f.elements);
  record.set_max_abs_error(std::max(record.max_abs_error(), f.max_abs));
  record.set_max_rel_error(std::max(record.max_rel_error(), f.max_rel));
  record.set_mean_abs_error(std::max(record.mean_abs_error(), f.mean_abs));
  record.set_mean_rel_error(std::max(record.mean_rel_error(), f.mean_rel));
  if (f.mismatches > record.mismatches()) {
    record.set_mismatches(f.mismatches);
    record.set_first_mismatch(f.first_mismatch);
    record.set_first_got(f.first_got);
    record.set_first_expected(f.first_expected);
  }
  record.set_passed(record.mismatches() == 0);
}

}  // namespace kernelopt::worker
