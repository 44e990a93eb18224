#include "judge/compile_ahead.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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

json RequestOf(const Bench& bench, const std::string& path, const JobPlan& plan) {
  int arch = 0;
  (void)absl::SimpleAtoi(absl::StripSuffix(bench.ahead.arch, "a"), &arch);
  const int64_t answers_within = bench.python.call_timeout.count() / 1000 - 2;
  json request = {{"op", "ahead"}, {"path", path}, {"arch", arch},
                  {"seconds", std::max<int64_t>(1, std::min(bench.ahead.seconds, answers_within))},
                  {"workloads", json::array()}};
  for (const WorkloadPlan& workload : plan.workloads) {
    if (workload.hidden) continue;
    json parameters = json::array();
    for (const Parameter& p : workload.contract.parameters) parameters.push_back(DescribeParameter(p));
    request["workloads"].push_back({{"dims", DimsOf(workload.problem)}, {"kernelbench", KernelBenchOf(workload.contract)}, {"parameters", parameters}});
  }
  return request;
}

std::string KeyOf(const PythonOptions& python, const std::vector<SourceText>& files, const JobPlan& plan, const json& request) {
  json all = {{"request", request}, {"python", python.python}, {"compiler", python.host_compiler},
              {"framework", plan.host.framework}, {"triton", plan.host.triton}};
  for (const SourceText& file : files) all["files"].push_back({file.path, support::Sha256Hex(file.content)});
  return support::Sha256Hex(all.dump());
}

struct Packed {
  std::string archive;
  int64_t files = 0;
  bool complete = false;  // another try would not do more
  std::string why;
};

// What lies in memory that a process wrote which has ended.
absl::StatusOr<std::string> ContentOf(int fd, int64_t max_bytes) {
  struct stat about {};
  if (fstat(fd, &about) != 0) return absl::InternalError("the archive has no size");
  if (about.st_size > max_bytes) return absl::ResourceExhaustedError(absl::StrCat("more than ", max_bytes >> 20, " MiB"));
  std::string content(static_cast<size_t>(about.st_size), '\0');
  if (pread(fd, content.data(), content.size(), 0) != about.st_size) return absl::InternalError("the archive cannot be read");
  return content;
}

absl::StatusOr<Packed> Compile(Bench& bench, const std::vector<SourceText>& files, const json& request) {
  auto process = PythonProcess::Start(bench.device, bench.python, PythonProcess::Kind::kAhead, -1);
  if (!process.ok()) return process.status();
  if (auto host = (*process)->WaitReady(); !host.ok()) return host.status();
  for (const SourceText& file : files) {
    const auto fd = Seal(file.content);
    if (!fd.ok()) return fd.status();
    if (auto taken = (*process)->Exchange({{"op", "file"}, {"path", file.path}}, {fd->get()}); !taken.ok()) return taken.status();
  }
  const support::UniqueFd archive(memfd_create("kopt-ahead", MFD_CLOEXEC));
  if (archive.get() < 0) return absl::ResourceExhaustedError("memfd_create");
  const auto answer = (*process)->Exchange(request, {archive.get()});
  if (!answer.ok()) return answer.status();
  process->reset();
  if (const auto* refused = std::get_if<InvalidProblem>(&*answer)) return absl::FailedPreconditionError(refused->message);
  const json said = json::parse(std::get<std::string>(*answer), nullptr, false);
  if (!said.is_object()) return absl::InternalError("it said nonsense");
  auto content = ContentOf(archive.get(), bench.ahead.archive_bytes);
  if (!content.ok()) return content.status();
  const auto text = [&](const char* name) { return said.contains(name) && said[name].is_string() ? said[name].get<std::string>() : std::string(); };
  return Packed{*std::move(content), ReadCount(std::get<std::string>(*answer), "packed"), text("state") == "complete", text("why")};
}

}  // namespace

std::string CompileAhead(Bench& bench, const std::vector<SourceText>& files, const JobPlan& plan,
                         const std::function<void(std::string_view)>& log) {
  if (bench.ahead.arch.empty()) return "";
  const json request = RequestOf(bench, files[0].path, plan);
  const ObjectCache cache(bench.ahead.directory, bench.ahead.max_bytes);
  const std::string key = KeyOf(bench.python, files, plan, request);
  if (auto kept = cache.Get(key)) return *std::move(kept);
  const double begin = support::MonotonicSeconds();
  auto packed = Compile(bench, files, request);
  if (!packed.ok()) {
    log(absl::StrCat(files[0].path, ": not compiled before its turn: ", std::string(packed.status().message()), "\n"));
    return "";
  }
  log(absl::StrCat(files[0].path, ": compiled before its turn, ", packed->files, " files in ", absl::StrFormat("%.1f", support::MonotonicSeconds() - begin), " s",
                   packed->why.empty() ? "" : absl::StrCat("; what else there is compiles in the first call: ", packed->why), "\n"));
  if (packed->complete) cache.Put(key, packed->archive);
  return std::move(packed->archive);
}

}  // namespace kernelopt::worker
