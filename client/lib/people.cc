#include "client/lib/people.h"

#include <pwd.h>

#include <cmath>
#include <ctime>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"

namespace kernelopt::client {
namespace {

google::protobuf::Timestamp AtSecond(int64_t s) {
  google::protobuf::Timestamp time;
  time.set_seconds(s);
  return time;
}

passwd* Find(uint32_t uid, passwd& entry, std::vector<char>& buffer) {
  passwd* found = nullptr;
  getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found);
  return found;
}

}  // namespace

absl::StatusOr<int64_t> ParseDuration(const std::string& text) {
  struct Unit {
    const char* suffix;
    double seconds;
  };
  for (const Unit& unit : {Unit{"min", 60}, Unit{"s", 1}, Unit{"m", 60}, Unit{"h", 3600}, Unit{"d", 86400}}) {
    absl::string_view number = text;
    double value = 0;
    if (!absl::ConsumeSuffix(&number, unit.suffix) || !absl::SimpleAtod(number, &value)) continue;
    if (value < 0 || value * unit.seconds > 1e10) break;
    return static_cast<int64_t>(std::llround(value * unit.seconds));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is not a length of time; write 45s, 30min, 2h or 90d"));
}

absl::StatusOr<google::protobuf::Timestamp> ParseTime(const std::string& text, int64_t now_s) {
  absl::string_view after = text;
  const bool plus = absl::ConsumePrefix(&after, "+");
  if (const auto length = ParseDuration(std::string(after)); length.ok()) return AtSecond(now_s + *length);
  const absl::TimeZone local = absl::LocalTimeZone();
  absl::Time time;
  std::string error;
  if (!plus && absl::ParseTime("%H:%M", text, local, &time, &error)) {
    // The year is 1970: keep the clock, take today, or tomorrow when it has passed.
    const absl::CivilSecond clock = absl::ToCivilSecond(time, local);
    const absl::CivilDay today = absl::ToCivilDay(absl::FromUnixSeconds(now_s), local);
    const auto on = [&](absl::CivilDay day) {
      return absl::ToUnixSeconds(absl::FromCivil(
          absl::CivilSecond(day.year(), day.month(), day.day(), clock.hour(), clock.minute()), local));
    };
    return AtSecond(on(today) > now_s ? on(today) : on(today + 1));
  }
  for (const char* form : {"%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d"}) {
    if (!plus && absl::ParseTime(form, text, local, &time, &error)) return AtSecond(absl::ToUnixSeconds(time));
  }
  if (!plus && absl::ParseTime(absl::RFC3339_full, text, &time, &error)) {
    return AtSecond(absl::ToUnixSeconds(time));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is not a time; write 18:00, +2h, \"2026-11-22 18:00\" or "
                   "2026-11-22T18:00:00Z"));
}

std::string ClockText(const google::protobuf::Timestamp& time, int64_t now_s) {
  const absl::TimeZone local = absl::LocalTimeZone();
  const absl::Time at = absl::FromUnixSeconds(time.seconds());
  const bool today = absl::ToCivilDay(at, local) == absl::ToCivilDay(absl::FromUnixSeconds(now_s), local);
  return absl::FormatTime(today ? "%H:%M" : "%b %e %H:%M", at, local);
}

absl::StatusOr<uint32_t> ParseUser(const std::string& text) {
  uint32_t uid = 0;
  if (absl::SimpleAtoi(text, &uid)) return uid;
  std::vector<char> buffer(16 << 10);
  passwd entry{};
  passwd* found = nullptr;
  getpwnam_r(text.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (found != nullptr) return found->pw_uid;
  return absl::NotFoundError(absl::StrCat("there is no user \"", text, "\" on this machine"));
}

std::string UserName(uint32_t uid) {
  std::vector<char> buffer(16 << 10);
  passwd entry{};
  const passwd* found = Find(uid, entry, buffer);
  return found != nullptr ? found->pw_name : absl::StrCat(uid);
}

std::string BytesText(int64_t bytes) {
  if (bytes < 1024) return absl::StrCat(bytes, " B");
  double value = static_cast<double>(bytes);
  const char* unit = "";
  for (const char* next : {"KiB", "MiB", "GiB", "TiB"}) {
    if (value < 1024) break;
    value /= 1024;
    unit = next;
  }
  return absl::StrFormat("%.*f %s", value < 10 ? 1 : 0, value, unit);
}

}  // namespace kernelopt::client
