#include "build/cutlass.h"

#include <array>
#include <filesystem>
#include <map>
#include <regex>

#include "absl/strings/str_cat.h"
#include "support/files.h"
#include "support/sha256.h"

namespace kernelopt::worker {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 2> kFolders = {
    {{"/include", "/cutlass/include"}, {"/tools/util/include", "/cutlass/util"}}};

// What is built with them is kept for as long as they are the same.
std::string DigestOf(const std::string& root) {
  std::map<std::string, std::string> files;
  for (const auto& [folder, inside] : kFolders) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root + folder, ignored)) {
      if (entry.is_regular_file(ignored)) files[entry.path()] = support::ReadFile(entry.path()).value_or("");
    }
  }
  support::Sha256 hash;
  for (const auto& [path, content] : files) hash.Update(absl::StrCat(path.substr(root.size()), "\n", content, "\n"));
  return hash.FinishHex();
}

}  // namespace

absl::StatusOr<Cutlass> FindCutlass(const std::string& path) {
  const std::string advice = "set worker.cutlass (or CUTLASS_PATH) to a checkout of CUTLASS: the folder above include/cutlass";
  if (path.empty()) return absl::NotFoundError(advice);
  const auto text = support::ReadFile(absl::StrCat(path, "/include/cutlass/version.h"));
  if (!text.ok()) return absl::NotFoundError(absl::StrCat(path, " holds no include/cutlass/version.h; ", advice));
  Cutlass found{path, ""};
  for (const char* part : {"MAJOR", "MINOR", "PATCH"}) {
    std::smatch match;
    if (!std::regex_search(*text, match, std::regex(absl::StrCat("#define CUTLASS_", part, " +(\\d+)")))) continue;
    absl::StrAppend(&found.version, found.version.empty() ? "" : ".", match[1].str());
  }
  found.digest = DigestOf(path);
  return found;
}

void AddCutlass(const Cutlass& cutlass, Toolchain& chain) {
  chain.cutlass_version = cutlass.version.empty() ? "unknown" : cutlass.version;
  chain.cutlass_digest = cutlass.digest;
  chain.cutlass_flags = {"--expt-relaxed-constexpr"};
  for (const auto& [outside, inside] : kFolders) {
    if (!std::filesystem::is_directory(cutlass.root + outside)) continue;
    chain.read_only.emplace_back(cutlass.root + outside, inside);
    chain.cutlass_flags.push_back(absl::StrCat("-I", inside));
  }
}

}  // namespace kernelopt::worker
