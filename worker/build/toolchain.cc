#include "build/toolchain.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace kernelopt::worker {

Toolchain CppToolchain() {
  return {"/usr/bin/g++", {"-std=c++20", "-O3", "-march=native", "-shared", "-fPIC"}, "", "apt-get install g++"};
}

Toolchain CudaToolchain(const std::string& nvcc, const std::string& arch, const std::string& host_compiler) {
  Toolchain chain{nvcc,
                  {"-std=c++17", "-O3", "-shared", "-Xcompiler", "-fPIC", "-lineinfo", "-Xptxas", "-v", "-gencode",
                   absl::StrCat("arch=compute_", arch, ",code=[sm_", arch, ",compute_", arch, "]")},
                  "release",
                  "install the CUDA toolkit, or set worker.nvcc"};
  if (host_compiler.empty()) return chain;
  chain.flags.insert(chain.flags.end(), {"-ccbin", host_compiler});
  // The folder above bin/ has what it needs.
  const std::string root = host_compiler.substr(0, host_compiler.rfind("/bin/"));
  if (!absl::StartsWith(root, "/usr")) chain.read_only.emplace_back(root, root);
  return chain;
}

}  // namespace kernelopt::worker
