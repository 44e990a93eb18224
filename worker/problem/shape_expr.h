// Shape expressions: "M,K", "N*2 + 1", "(H - K)/S + 1".
//
// Integers, names of dims, + - * / and parentheses; division must come out
// even. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace kernelopt::worker {

struct Shape {
  std::vector<int64_t> extents;
  std::set<std::string> used;  // names that occurred
};

// NOT_FOUND: a name without a value, the message holds just the name.
// INVALID_ARGUMENT: syntax. OUT_OF_RANGE: an extent below 1, a division with
// remainder, or overflow.
absl::StatusOr<Shape> EvaluateShape(std::string_view text,
                                    const std::map<std::string, int64_t>& dims);

}  // namespace kernelopt::worker
