// Compiled with -O3: these loops run before every call.
#include "values/content.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "values/content_math.h"

namespace kernelopt::worker {
namespace {

// Lets g++ emit wide versions and pick one at load time. Not under sanitizers,
// whose runtime is not ready when ifuncs are resolved, and not with clang 14.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define KOPT_WIDE __attribute__((target_clones("default", "avx2", "arch=skylake-avx512")))
#else
#define KOPT_WIDE
#endif

using Key = ContentKey;

KOPT_WIDE void Normal(float* out, int32_t count, uint32_t first, Key key) {
  for (int32_t i = 0; i < count; ++i) {
    out[i] = NormalOf(Random(first + static_cast<uint32_t>(i), key));
  }
}

KOPT_WIDE void Uniform(float* out, int32_t count, uint32_t first, Key key, float low, float width) {
  for (int32_t i = 0; i < count; ++i) {
    out[i] = UniformOf(Random(first + static_cast<uint32_t>(i), key), low, width);
  }
}

// Real values of a stretch, whatever type they will be stored in.
void Reals(float* out, int32_t count, uint32_t first, const Init& init, Key key) {
  switch (init.kind) {
    case Init::Kind::kNormal:
      return Normal(out, count, first, key);
    case Init::Kind::kUniform:
      return Uniform(out, count, first, key, static_cast<float>(init.low),
                     static_cast<float>(init.high - init.low));
    case Init::Kind::kBernoulli:
      for (int32_t i = 0; i < count; ++i) {
        const double u = UnitOf(Random(first + static_cast<uint32_t>(i), key));
        out[i] = u < init.high ? 1.0F : 0.0F;
      }
      return;
    case Init::Kind::kRandint:
      for (int32_t i = 0; i < count; ++i) {
        const double u = UnitOf(Random(first + static_cast<uint32_t>(i), key));
        out[i] = static_cast<float>(std::floor(init.low + u * (init.high - init.low)));
      }
      return;
    default:
      std::fill(out, out + count, 0.0F);
      return;
  }
}

// Large integers do not fit in float.
void Integers(void* data, int64_t count, DType type, const Init& init, Key key) {
  for (int64_t i = 0; i < count; ++i) {
    const double u = UnitOf(Random(static_cast<uint32_t>(i), key));
    StoreElement(type, data, i, std::floor(init.low + u * (init.high - init.low)));
  }
}

// Rows of 0 .. row - 1, shuffled (Fisher-Yates).
void Permutations(void* data, int64_t count, int64_t row, DType type, Key key) {
  std::vector<int64_t> order(static_cast<size_t>(row));
  for (int64_t start = 0; start < count; start += row) {
    for (int64_t i = 0; i < row; ++i) order[static_cast<size_t>(i)] = i;
    for (int64_t i = row - 1; i > 0; --i) {
      const double u = UnitOf(Random(static_cast<uint32_t>(start + i), key));
      const auto other = static_cast<int64_t>(u * static_cast<double>(i + 1));
      std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(other)]);
    }
    for (int64_t i = 0; i < row; ++i) {
      StoreElement(type, data, start + i, static_cast<double>(order[static_cast<size_t>(i)]));
    }
  }
}

// Rows that ascend from 0 to `high`, as the row pointers of a sparse matrix do.
void Offsets(void* data, int64_t count, int64_t row, DType type, double high, Key key) {
  std::vector<double> cuts(static_cast<size_t>(row));
  for (int64_t start = 0; start < count; start += row) {
    for (int64_t i = 0; i < row; ++i) {
      const double u = UnitOf(Random(static_cast<uint32_t>(start + i), key));
      cuts[static_cast<size_t>(i)] = std::floor(u * (high + 1));
    }
    cuts.front() = 0;
    if (row > 1) cuts.back() = high;
    std::sort(cuts.begin(), cuts.end());
    for (int64_t i = 0; i < row; ++i) StoreElement(type, data, start + i, cuts[static_cast<size_t>(i)]);
  }
}

template <typename T>
void FillWords(void* data, int64_t count, uint64_t pattern) {
  std::fill_n(static_cast<T*>(data), count, static_cast<T>(pattern));
}

}  // namespace

