// What kinds of comparison need beside element by element.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "values/check.h"

namespace kernelopt::worker {
namespace {

// Sign and magnitude to a number line on which neighbours differ by 1.
int64_t OnLine(DType type, const void* base, int64_t index) {
  const size_t size = SizeOf(type);
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const char*>(base) + static_cast<size_t>(index) * size, size);
  const uint64_t sign = uint64_t{1} << (8 * size - 1);
  const auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

template <class T>
void SortAs(void* dense, int64_t count, int64_t row) {
  auto* at = static_cast<T*>(dense);
  for (int64_t start = 0; start < count; start += row) std::sort(at + start, at + std::min(count, start + row));
}

// Types without an operator: by value, through an index.
void SortByValue(DType type, void* dense, int64_t count, int64_t row) {
  const size_t size = SizeOf(type);
  std::vector<int64_t> order(static_cast<size_t>(row));
  std::vector<char> sorted(static_cast<size_t>(row) * size);
  for (int64_t start = 0; start < count; start += row) {
    char* at = static_cast<char*>(dense) + static_cast<size_t>(start) * size;
    std::iota(order.begin(), order.end(), int64_t{0});
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const double x = LoadElement(type, at, a), y = LoadElement(type, at, b);
      return std::isnan(y) ? !std::isnan(x) : x < y;
    });
    for (size_t i = 0; i < order.size(); ++i) {
      std::memcpy(sorted.data() + i * size, at + static_cast<size_t>(order[i]) * size, size);
    }
    std::memcpy(at, sorted.data(), sorted.size());
  }
}

}  // namespace

int64_t UlpsApart(DType type, const void* a, const void* b, int64_t index) {
  const double x = LoadElement(type, a, index), y = LoadElement(type, b, index);
  if (std::isnan(x) || std::isnan(y)) return int64_t{1} << 62;
  // Two 63-bit magnitudes of opposite sign would overflow.
  int64_t apart = 0;
  const bool over = __builtin_sub_overflow(OnLine(type, a, index), OnLine(type, b, index), &apart);
  return over ? int64_t{1} << 62 : std::abs(apart);
}

void SortRows(DType type, void* dense, int64_t count, int64_t row) {
  switch (type) {
    case DType::kInt64: return SortAs<int64_t>(dense, count, row);
    case DType::kUint64: return SortAs<uint64_t>(dense, count, row);
    default: return SortByValue(type, dense, count, row);
  }
}

Distance KolmogorovSmirnov(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr double kFactor = 2.4704;  // sqrt(-ln(1e-5 / 2) / 2)
  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  Distance distance{0, kFactor * std::sqrt((n + m) / (n * m))};
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const double at = std::min(a[i], b[j]);
    while (i < a.size() && a[i] <= at) ++i;
    while (j < b.size() && b[j] <= at) ++j;
    distance.found = std::max(distance.found, std::fabs(static_cast<double>(i) / n - static_cast<double>(j) / m));
  }
  return distance;
}

}  // namespace kernelopt::worker
