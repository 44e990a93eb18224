#include "build/compiler.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <mutex>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "build/cache.h"
#include "build/ptxas.h"
#include "build/seal.h"
#include "sandbox/sandbox.h"
#include "support/clock.h"
#include "support/ids.h"
#include "support/sha256.h"

namespace kernelopt::worker {
namespace {

// -march=native means other code on another CPU.
std::string CpuFeatures() {
  const auto info = support::ReadFile("/proc/cpuinfo");
  if (!info.ok()) return "";
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(*info, '\n'))) {
    if (absl::StartsWith(line, "flags") || absl::StartsWith(line, "Features")) return line;
  }
  return "";
}

// A folder that goes away with the object.
class WorkFolder {
 public:
  explicit WorkFolder(const std::string& parent) : path_(parent + "/" + support::NewId(0)) {}
  ~WorkFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  absl::Status Create(const std::vector<SourceText>& files) const {
    if (absl::Status s = support::MakeDirectories(path_ + "/src", 0755); !s.ok()) return s;
    if (absl::Status s = support::MakeDirectories(path_ + "/out", 0755); !s.ok()) return s;
    // The compiler's uid is not ours; the parent keeps everyone else out.
    if (chmod((path_ + "/out").c_str(), 0777) != 0) return support::ErrnoStatus("chmod", path_);
    for (const SourceText& file : files) {
      const std::string path = path_ + "/src/" + file.path;
      const std::string folder = path.substr(0, path.rfind('/'));
      if (absl::Status s = support::MakeDirectories(folder, 0755); !s.ok()) return s;
      const support::UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
      if (!fd.valid()) return support::ErrnoStatus("create", path);
      if (absl::Status s = support::WriteAll(fd.get(), file.content); !s.ok()) return s;
      fchmod(fd.get(), 0644);
    }
    std::error_code gone;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_ + "/src", gone)) {
      if (entry.is_directory(gone)) chmod(entry.path().c_str(), 0755);
    }
    chmod((path_ + "/src").c_str(), 0755);
    return absl::OkStatus();
  }
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

// Reads what the compiler left, without following a link it may have made.
absl::StatusOr<std::string> TakeObject(const std::string& path, int64_t most) {
  const support::UniqueFd fd(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return support::ErrnoStatus("open", path);
  struct stat info {};
  if (fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > most) {
    return absl::FailedPreconditionError("the compiler left no usable shared object");
  }
  return support::ReadAll(fd.get());
}

// "kernel.cpp:3:5: error: ..." of the first error, or the last line.
std::string FirstError(const std::string& output) {
  std::string last;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(output, '\n'))) {
    if (absl::StrContains(line, "error:") || absl::StrContains(line, "undefined reference")) {
      return line.substr(0, 500);
    }
    if (!line.empty()) last = line;
  }
  return last.substr(0, 500);
}

void KeepResources(const std::string& output, v1::Build& record) {
  for (v1::KernelResources& kernel : ReadPtxas(output)) *record.add_kernels() = std::move(kernel);
}

struct Ran {
  bool timed_out = false;
  SandboxEnd end;
  std::string output;  // first 64 KiB
};

absl::StatusOr<Ran> RunCompiler(const std::vector<std::string>& arguments, const std::string& folder,
                                const CompilerOptions& options,
                                const std::function<void(std::string_view)>& log) {
  constexpr size_t kKeep = 64 << 10;
  Ran ran;
  std::mutex mutex;
  SandboxSpec spec;
  spec.arguments = arguments;
  spec.read_only = {{folder + "/src", "/src"}};
  spec.read_only.insert(spec.read_only.end(), options.toolchain.read_only.begin(), options.toolchain.read_only.end());
  spec.writable = {{folder + "/out", "/out"}};
  spec.directory = "/src";
  spec.seccomp = SeccompProfile::kCompiler;
  spec.limits.address_bytes = options.address_bytes;
  spec.limits.file_bytes = options.object_bytes;
  spec.limits.tmp_bytes = int64_t{1} << 30;
  spec.limits.cpu_seconds = static_cast<int>(options.timeout.count() / 1000) + 1;
  spec.log = [&](std::string_view text) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (ran.output.size() >= kKeep) return;  // and the log keeps what fits
    ran.output.append(text.substr(0, kKeep - ran.output.size()));
    if (log) log(text);
  };
  auto sandbox = Sandbox::Spawn(spec);
  if (!sandbox.ok()) return sandbox.status();
  const auto end = (*sandbox)->Wait(options.timeout);
  ran.timed_out = !end.ok();
  if (end.ok()) ran.end = *end;
  sandbox->reset();  // its log thread has ended now
  return ran;
}

}  // namespace

std::string SolutionDigest(const std::vector<SourceText>& files) {
  support::Sha256 hash;
  for (const SourceText& file : files) {
    hash.Update(file.path);
    hash.Update(std::string_view("\0", 1));
    hash.Update(support::Sha256Hex(file.content));
    hash.Update("\n");
  }
  return hash.FinishHex();
}

