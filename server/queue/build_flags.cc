#include "queue/build_flags.h"

#include <algorithm>
#include <array>
#include <regex>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace kernelopt::server {
namespace {

constexpr size_t kLongest = 512;

// -fNAME and -fno-NAME of g++ that change code or messages, and neither read nor
// write files.
constexpr std::array<std::string_view, 47> kCodeFlags = {
    "PIC", "associative-math", "asynchronous-unwind-tables", "char8_t", "concepts", "coroutines", "cx-limited-range", "data-sections",
    "delete-null-pointer-checks", "exceptions", "fast-math", "finite-math-only", "float-store", "function-sections", "gcse", "inline",
    "inline-functions", "ivopts", "lto", "math-errno", "merge-all-constants", "modulo-sched", "omit-frame-pointer", "openmp", "openmp-simd",
    "peel-loops", "permissive", "pic", "prefetch-loop-arrays", "reciprocal-math", "rename-registers", "reorder-blocks", "rounding-math", "rtti",
    "signed-zeros", "split-loops", "stack-protector", "strict-aliasing", "threadsafe-statics", "tracer", "trapping-math", "tree-slp-vectorize",
    "tree-vectorize", "unroll-all-loops", "unroll-loops", "unsafe-math-optimizations", "wrapv"};

// To allow another one for everybody: a line here.
constexpr std::array kAllowed = {
    // g++ and nvcc
    R"(-O[0-3sg]|-Ofast|--?std=(c|gnu)\+\+\d\w|-g|-G|-pthread|-w|-pedantic)", R"(-W(no-)?[a-z]{2}[a-z0-9+-]*(=\w+)?)",
    R"(-[DU][A-Za-z_]\w*(=[\w.+:/-]*)?)",  // nvcc hands values to a shell
    R"(-I(\./)?(?!.*\.\.)[A-Za-z0-9_][\w./-]*|-I\.)",
    R"(-l(cublas|cublasLt|cudnn\w*|cufft|cufftw|curand|cusparse|cusolver|cutensor|nvrtc|nvJitLink|nccl|cuda|cudart|cudadevrt)(_static)?)",
    R"(-l(m|dl|rt|pthread|atomic|gomp|tbb|blas|cblas|lapack|openblas|mkl_rt|fftw3|fftw3f|nvToolsExt))",
    // code generation of g++
    R"(-f(fp-contract=(fast|on|off)|excess-precision=(fast|standard)|visibility=hidden|vect-cost-model=[a-z-]+))",
    R"(-f(inline-limit|template-depth|constexpr-(depth|ops-limit|loop-limit)|max-errors|align-(functions|loops|jumps))=\d+)", R"(-m(32|64|[a-z][\w=.+-]*))",
    // nvcc
    R"(-?-(use_fast_math|lineinfo|generate-line-info|extra-device-vectorization|dlto|extended-lambda|expt-(relaxed-constexpr|extended-lambda)))",
    R"(-?-(ftz|fmad|prec-div|prec-sqrt|rdc|relocatable-device-code)=(true|false))", R"(-?-(maxrregcount|split-compile|threads)=\d+|-t\d+)",
    R"(-?-default-stream=(legacy|per-thread|null)|--resource-usage|-res-usage)", R"(-?-(diag-suppress|Werror)=[\w,-]+)",
};
// What nvcc hands on, as an argument of its own or behind a =.
constexpr std::array kPtxas = {R"(-?-(v|verbose|O\d|opt-level=\d|warn-(spills|lmem-usage|double-usage)|(dlcm|dscm|def-load-cache|def-store-cache)=\w+))",
                               R"(-?-(allow-expensive-optimizations|fmad)=(true|false))", R"(-?-(maxrregcount|register-usage-level)=\d+)"};
constexpr std::array kFrontEnd = {R"(--(diag|display)_\w+(=\w+)?)"};

static_assert(std::is_sorted(kCodeFlags.begin(), kCodeFlags.end()));

using Patterns = std::vector<std::regex>;  // making one costs more than many matches

bool MatchesAny(const std::string& flag, const Patterns& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::regex& p) { return std::regex_match(flag, p); });
}

