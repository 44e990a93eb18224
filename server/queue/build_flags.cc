#include "queue/build_flags.h"

#include <algorithm>
#include <array>
#include <regex>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace kernelopt::server {
namespace {

constexpr size_t kLongest = 512;

// To allow another one for everybody: a line here.
constexpr std::array kAllowed = {
    // g++ and nvcc
    R"(-O[0-3sg]|-Ofast)", R"(-std=(c|gnu)\+\+\d\w)", R"(-g|-G|-pthread|-w|-pedantic)", R"(-W(no-)?[a-z][a-z0-9+=-]*)",
    R"([-][DU][A-Za-z_]\w*(=[^\n]*)?)", R"(-I(?!.*\.\.)[A-Za-z0-9_][\w./-]*|-I\.)", R"(-l[\w+.-]+)",
    // code generation of g++; no plugins, profiles, dumps or sanitizers
    R"(-f(?!plugin|profile|dump|sanitize|auto-profile|lto-partition|debug|macro|file|use-ld)[a-z][a-z0-9=-]*)",
    R"(-m[a-z][\w=.+-]*)",
    // nvcc
    R"(-?-(use_fast_math|lineinfo|generate-line-info|extra-device-vectorization|dlto|extended-lambda|expt-(relaxed-constexpr|extended-lambda)))",
    R"(-?-(ftz|fmad|prec-div|prec-sqrt|rdc|relocatable-device-code)=(true|false))", R"(-?-(maxrregcount|split-compile)=?\d+)",
    R"(-?-default-stream=(legacy|per-thread|null))", R"(-?-diag-suppress[=]?[\d,]+)",
};
// After -Xptxas and -Xcompiler, as an argument of its own or behind a =.
constexpr std::array kPtxas = {R"(-?-(v|O\d|warn-spills|warn-lmem-usage|opt-level=\d|(dlcm|dscm|def-load-cache|def-store-cache)=\w+))",
                               R"(-?-(allow-expensive-optimizations|fmad)=(true|false))", R"(-?-(maxrregcount|register-usage-level)=\d+)"};

using Patterns = std::vector<std::regex>;  // making one costs more than many matches

bool MatchesAny(const std::string& flag, const Patterns& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::regex& p) { return std::regex_match(flag, p); });
}

bool Allowed(const std::string& flag, const std::vector<std::string>& more) {
  static const Patterns patterns(kAllowed.begin(), kAllowed.end());
  return MatchesAny(flag, patterns) ||
         std::any_of(more.begin(), more.end(), [&](const std::string& begin) { return absl::StartsWith(flag, begin); });
}

bool AllowedForPtxas(const std::string& flag) {
  static const Patterns patterns(kPtxas.begin(), kPtxas.end());
  return MatchesAny(flag, patterns);
}

// For one that hands its argument on: its name, else "".
std::string HandsOn(const std::string& flag) {
  for (const char* name : {"-Xptxas", "--ptxas-options", "-Xcompiler", "--compiler-options"}) {
    if (flag == name || absl::StartsWith(flag, absl::StrCat(name, "="))) return name;
  }
  return "";
}

}  // namespace

std::string RefusedFlag(const std::vector<std::string>& flags, const std::vector<std::string>& more) {
  for (size_t i = 0; i < flags.size(); ++i) {
    const std::string& flag = flags[i];
    if (flag.size() > kLongest) return absl::StrCat("\"", flag.substr(0, 80), "...\" has more than ", kLongest, " characters");
    const std::string to = HandsOn(flag);
    bool good = to.empty() && Allowed(flag, more);
    if (!to.empty()) {
      const bool apart = flag == to;
      if (apart && i + 1 == flags.size()) return absl::StrCat("\"", flag, "\" needs the flag that it hands on");
      const std::string handed = apart ? flags[++i] : flag.substr(to.size() + 1);
      good = handed.size() <= kLongest &&
             (absl::StrContains(to, "ptxas") ? AllowedForPtxas(handed) : Allowed(handed, more));
    }
    if (good) continue;
    if (absl::StrContains(flag, "arch") || absl::StrContains(flag, "gencode")) {
      return absl::StrCat("\"", flag.substr(0, 80), "\": the architecture is that of the job's device and cannot be chosen");
    }
    return absl::StrCat("\"", flags[i].substr(0, 80), "\" is not among the flags that jobs may use (code generation, warnings, "
                        "macros, -lNAME, -Ifolder of the solution); an administrator may allow more with limits.flags");
  }
  return "";
}

}  // namespace kernelopt::server
