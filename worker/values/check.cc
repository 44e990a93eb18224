// Compiled with -O3: runs over every output of every draw.
#include "values/check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/str_format.h"
#include "values/content.h"

namespace kernelopt::worker {
namespace {

// What an element may be off by.
struct Allowed {
  double atol = 0, rtol = 0, slack = 0;
  bool nan_equal = true;

  bool Close(double got, double expected, double times = 1) const {
    if (std::isnan(got) || std::isnan(expected)) {
      return nan_equal && std::isnan(got) && std::isnan(expected);
    }
    if (std::isinf(got) || std::isinf(expected)) return got == expected;
    const double most = std::max(times * (atol + rtol * std::fabs(expected)), slack);
    return std::fabs(got - expected) <= most;
  }
};

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
  double abs = 0, rel = 0, expected = 0, max_abs = 0, max_rel = 0;
  bool all_match = true;
};

constexpr int64_t kLanes = 8;

Sums SumStretch(const float* got, const float* expected, int64_t count, const Allowed& allowed) {
  const auto atol = static_cast<float>(allowed.atol), rtol = static_cast<float>(allowed.rtol),
             slack = static_cast<float>(allowed.slack);
  float abs[kLanes] = {}, rel[kLanes] = {}, sizes[kLanes] = {}, max_abs[kLanes] = {}, max_rel[kLanes] = {};
  int32_t bad[kLanes] = {};
  for (int64_t i = 0; i + kLanes <= count; i += kLanes) {
    for (int64_t k = 0; k < kLanes; ++k) {
      const float e = std::fabs(expected[i + k]);
      const float d = std::fabs(got[i + k] - expected[i + k]);
      const float r = d / (e > 1e-8F ? e : 1e-8F);
      // The negated form is false for NaN and infinity too: they go the slow way.
      const float most = atol + rtol * e;
      bad[k] |= d <= (most > slack ? most : slack) ? 0 : 1;
      bad[k] |= e < std::numeric_limits<float>::infinity() ? 0 : 1;
      abs[k] += d;
      rel[k] += r;
      sizes[k] += e;
      max_abs[k] = d > max_abs[k] ? d : max_abs[k];
      max_rel[k] = r > max_rel[k] ? r : max_rel[k];
    }
  }
  Sums s;
  for (int64_t k = 0; k < kLanes; ++k) {
    s.abs += static_cast<double>(abs[k]);
    s.rel += static_cast<double>(rel[k]);
    s.expected += static_cast<double>(sizes[k]);
    s.max_abs = std::max(s.max_abs, static_cast<double>(max_abs[k]));
    s.max_rel = std::max(s.max_rel, static_cast<double>(max_rel[k]));
    s.all_match &= bad[k] == 0;
  }
  return s;
}

// Dense memory, element by element.
class Checker {
 public:
  Checker(const Parameter& p, const void* got, const Expectation& expected, uint64_t nonce)
      : p_(p), terms_(TermsOf(p)), got_(got), expected_(expected.values), nonce_(nonce) {
    allowed_.nan_equal = p.compare.nan_equal;
    allowed_.atol = terms_.atol;
    allowed_.rtol = terms_.rtol;
    f_.elements = p.elements();
    if (terms_.slack > 0) errors_ = expected.errors;
  }

  CheckFigures Run() {
    const int64_t kStretch = errors_.empty() ? 1024 : kErrorBlock;
    const int64_t all = p_.elements();
    const bool fast = p_.dtype == DType::kFloat32 && p_.compare.kind != Compare::Kind::kExact;
    for (int64_t i = 0; i < all; i += kStretch) {
      const int64_t n = std::min(kStretch, all - i);
      const auto block = static_cast<size_t>(i / kErrorBlock);
      allowed_.slack = block < errors_.size() ? terms_.slack * errors_[block] : 0;
      if (fast && n % kLanes == 0 && Fast(i, n)) continue;
      for (int64_t k = i; k < i + n; ++k) One(k);
    }
    const double pairs = static_cast<double>(std::max<int64_t>(1, pairs_));
    f_.mean_abs /= pairs;
    f_.mean_rel /= pairs;
    f_.mean_expected /= pairs;
    DecideFigures(p_, beyond_cap_, f_);
    return f_;
  }

