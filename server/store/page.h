// Sizes and tokens of pages, the same for every List call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "support/status.h"

namespace kernelopt::server {

// 0 means 50, more than 1,000 means 1,000. INVALID_ARGUMENT BAD_REQUEST: negative.
inline absl::StatusOr<int> PageSize(int32_t asked) {
  if (asked < 0) return support::BadRequest({{"page_size", "must not be negative"}});
  return asked == 0 ? 50 : std::min(asked, 1000);
}

// Where a page begins: the number in the token, `first` without one.
// INVALID_ARGUMENT BAD_REQUEST.
inline absl::StatusOr<int64_t> PageBegin(const std::string& token, int64_t first) {
  int64_t begin = first;
  if (token.empty() || absl::SimpleAtoi(token, &begin)) return begin;
  return support::BadRequest({{"page_token", "is not one this server gave out"}});
}

}  // namespace kernelopt::server