uint64_t PoisonPattern(DType type, uint64_t nonce) {
  const uint64_t r = nonce * 0x9e3779b97f4a7c15ULL;
  switch (type) {
    case DType::kFloat64:
      return 0x7ff8000000000000ULL | (r >> 14);
    case DType::kFloat32:
      return 0x7fc00000ULL | (r >> 42);
    case DType::kFloat16:
      return 0x7e00ULL | (r >> 55);
    case DType::kBfloat16:
      return 0x7fc0ULL | (r >> 58);
    case DType::kFloat8E4M3:
      return 0x7fULL;
    case DType::kFloat8E5M2:
      return 0x7eULL;
    case DType::kBool:
      return 0xa5ULL;  // neither 0 nor 1
    default:
      return r | 1;
  }
}

void FillContent(void* data, int64_t count, DType type, const Init& init, uint64_t nonce,
                 uint32_t tensor, int64_t row) {
  const Key key = KeyOf(nonce, tensor);
  if (row <= 0) row = count;
  if (init.kind == Init::Kind::kPermutation) return Permutations(data, count, row, type, key);
  if (init.kind == Init::Kind::kOffsets) return Offsets(data, count, row, type, init.high, key);
  if (init.kind == Init::Kind::kRandint &&
      std::max(std::fabs(init.low), std::fabs(init.high)) > 0x1p24) {
    return Integers(data, count, type, init, key);
  }
  constexpr int64_t kStretch = 2048;  // stays in the first-level cache
  if (type == DType::kFloat32) {
    auto* out = static_cast<float*>(data);
    for (int64_t i = 0; i < count; i += kStretch) {
      Reals(out + i, static_cast<int32_t>(std::min(kStretch, count - i)), static_cast<uint32_t>(i),
            init, key);
    }
    return;
  }
  std::vector<float> stretch(static_cast<size_t>(kStretch));
  for (int64_t i = 0; i < count; i += kStretch) {
    const int64_t n = std::min(kStretch, count - i);
    Reals(stretch.data(), static_cast<int32_t>(n), static_cast<uint32_t>(i), init, key);
    for (int64_t k = 0; k < n; ++k) {
      StoreElement(type, data, i + k, static_cast<double>(stretch[static_cast<size_t>(k)]));
    }
  }
}

Init PrefillOf(DType type) {
  if (IsFloating(type)) return {};
  if (type == DType::kBool) return {Init::Kind::kBernoulli, 0, 0.5, ""};
  return {Init::Kind::kRandint, 0, 128, ""};
}

void StressContent(void* data, int64_t count, DType type, const Init& init, uint64_t nonce,
                   uint32_t tensor) {
  constexpr int64_t kBlock = kStressBlock;
  constexpr double kScale = kStressScale, kOffset = kStressOffset;
  const bool normal = init.kind == Init::Kind::kNormal;
  const bool zero_fits = normal || (init.low <= 0 && init.high >= 0);
  if (!IsFloating(type) || (!normal && init.kind != Init::Kind::kUniform)) return;
  const Key key = KeyOf(~nonce, tensor);
  for (int64_t start = 0; start < count; start += kBlock) {
    const uint32_t kind = Random(static_cast<uint32_t>(start / kBlock), key) % 5;
    const double first = LoadElement(type, data, start);
    for (int64_t i = start; i < std::min(count, start + kBlock); ++i) {
      const double value = LoadElement(type, data, i);
      if (kind == 0 && normal) StoreElement(type, data, i, kScale * value);
      if (kind == 1 && normal) StoreElement(type, data, i, kOffset + value);
      if (kind == 2 && zero_fits) StoreElement(type, data, i, 0);
      if (kind == 3) StoreElement(type, data, i, first);
    }
  }
}

void FillPoison(void* data, int64_t count, DType type, uint64_t nonce) {
  const uint64_t pattern = PoisonPattern(type, nonce);
  switch (SizeOf(type)) {
    case 8:
      return FillWords<uint64_t>(data, count, pattern);
    case 4:
      return FillWords<uint32_t>(data, count, pattern);
    case 2:
      return FillWords<uint16_t>(data, count, pattern);
    default:
      return FillWords<uint8_t>(data, count, pattern);
  }
}

bool IsPoison(const void* data, int64_t index, DType type, uint64_t nonce) {
  const uint64_t pattern = PoisonPattern(type, nonce);
  const size_t size = SizeOf(type);
  return std::memcmp(static_cast<const char*>(data) + index * static_cast<int64_t>(size), &pattern,
                     size) == 0;  // little endian
}

}  // namespace kernelopt::worker
