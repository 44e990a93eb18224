#include "judge/compile_ahead.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "build/cache.h"
#include "build/seal.h"
#include "judge/python_process.h"
#include "support/clock.h"
#include "support/sha256.h"

namespace kernelopt::worker {
namespace {

using nlohmann::json;

// What is kept: a line of JSON as the process answers, {"packed": 24, "why": "", "state": "complete"}, then the archive.
struct Packed {
  std::string archive;
  CompiledAhead about;
};

std::string TextOf(const Packed& packed) {
  const json about = {{"packed", packed.about.files}, {"why", packed.about.why}, {"state", packed.about.complete ? "complete" : "to be continued"}};
  return absl::StrCat(about.dump(-1, ' ', false, json::error_handler_t::replace), "\n", packed.archive);
}

Packed PackedOf(const std::string& text) {
  const size_t line = text.find('\n');
  return line == std::string::npos ? Packed{} : Packed{text.substr(line + 1), ReadAhead(text.substr(0, line))};
}

json RequestOf(const Bench& bench, const std::string& path, const JobPlan& plan) {
  int arch = 0;
  (void)absl::SimpleAtoi(absl::StripSuffix(bench.ahead.arch, "a"), &arch);
  json request = {{"op", "ahead"}, {"path", path}, {"arch", arch}, {"seconds", bench.ahead.seconds}, {"workloads", json::array()}};
  for (const WorkloadPlan& workload : plan.workloads) {
    if (workload.hidden) continue;
    json parameters = json::array();
    for (const Parameter& p : workload.contract.parameters) parameters.push_back(DescribeParameter(p));
    request["workloads"].push_back({{"dims", DimsOf(workload.problem)}, {"kernelbench", KernelBenchOf(workload.contract)}, {"parameters", parameters}});
  }
  return request;
}

std::string KeyOf(const Bench& bench, const std::vector<SourceText>& files, const JobPlan& plan, const json& request) {
  const PythonOptions& python = bench.python;
  json all = {{"request", request}, {"python", python.python}, {"compiler", python.host_compiler},
              {"framework", plan.host.framework}, {"triton", plan.host.triton},
              {"how", support::Sha256Hex(support::ReadFile(python.scripts + "/kopt_ahead.py").value_or(""))}};
  for (const SourceText& file : files) all["files"].push_back({file.path, support::Sha256Hex(file.content)});
  return support::Sha256Hex(all.dump(-1, ' ', false, json::error_handler_t::replace));
}

// Of memory that a process wrote which has ended.
absl::StatusOr<std::string> ContentOf(int fd, int64_t max_bytes) {
  struct stat about {};
  if (fstat(fd, &about) != 0) return absl::InternalError("the archive has no size");
  if (about.st_size > max_bytes) return absl::ResourceExhaustedError(absl::StrCat("more than ", max_bytes >> 20, " MiB"));
  std::string content(static_cast<size_t>(about.st_size), '\0');
  if (pread(fd, content.data(), content.size(), 0) != about.st_size) return absl::InternalError("the archive cannot be read");
  return content;
}

class Compilation {
 public:
  Compilation(Bench& bench, const json& request) : bench_(bench), request_(request) {}

  // From where an earlier one got to (empty: from the beginning).
  absl::StatusOr<Packed> Run(const std::vector<SourceText>& files, const std::string& earlier) {
    if (absl::Status s = Start(); !s.ok()) return s;
    for (const SourceText& file : files) {
      if (absl::Status s = Give({{"op", "file"}, {"path", file.path}}, file.content); !s.ok()) return s;
    }
    if (!earlier.empty()) {
      if (absl::Status s = Give({{"op", "cache"}}, earlier); !s.ok()) return s;
    }
    const support::UniqueFd archive(memfd_create("kopt-ahead", MFD_CLOEXEC));
    if (archive.get() < 0) return absl::ResourceExhaustedError("memfd_create");
    const auto answer = Ask(request_, archive.get());
    if (!answer.ok()) return answer.status();
    process_.reset();
    auto content = ContentOf(archive.get(), bench_.ahead.archive_bytes);
    if (!content.ok()) return content.status();
    return Packed{*std::move(content), ReadAhead(*answer)};
  }

 private:
  // It says nothing to the user: what a solution prints comes again when it runs.
  absl::Status Start() {
    PythonOptions python = bench_.python;
    python.log = nullptr;
    python.call_timeout = std::chrono::seconds(bench_.ahead.seconds + 5);
    auto process = PythonProcess::Start(bench_.device, python, PythonProcess::Kind::kAhead, -1);
    if (!process.ok()) return process.status();
    process_ = *std::move(process);
    return process_->WaitReady().status();
  }

  absl::StatusOr<std::string> Ask(const json& request, int fd) {
    const auto answer = process_->Exchange(request, {fd});
    if (!answer.ok()) return answer.status();
    if (const auto* refused = std::get_if<InvalidProblem>(&*answer)) return absl::FailedPreconditionError(refused->message);
    return std::get<std::string>(*answer);
  }

  absl::Status Give(const json& request, const std::string& content) {
    const auto fd = Seal(content);
    return fd.ok() ? Ask(request, fd->get()).status() : fd.status();
  }

  Bench& bench_;
  const json& request_;
  std::unique_ptr<PythonProcess> process_;
};

std::string Remainder(const CompiledAhead& about) {
  return about.why.empty() ? "" : absl::StrCat("; what else there is compiles in the first call: ", about.why);
}

}  // namespace

std::string CompileAhead(Bench& bench, const std::vector<SourceText>& files, const JobPlan& plan,
                         const std::function<void(std::string_view)>& log) {
  if (bench.ahead.arch.empty()) return "";
  const json request = RequestOf(bench, files[0].path, plan);
  const ObjectCache cache(bench.ahead.directory, bench.ahead.max_bytes);
  const std::string key = KeyOf(bench, files, plan, request);
  const Packed kept = PackedOf(cache.Get(key).value_or(""));
  if (kept.about.complete) {
    log(absl::StrCat(files[0].path, ": was compiled for an earlier job", Remainder(kept.about), "\n"));
    return kept.archive;
  }
  const double begin = support::MonotonicSeconds();
  auto packed = Compilation(bench, request).Run(files, kept.archive);
  if (!packed.ok()) {
    log(absl::StrCat(files[0].path, ": not compiled before its turn: ", std::string(packed.status().message()), "\n"));
    return kept.archive;
  }
  log(absl::StrCat(files[0].path, ": compiled before its turn, ", packed->about.files, " files in ",
                   absl::StrFormat("%.1f", support::MonotonicSeconds() - begin), " s", Remainder(packed->about), "\n"));
  cache.Put(key, TextOf(*packed));
  return std::move(packed->archive);
}

}  // namespace kernelopt::worker
