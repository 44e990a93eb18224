// What people type and read instead of numbers: times and user names.
#pragma once

#include <google/protobuf/timestamp.pb.h>

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace kernelopt::client {

// `18:00` (the next one, local), `+2h`, `90s`, `3d`, `2026-11-22`,
// `2026-11-22 18:00` (local) or RFC 3339. INVALID_ARGUMENT lists the forms.
absl::StatusOr<google::protobuf::Timestamp> ParseTime(const std::string& text, int64_t now_s);
// `90d`, `2h`, `30min`, `45s` -> seconds. INVALID_ARGUMENT.
absl::StatusOr<int64_t> ParseDuration(const std::string& text);
// Local time, short: `18:00` today, `Nov 22 18:00` otherwise.
std::string ClockText(const google::protobuf::Timestamp& time, int64_t now_s);

// Name or number of a user of this machine -> uid. NOT_FOUND.
absl::StatusOr<uint32_t> ParseUser(const std::string& text);
// The name of a uid; the number where it has none.
std::string UserName(uint32_t uid);

// "1.5 GiB", "812 B".
std::string BytesText(int64_t bytes);

}  // namespace kernelopt::client
