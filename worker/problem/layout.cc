#include "problem/layout.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "problem/shape_expr.h"

namespace kernelopt::worker {
namespace {

std::vector<int64_t> ColumnMajor(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides;
  int64_t next = 1;
  for (const int64_t extent : shape) {
    strides.push_back(next);
    next *= extent;
  }
  return strides;
}

// From the smallest stride up, each must step over everything below it.
bool Overlaps(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides) {
  std::vector<size_t> order;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] > 1) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return strides[a] < strides[b]; });
  int64_t reach = 0;
  for (const size_t i : order) {
    if (strides[i] <= reach) return true;
    reach += (shape[i] - 1) * strides[i];
  }
  return false;
}

}  // namespace

std::variant<Layout, InvalidProblem> LayOut(const std::vector<int64_t>& shape,
                                            const std::string& where) {
  Layout layout{shape, {}, 1, 1};
  for (const int64_t extent : shape) {
    if (__builtin_mul_overflow(layout.elements, extent, &layout.elements)) {
      return InvalidProblem{"DIM_OUT_OF_RANGE", absl::StrCat(where, " is too large")};
    }
  }
  layout.span = layout.elements;
  return layout;
}

std::variant<Layout, InvalidProblem> LayOut(const std::vector<int64_t>& shape,
                                            const DeclaredTensor& declared,
                                            const std::map<std::string, int64_t>& dims,
                                            const std::string& where) {
  auto dense = LayOut(shape, where);
  if (!std::holds_alternative<Layout>(dense)) return dense;
  Layout layout = std::get<Layout>(dense);
  if (declared.column_major) layout.strides = ColumnMajor(shape);
  if (!declared.strides.empty()) {
    const absl::StatusOr<Shape> strides = EvaluateShape(declared.strides, dims);
    if (absl::IsNotFound(strides.status())) {
      return InvalidProblem{"MISSING_DIM", std::string(strides.status().message())};
    }
    if (!strides.ok()) {
      return InvalidProblem{"PROBLEM_FORMAT", absl::StrCat(where, ": strides: ", std::string(strides.status().message()))};
    }
    layout.strides = strides->extents;
  }
  if (!layout.strided()) return layout;
  if (layout.strides.size() != shape.size()) {
    return InvalidProblem{"PROBLEM_FORMAT", absl::StrCat(where, ": ", layout.strides.size(), " strides for ",
                                                         shape.size(), " dimensions")};
  }
  layout.span = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t reach = 0;
    if (__builtin_mul_overflow(shape[i] - 1, layout.strides[i], &reach) ||
        __builtin_add_overflow(layout.span, reach, &layout.span)) {
      return InvalidProblem{"DIM_OUT_OF_RANGE", absl::StrCat(where, " is too large")};
    }
  }
  if (Overlaps(shape, layout.strides)) {
    return InvalidProblem{"PROBLEM_FORMAT", absl::StrCat(where, ": with these strides elements overlap")};
  }
  return layout;
}

std::variant<Layout, InvalidProblem> InParts(Layout whole, const std::string& where) {
  if (__builtin_mul_overflow(whole.elements, 2, &whole.elements) || __builtin_mul_overflow(whole.span, 2, &whole.span)) {
    return InvalidProblem{"DIM_OUT_OF_RANGE", absl::StrCat(where, " is too large")};
  }
  whole.shape.push_back(2);
  for (int64_t& stride : whole.strides) stride *= 2;
  if (whole.strided()) whole.strides.push_back(1);
  return whole;
}

Layout Whole(Layout parts) {
  parts.shape.pop_back();
  parts.elements /= 2;
  parts.span /= 2;
  if (!parts.strided()) return parts;
  parts.strides.pop_back();
  for (int64_t& stride : parts.strides) stride /= 2;
  return parts;
}

std::vector<int64_t> Places(const Layout& layout) {
  std::vector<int64_t> places(static_cast<size_t>(layout.elements));
  std::vector<int64_t> index(layout.shape.size(), 0);
  int64_t at = 0;
  for (int64_t& place : places) {
    place = at;
    for (size_t d = index.size(); d-- > 0;) {  // an odometer, the last wheel turns fastest
      at += layout.strides[d];
      if (++index[d] < layout.shape[d]) break;
      at -= layout.strides[d] * layout.shape[d];
      index[d] = 0;
    }
  }
  return places;
}

void Gather(const Layout& layout, size_t size, const void* memory, void* dense) {
  auto* out = static_cast<char*>(dense);
  if (!layout.strided()) {
    std::memcpy(out, memory, static_cast<size_t>(layout.elements) * size);
    return;
  }
  for (const int64_t place : Places(layout)) {
    std::memcpy(out, static_cast<const char*>(memory) + static_cast<size_t>(place) * size, size);
    out += size;
  }
}

void Scatter(const Layout& layout, size_t size, const void* dense, void* memory) {
  const auto* in = static_cast<const char*>(dense);
  if (!layout.strided()) {
    std::memcpy(memory, in, static_cast<size_t>(layout.elements) * size);
    return;
  }
  for (const int64_t place : Places(layout)) {
    std::memcpy(static_cast<char*>(memory) + static_cast<size_t>(place) * size, in, size);
    in += size;
  }
}

std::vector<char> Dense(const Layout& layout, size_t size, const void* memory) {
  std::vector<char> dense(static_cast<size_t>(layout.elements) * size);
  Gather(layout, size, memory, dense.data());
  return dense;
}

}  // namespace kernelopt::worker
