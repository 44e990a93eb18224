#include "build/ptxas.h"

#include <cxxabi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "support/ids.h"

namespace kernelopt::worker {
namespace {

std::string Demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return support::ValidUtf8(status == 0 ? text.get() : name);
}

// The number before `what`, for example "256 bytes smem".
int NumberBefore(const std::string& line, const char* what) {
  const size_t at = line.find(what);
  if (at == std::string::npos) return 0;
  size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  return std::atoi(line.substr(begin, at - begin).c_str());
}

}  // namespace

std::vector<v1::KernelResources> ReadPtxas(std::string_view output) {
  std::vector<v1::KernelResources> kernels;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(std::string(output), '\n'))) {
    std::array<char, 1024> name{}, arch{};
    if (sscanf(line.c_str(), "ptxas info : Compiling entry function '%1023[^']' for '%1023[^']'", name.data(), arch.data()) == 2) {
      kernels.emplace_back();
      kernels.back().set_name(Demangled(name.data()));
      kernels.back().set_arch(support::ValidUtf8(arch.data()));
    } else if (kernels.empty()) {
      continue;
    } else if (absl::StrContains(line, " bytes spill stores")) {
      kernels.back().set_stack_bytes(NumberBefore(line, " bytes stack frame"));
      kernels.back().set_spill_store_bytes(NumberBefore(line, " bytes spill stores"));
      kernels.back().set_spill_load_bytes(NumberBefore(line, " bytes spill loads"));
    } else if (absl::StrContains(line, " registers")) {
      kernels.back().set_registers(NumberBefore(line, " registers"));
      kernels.back().set_shared_bytes(NumberBefore(line, " bytes smem"));
    }
  }
  return kernels;
}

}  // namespace kernelopt::worker