 private:
  bool Fast(int64_t first, int64_t count) {
    const Sums s = SumStretch(static_cast<const float*>(got_) + first,
                              static_cast<const float*>(expected_) + first, count, allowed_);
    if (!s.all_match) return false;
    f_.mean_abs += s.abs;
    f_.mean_rel += s.rel;
    f_.mean_expected += s.expected;
    f_.max_abs = std::max(f_.max_abs, s.max_abs);
    f_.max_rel = std::max(f_.max_rel, s.max_rel);
    pairs_ += count;
    return true;
  }

  void One(int64_t i) {
    const double g = LoadElement(p_.dtype, got_, i), e = LoadElement(p_.dtype, expected_, i);
    bool close = allowed_.Close(g, e) && (!terms_.bits || EqualBits(i));
    if (!close && terms_.ulp >= 0) close = UlpsApart(p_.dtype, got_, expected_, i) <= terms_.ulp;
    run_ = close || i % kSolidRun == 0 ? (close ? 0 : 1) : run_ + 1;
    f_.solid_runs += run_ == kSolidRun ? 1 : 0;
    if (!close) {
      Count(f_, g, e, i, IsPoison(got_, i, p_.dtype, nonce_));
      if (!allowed_.Close(g, e, p_.compare.cap)) ++beyond_cap_;
    }
    if (!std::isfinite(g) || !std::isfinite(e)) return;
    const double d = std::fabs(g - e), r = d / std::max(std::fabs(e), 1e-8);
    f_.mean_abs += d;
    f_.mean_rel += r;
    f_.mean_expected += std::fabs(e);
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
  const CheckTerms terms_;
  const void* got_;
  const void* expected_;
  const uint64_t nonce_;
  Allowed allowed_;
  std::span<const double> errors_;
  int64_t pairs_ = 0, beyond_cap_ = 0, run_ = 0;
  CheckFigures f_;
};

std::vector<double> FloatErrors(const float* own, const float* oracle, int64_t count) {
  std::vector<double> errors;
  errors.reserve(static_cast<size_t>(count / kErrorBlock + 1));
  float all = 0;
  for (int64_t first = 0; first < count; first += kErrorBlock) {
    const int64_t last = std::min(count, first + kErrorBlock);
    float lanes[kLanes] = {};
    for (int64_t i = first; i + kLanes <= last; i += kLanes) {
      for (int64_t k = 0; k < kLanes; ++k) {
        const float d = std::fabs(own[i + k] - oracle[i + k]);
        // False for NaN; what is infinite is no figure.
        lanes[k] = d > lanes[k] && d <= std::numeric_limits<float>::max() ? d : lanes[k];
      }
    }
    float worst = 0;
    for (const float lane : lanes) worst = std::max(worst, lane);
    for (int64_t i = last - (last - first) % kLanes; i < last; ++i) {
      const float d = std::fabs(own[i] - oracle[i]);
      if (std::isfinite(d)) worst = std::max(worst, d);
    }
    errors.push_back(static_cast<double>(worst));
    all = std::max(all, worst);
  }
  return all > 0 ? errors : std::vector<double>();
}

std::vector<double> SortedValues(const Parameter& p, const void* dense) {
  std::vector<double> values;
  for (int64_t i = 0; i < p.elements(); ++i) {
    const double value = LoadElement(p.dtype, dense, i);
    if (!std::isnan(value)) values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  return values;
}

CheckFigures CheckDistribution(const Parameter& p, const void* got, const Expectation& expected, uint64_t nonce) {
  CheckFigures f;
  f.elements = p.elements();
  const std::vector<double> mine = SortedValues(p, got), theirs = SortedValues(p, expected.values);
  const size_t nans = static_cast<size_t>(p.elements()) - mine.size();
  const Distance d = mine.empty() || theirs.empty() ? Distance{1, 0} : KolmogorovSmirnov(mine, theirs);
  f.max_abs = d.found;
  for (int64_t i = 0; i < p.elements(); ++i) f.unwritten += IsPoison(got, i, p.dtype, nonce) ? 1 : 0;
  f.failed = d.found > d.allowed || nans > static_cast<size_t>(p.elements()) - theirs.size() ||
             f.unwritten == p.elements();
  if (f.failed) {
    f.mismatches = p.elements();
    f.first_mismatch = 0;
    f.message = absl::StrFormat("the values of %s are distributed otherwise than expected (Kolmogorov-Smirnov "
                                "distance %.4g, allowed %.4g; %d NaN)",
                                p.name, d.found, d.allowed, nans);
  }
  return f;
}

std::vector<char> DenseOf(const Parameter& p, const void* memory) {
  return Dense(p.layout, SizeOf(p.dtype), memory);
}

}  // namespace

CheckTerms TermsOf(const Parameter& p) {
  CheckTerms terms;
  terms.bits = !IsFloating(p.dtype);
  if (p.compare.kind == Compare::Kind::kUlp) terms.ulp = p.compare.ulp;
  if (terms.bits || p.compare.kind == Compare::Kind::kExact) return terms;
  // mma takes raw floats and cuts them to TF32, where the reference rounds: sums of such
  // products are 2.6 times as far off (standard deviation, 512 products of normal numbers).
  terms.slack = p.tf32 ? 4 : 2;
  if (terms.ulp >= 0) return terms;
  terms.atol = p.atol;
  terms.rtol = p.rtol;
  return terms;
}

void DecideFigures(const Parameter& p, int64_t beyond_cap, CheckFigures& f) {
  f.failed = f.mismatches > 0;
  if (p.compare.kind != Compare::Kind::kMatchedRatio) return;
  const double share = static_cast<double>(f.elements - f.mismatches) /
                       static_cast<double>(std::max<int64_t>(1, f.elements));
  f.failed = share < p.compare.ratio || beyond_cap > 0 || f.solid_runs > 0;
  if (!f.failed) return;
  if (share >= p.compare.ratio && beyond_cap == 0) {
    f.message = absl::StrFormat("%.4g %% of %s match, but in %d places %d elements side by side do not: a row or a tile is wrong, which no "
                                "ratio excuses", 100 * share, p.name, f.solid_runs, kSolidRun);
    return;
  }
  f.message = absl::StrFormat("%.4g %% of %s match where %.4g %% are needed, and %d elements are off by "
                               "more than %g tolerances",
                               100 * share, p.name, 100 * p.compare.ratio, beyond_cap, p.compare.cap);
}

std::vector<double> BlockErrors(const Parameter& p, const void* own, const void* oracle) {
  if (!IsFloating(p.dtype)) return {};
  if (p.dtype == DType::kFloat32 && !p.layout.strided()) {
    return FloatErrors(static_cast<const float*>(own), static_cast<const float*>(oracle), p.elements());
  }
  const std::vector<char> mine = DenseOf(p, own), right = DenseOf(p, oracle);
  std::vector<double> errors(static_cast<size_t>((p.elements() + kErrorBlock - 1) / kErrorBlock), 0);
  bool any = false;
  for (int64_t i = 0; i < p.elements(); ++i) {
    const double d = std::fabs(LoadElement(p.dtype, mine.data(), i) - LoadElement(p.dtype, right.data(), i));
    double& worst = errors[static_cast<size_t>(i / kErrorBlock)];
    if (std::isfinite(d) && d > worst) worst = d;
    any = any || worst > 0;
  }
  return any ? errors : std::vector<double>();
}

CheckFigures CheckOutput(const Parameter& p, const void* got, const Expectation& expected,
                         uint64_t poison_nonce) {
  if (p.layout.strided()) {
    const std::vector<char> mine = DenseOf(p, got), theirs = DenseOf(p, expected.values);
    Parameter dense = p;
    dense.layout.strides.clear();
    dense.layout.span = p.layout.elements;
    return CheckOutput(dense, mine.data(), {theirs.data(), expected.errors}, poison_nonce);
  }
  if (p.compare.kind == Compare::Kind::kStatistical) return CheckDistribution(p, got, expected, poison_nonce);
  if (p.compare.kind == Compare::Kind::kTopk) {
    std::vector<char> mine = DenseOf(p, got), theirs = DenseOf(p, expected.values);
    const int64_t row = p.layout.shape.empty() ? 1 : p.layout.shape.back();
    SortRows(p.dtype, mine.data(), p.elements(), row);
    SortRows(p.dtype, theirs.data(), p.elements(), row);
    return Checker(p, mine.data(), {theirs.data(), expected.errors}, poison_nonce).Run();
  }
  CheckFigures figures = Checker(p, got, expected, poison_nonce).Run();
  if (p.compare.kind == Compare::Kind::kCustom) figures.failed = false;
  return figures;
}

void Merge(const CheckFigures& f, v1::OutputCheck& record) {
  const bool first = record.elements() == 0;
  record.set_passed((first || record.passed()) && !f.failed);
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
}

}  // namespace kernelopt::worker
