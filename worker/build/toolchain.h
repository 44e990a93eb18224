// Which compiler, with which flags: one for C++, one for CUDA C++.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kernelopt::worker {

struct Toolchain {
  std::string program;              // absolute path
  std::vector<std::string> flags;   // before the user's
  std::string version_mark;         // the line of --version that has it; empty: the first
  std::string install;              // what to do when it does not run
  // What it needs beside /usr, outside -> inside.
  std::vector<std::pair<std::string, std::string>> read_only;
  // What a solution of the implementation `cutlass` is built with besides; no
  // version: there is no CUTLASS (build/cutlass.h).
  std::vector<std::string> cutlass_flags;
  std::string cutlass_version, cutlass_digest;
};

Toolchain CppToolchain();
// `arch` as of Device::arch(), "90a": code for that GPU alone, no PTX.
// `host_compiler`: "" for nvcc's own choice.
Toolchain CudaToolchain(const std::string& nvcc, const std::string& arch, const std::string& host_compiler);

}  // namespace kernelopt::worker