absl::StatusOr<Compiler> Compiler::Find(const CompilerOptions& options) {
  Compiler compiler;
  compiler.options_ = options;
  for (const std::string& folder : {options.cache_directory, options.work_directory}) {
    if (absl::Status s = support::MakeDirectories(folder); !s.ok()) return s;
  }
  std::error_code ignored;  // what a killed worker left behind
  for (const auto& entry : std::filesystem::directory_iterator(options.work_directory, ignored)) {
    std::filesystem::remove_all(entry.path(), ignored);
  }
  WorkFolder folder(options.work_directory);
  if (absl::Status s = folder.Create({}); !s.ok()) return s;
  const Toolchain& chain = options.toolchain;
  const auto ran = RunCompiler({chain.program, "--version"}, folder.path(), options, nullptr);
  if (!ran.ok()) return ran.status();
  const auto binary = support::ReadFile(chain.program);
  if (ran->end.code != 0 || !binary.ok()) {
    return absl::UnavailableError(absl::StrCat(chain.program, " does not run (exit code ", ran->end.code, ", ",
                                               ran->output, "): ", chain.install));
  }
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(ran->output, '\n'))) {
    if (!compiler.version_.empty() || !absl::StrContains(line, chain.version_mark)) continue;
    compiler.version_ = line;
  }
  compiler.fingerprint_ =
      absl::StrCat(compiler.version_, support::Sha256Hex(*binary), CpuFeatures(), chain.cutlass_digest);
  return compiler;
}

absl::StatusOr<std::variant<Built, BuildProblem>> Compiler::Build(
    const std::vector<SourceText>& files, const std::vector<std::string>& more_flags,
    const std::function<void(std::string_view)>& log) const {
  using Result = std::variant<Built, BuildProblem>;
  std::vector<std::string> flags = options_.toolchain.flags;
  flags.insert(flags.end(), more_flags.begin(), more_flags.end());
  v1::Build record;
  record.set_solution_digest(SolutionDigest(files));
  record.set_compiler(version_);
  for (const std::string& flag : flags) record.add_flags(flag);
  record.set_cache_key(support::Sha256Hex(
      absl::StrCat(record.solution_digest(), "\n", absl::StrJoin(flags, "\n"), "\n", fingerprint_)));
  const ObjectCache cache(options_.cache_directory, options_.cache_bytes);
  std::string object;
  if (auto hit = cache.Get(record.cache_key())) {
    record.set_cached(true);
    object = *std::move(hit);
    KeepResources(cache.Get(record.cache_key() + ".ptxas").value_or(""), record);
  } else {
    const WorkFolder folder(options_.work_directory);
    if (absl::Status s = folder.Create(files); !s.ok()) return s;
    std::vector<std::string> arguments = {options_.toolchain.program};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    arguments.insert(arguments.end(), {"-o", "/out/solution.so", files[0].path});
    const double begin = support::MonotonicSeconds();
    const auto ran = RunCompiler(arguments, folder.path(), options_, log);
    if (!ran.ok()) return ran.status();
    record.set_seconds(support::MonotonicSeconds() - begin);
    if (ran->timed_out || (ran->end.signalled && ran->end.code != 11)) {
      return Result(BuildProblem{"BUILD_LIMIT",
                                 absl::StrCat("the compiler went over its limit of ",
                                              options_.timeout.count() / 1000, " s or ",
                                              options_.address_bytes >> 20,
                                              " MiB; make the source smaller"),
                                 record});
    }
    if (ran->end.code != 0) {
      const bool memory = absl::StrContains(ran->output, "virtual memory exhausted") ||
                          absl::StrContains(ran->output, "out of memory") ||
                          absl::StrContains(ran->output, "File size limit");
      return Result(BuildProblem{memory ? "BUILD_LIMIT" : "COMPILE_ERROR",
                                 absl::StrCat(memory ? "the compiler went over a limit: " : "",
                                              FirstError(ran->output),
                                              "; the whole output is in `koptctl logs`"),
                                 record});
    }
    auto made = TakeObject(folder.path() + "/out/solution.so", options_.object_bytes);
    if (!made.ok()) {
      return Result(BuildProblem{"COMPILE_ERROR", std::string(made.status().message()), record});
    }
    object = *std::move(made);
    cache.Put(record.cache_key(), object);
    KeepResources(ran->output, record);
    if (record.kernels_size() > 0) cache.Put(record.cache_key() + ".ptxas", ran->output);
  }
  record.set_binary_digest(support::Sha256Hex(object));
  auto fd = Seal(object);
  if (!fd.ok()) return fd.status();
  Built built{*std::move(fd), record};
  return Result(std::move(built));
}

}  // namespace kernelopt::worker
