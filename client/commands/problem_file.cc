#include "client/commands/problem_file.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/str_cat.h"
#include "support/files.h"

namespace kernelopt::client {
namespace {

using nlohmann::json;

// "file" of every entry of an object of objects.
void NamesOf(const json& inputs, std::set<std::string>& names) {
  if (!inputs.is_object()) return;
  for (const auto& item : inputs.items()) {
    const json& about = item.value();
    if (about.is_object() && about.contains("file") && about["file"].is_string()) {
      names.insert(about["file"].get<std::string>());
    }
  }
}

}  // namespace

absl::Status AddProblemFile(const std::string& path, const std::vector<std::string>& workloads,
                            Submission& submission, v1::ProblemSpec& problem) {
  const auto text = support::ReadFile(path);
  if (!text.ok()) return text.status();
  const json root = json::parse(*text, nullptr, false);
  if (!root.is_object()) {
    return absl::InvalidArgumentError(absl::StrCat("--problem=", path, " is not a JSON object"));
  }
  if (!problem.has_reference()) {
    if (!root.contains("reference") || !root["reference"].is_string()) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, " names no \"reference\", the Python file beside it; add it or give --ref"));
    }
  }
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const auto add = [&](const std::string& name, v1::SourceFile& out) -> absl::Status {
    auto file = submission.AddFile((folder / name).string(), name);
    if (!file.ok()) return file.status();
    out = *std::move(file);
    return absl::OkStatus();
  };
  auto definition = submission.AddFile(path);
  if (!definition.ok()) return definition.status();
  *problem.mutable_definition() = *std::move(definition);
  if (!problem.has_reference()) {
    if (absl::Status s = add(root["reference"].get<std::string>(), *problem.mutable_reference()); !s.ok()) return s;
  }
  std::set<std::string> names;
  if (root.contains("tensors")) NamesOf(root["tensors"], names);
  if (root.contains("workloads") && root["workloads"].is_array()) {
    for (const json& workload : root["workloads"]) {
      if (workload.is_object() && workload.contains("inputs")) NamesOf(workload["inputs"], names);
    }
  }
  for (const std::string& name : names) {
    if (absl::Status s = add(name, *problem.add_files()); !s.ok()) return s;
  }
  for (const std::string& workload : workloads) problem.add_workloads(workload);
  return absl::OkStatus();
}

}  // namespace kernelopt::client
