#include "build/prebuilt.h"

#include <elf.h>

#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "build/seal.h"
#include "support/sha256.h"

namespace kernelopt::worker {

bool IsPrebuilt(const std::string& main_path) { return absl::EndsWith(main_path, ".so"); }

absl::StatusOr<std::variant<Built, BuildProblem>> TakePrebuilt(const std::vector<SourceText>& files) {
  using Result = std::variant<Built, BuildProblem>;
  const std::string& object = files[0].content;
  v1::Build record;
  record.set_prebuilt(true);
  record.set_solution_digest(SolutionDigest(files));
  record.set_binary_digest(support::Sha256Hex(object));
  Elf64_Ehdr header{};
  std::memcpy(&header, object.data(), std::min(object.size(), sizeof header));
  const bool elf = object.size() >= sizeof header && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                   header.e_ident[EI_CLASS] == ELFCLASS64;
  if (!elf || header.e_type != ET_DYN || header.e_machine != EM_X86_64) {
    return Result(BuildProblem{"COMPILE_ERROR",
                               absl::StrCat(files[0].path, " is not a shared object for x86-64 Linux; "
                                            "build it with -shared -fPIC"),
                               record});
  }
  auto fd = Seal(object);
  if (!fd.ok()) return fd.status();
  return Result(Built{*std::move(fd), record});
}

}  // namespace kernelopt::worker
