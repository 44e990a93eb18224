#include "worker/find_python.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace kernelopt::worker {
namespace {

std::vector<std::string> Candidates() {
  std::vector<std::string> paths;
  if (const char* root = std::getenv("VIRTUAL_ENV")) paths.push_back(absl::StrCat(root, "/bin/python3"));
  const char* path = std::getenv("PATH");
  for (const auto folder : absl::StrSplit(path == nullptr ? "" : path, ':', absl::SkipEmpty())) {
    const std::string python = absl::StrCat(folder, "/python3");
    std::error_code error;
    if (!std::filesystem::exists(python, error)) continue;
    paths.push_back(python);
    break;
  }
  paths.emplace_back("/usr/bin/python3");
  std::vector<std::string> once;
  for (const std::string& one : paths) {
    if (std::find(once.begin(), once.end(), one) == once.end()) once.push_back(one);
  }
  return once;
}

// Its answer once it is ready, from a zygote if the options have one.
FoundPython Ask(Device& device, const PythonOptions& options) {
  const std::string& python = options.python;
  auto process = PythonProcess::Start(device, options, PythonProcess::Kind::kReference, -1);
  const auto host = process.ok() ? (*process)->WaitReady() : absl::StatusOr<PythonHost>(process.status());
  if (!host.ok()) return {python, {}, absl::StrCat(python, ": ", std::string(host.status().message())), nullptr, ""};
  const absl::Status forked = options.zygote ? options.zygote->trouble() : absl::OkStatus();
  if (!forked.ok()) return {python, *host, "", nullptr, std::string(forked.message())};
  return {python, *host, "", options.zygote, ""};
}

FoundPython Try(Device& device, PythonOptions options, const std::string& python) {
  options.python = python;
  auto zygote = options.anchor.empty() ? absl::UnavailableError("worker.zygote is off") : StartZygote(device, options);
  std::string trouble(zygote.status().message());
  if (zygote.ok()) {
    options.zygote = *std::move(zygote);
    FoundPython found = Ask(device, options);
    if (found.trouble.empty()) return found;
    trouble = absl::StrCat("a process that it forked: ", found.trouble);
    options.zygote = nullptr;
  }
  FoundPython found = Ask(device, options);
  found.no_zygote = trouble;
  return found;
}

}  // namespace

FoundPython FindPython(Device& device, const PythonOptions& options, const std::string& configured) {
  if (!configured.empty()) return Try(device, options, configured);
  FoundPython best;
  for (const std::string& python : Candidates()) {
    FoundPython found = Try(device, options, python);
    const bool torch = absl::StartsWith(found.host.framework, "torch");
    if (torch || (!options.torch && found.trouble.empty())) return found;
    if (best.host.framework.empty()) best = std::move(found);
  }
  return best;
}

}  // namespace kernelopt::worker