bool IsCodeFlag(std::string_view flag) {
  if (!flag.starts_with("-f")) return false;
  flag.remove_prefix(flag.starts_with("-fno-") ? 5 : 2);
  return std::binary_search(kCodeFlags.begin(), kCodeFlags.end(), flag);
}

bool Listed(const std::string& flag, const std::vector<std::string>& more) {
  return std::any_of(more.begin(), more.end(), [&](const std::string& begin) { return absl::StartsWith(flag, begin); });
}

bool Allowed(const std::string& flag, const std::vector<std::string>& more) {
  static const Patterns patterns(kAllowed.begin(), kAllowed.end());
  return IsCodeFlag(flag) || MatchesAny(flag, patterns) || Listed(flag, more);
}

struct Receiver {
  const char *name, *also;
  Patterns patterns;  // none: as for the compiler itself
};

const std::vector<Receiver>& Receivers() {
  static const std::vector<Receiver> receivers = {{"-Xptxas", "--ptxas-options", {kPtxas.begin(), kPtxas.end()}},
                                                  {"-Xcudafe", "--cudafe-options", {kFrontEnd.begin(), kFrontEnd.end()}},
                                                  {"-Xcompiler", "--compiler-options", {}}};
  return receivers;
}

// Whom nvcc hands the argument of this flag on to.
const Receiver* ReceiverOf(const std::string& flag) {
  const std::string name = flag.substr(0, flag.find('='));
  for (const Receiver& receiver : Receivers()) {
    if (name == receiver.name || name == receiver.also) return &receiver;
  }
  return nullptr;
}

// A list with commas, each of which becomes an argument.
bool AllowedFor(const Receiver& receiver, const std::string& list, const std::vector<std::string>& more) {
  const std::vector<std::string> flags = absl::StrSplit(list, ',');
  return std::all_of(flags.begin(), flags.end(), [&](const std::string& flag) {
    return receiver.patterns.empty() ? Allowed(flag, more) : MatchesAny(flag, receiver.patterns) || Listed(flag, more);
  });
}

}  // namespace

std::string RefusedFlag(const std::vector<std::string>& flags, const std::vector<std::string>& more) {
  for (size_t i = 0; i < flags.size(); ++i) {
    const std::string& flag = flags[i];
    if (flag.size() > kLongest) return absl::StrCat("\"", flag.substr(0, 80), "...\" has more than ", kLongest, " characters");
    const Receiver* const receiver = ReceiverOf(flag);
    bool good = receiver == nullptr && Allowed(flag, more);
    if (receiver != nullptr) {
      const size_t equals = flag.find('=');
      if (equals == std::string::npos && i + 1 == flags.size()) return absl::StrCat("\"", flag, "\" needs the flag that it hands on");
      const std::string handed = equals == std::string::npos ? flags[++i] : flag.substr(equals + 1);
      good = handed.size() <= kLongest && AllowedFor(*receiver, handed, more);
    }
    if (good) continue;
    if (absl::StrContains(flag, "arch") || absl::StrContains(flag, "gencode")) {
      return absl::StrCat("\"", flag.substr(0, 80), "\": the architecture is that of the job's device and cannot be chosen");
    }
    if (flags[i][0] != '-') return absl::StrCat("\"", flags[i].substr(0, 80), "\" must start with -; write a flag and its value as one: -maxrregcount=64");
    return absl::StrCat("\"", flags[i].substr(0, 80), "\" is not among the flags that jobs may use (code generation, warnings, "
                        "macros, -lNAME, -Ifolder of the solution); an administrator may allow more with limits.flags");
  }
  return "";
}

}  // namespace kernelopt::server
