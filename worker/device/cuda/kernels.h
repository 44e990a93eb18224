// The judge's own kernels: their names and arguments, for the launcher and for
// kernels.cu. Plain numbers only.
#pragma once

#include <cstdint>

namespace kernelopt::worker::cuda {

inline constexpr int kMaxDims = 8;
inline constexpr int kBlockThreads = 256;

enum class FillKind : int { kNormal, kUniform, kRandint, kBernoulli };

// kopt_fill: content of values/content.h, element by element.
struct FillArgs {
  void* to = nullptr;
  int64_t count = 0;
  int dtype = 0;
  FillKind kind = FillKind::kNormal;
  double low = 0, high = 0;
  uint32_t key_a = 0, key_b = 0;
  int stress = 0, zero_fits = 0;  // and with which key
  uint32_t stress_a = 0, stress_b = 0;
  int flip = 0;  // the lowest bit of each element
  int dims = 0;  // 0: dense
  int64_t shape[kMaxDims] = {}, strides[kMaxDims] = {};
};

// kopt_words: a pattern of `size` bytes, repeated.
struct WordArgs {
  void* to = nullptr;
  int64_t count = 0;  // of elements of `size`
  int size = 0;
  uint64_t pattern = 0;
};

// kopt_canaries, kopt_find_broken: ranges that hold a word of 8 bytes, over and
// over from their start.
struct RangeArg {
  char* at = nullptr;
  int64_t bytes = 0;
};
struct RangesArgs {
  const RangeArg* ranges = nullptr;
  int count = 0;
  uint64_t word = 0;
  long long* broken = nullptr;  // the smallest index, or unchanged
};

struct DigestArgs {
  const char* at = nullptr;
  int64_t bytes = 0;
  uint64_t key = 0;
  unsigned long long* sum = nullptr;
};

// kopt_check: one dense output against its expected values.
struct CheckArgs {
  const void* got = nullptr;
  const void* expected = nullptr;
  const double* errors = nullptr;  // of each 64 elements; null: none
  int64_t count = 0;
  int dtype = 0;
  int bits = 0;   // equality of bits decides (integers)
  int nan_equal = 1;
  int64_t ulp = -1;  // -1: not asked
  double atol = 0, rtol = 0, cap = 1, slack = 0;  // slack: times `errors`
  uint64_t poison = 0;
};
struct CheckSums {
  unsigned long long mismatches = 0, unwritten = 0, nans = 0, beyond_cap = 0, pairs = 0, solid_runs = 0;
  unsigned long long first_mismatch = ~0ULL;
  double sum_abs = 0, sum_rel = 0, sum_expected = 0;
  // Bits of non-negative doubles, which order as integers.
  unsigned long long max_abs = 0, max_rel = 0;
};

// kopt_errors: the largest finite |own - oracle| of each 64 elements.
struct ErrorArgs {
  const void* own = nullptr;
  const void* oracle = nullptr;
  int64_t count = 0;
  int dtype = 0;
  double* errors = nullptr;
};

struct GlanceArgs {
  const char* const* places = nullptr;
  int count = 0;
  unsigned char* out = nullptr;
};

// How long one thread worked, by both clocks of a multiprocessor.
struct ClockStamps {
  unsigned long long cycles = 0, ns = 0;
};

// kopt_flush_write, kopt_flush_read.
struct FlushArgs {
  void* memory = nullptr;
  int64_t bytes = 0;
  uint32_t value = 0;
  ClockStamps* stamps = nullptr;  // kopt_flush_read
};

}  // namespace kernelopt::worker::cuda
