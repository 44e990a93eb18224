// Turns the source files of a solution into a shared object.
//
// g++ runs in a sandbox that sees the system's headers and the solution's own
// files, nothing else. What it made is copied into sealed memory; the cache is
// written by the worker only, never by a compiler. Used from the job thread.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "kernelopt/v1/result.pb.h"
#include "build/toolchain.h"
#include "support/files.h"

namespace kernelopt::worker {

struct SourceText {
  std::string path, content;  // path as in the spec, already checked
};

struct CompilerOptions {
  Toolchain toolchain = CppToolchain();
  std::string cache_directory, work_directory;
  int64_t cache_bytes = int64_t{1} << 30;
  int64_t address_bytes = int64_t{4} << 30;
  int64_t object_bytes = 64 << 20;
  std::chrono::milliseconds timeout{120'000};
};

// Sealed memory with the shared object, and the record of how it was made.
struct Built {
  support::UniqueFd object;
  v1::Build record;
};

// BUILD_FAILED: COMPILE_ERROR or BUILD_LIMIT, and what to do.
struct BuildProblem {
  std::string reason, message;
  v1::Build record;
};

class Compiler {
 public:
  // Asks the compiler for its version. UNAVAILABLE when there is none.
  static absl::StatusOr<Compiler> Find(const CompilerOptions& options);

  // The first file is the main one. `more_flags` come behind the toolchain's. `log` gets
  // the compiler's output.
  absl::StatusOr<std::variant<Built, BuildProblem>> Build(
      const std::vector<SourceText>& files, const std::vector<std::string>& more_flags,
      const std::function<void(std::string_view)>& log) const;

  const std::string& version() const { return version_; }
  const Toolchain& toolchain() const { return options_.toolchain; }

 private:
  Compiler() = default;
  CompilerOptions options_;
  std::string version_, fingerprint_;
};

// SHA-256 of the canonical manifest: "<path>\0<sha256>\n" of each file, in
// order.
std::string SolutionDigest(const std::vector<SourceText>& files);

}  // namespace kernelopt::worker
