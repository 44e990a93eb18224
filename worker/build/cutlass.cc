#include "build/cutlass.h"

#include <array>
#include <filesystem>
#include <map>
#include <regex>
#include <vector>

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
  const std::string advice = "set worker.cutlass (or CUTLASS_PATH) to a checkout of CUTLASS, the folder above include/cutlass, or install nvidia-cutlass for worker.python";
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

std::string PackagedCutlass(const std::string& python) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<fs::path> libraries;
  for (const fs::path& one : {fs::path(python), fs::canonical(python, error)}) {
    const fs::path root = one.parent_path().parent_path();
    for (const fs::path& lib : {root / "lib", root / "local/lib"}) {
      for (const auto& entry : fs::directory_iterator(lib, error)) {
        if (entry.path().filename().string().rfind("python3", 0) == 0) libraries.push_back(entry.path());
      }
    }
  }
  for (const char* package : {"cutlass_library/source", "flashinfer/data/cutlass"}) {
    for (const fs::path& library : libraries) {
      for (const char* packages : {"site-packages", "dist-packages"}) {
        const fs::path root = library / packages / package;
        if (fs::exists(root / "include/cutlass/version.h", error)) return root.string();
      }
    }
  }
  return "";
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
