// What the reference process and runners say over their sockets, read without
// trust: any bytes give an answer or nothing, never more than that. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "problem/contract.h"
#include "problem/invalid.h"

namespace kernelopt::worker {

// What a Python process can do, known when its imports are done.
struct PythonHost {
  std::string framework;  // "torch 1.13.1", "numpy 1.24.2"
  bool torch_compile = false, flashinfer = false;
  std::string triton, cute_dsl;  // versions; empty: not installed
};
std::optional<PythonHost> ReadHost(std::string_view text);

// The finding of {"ok": false, "reason": ..., "message": ...}; none for an
// answer of an object that is fine. Nonsense is a finding too.
std::optional<InvalidProblem> ReadRefusal(std::string_view text);

// These answer nonsense with what is empty; ReadRefusal came first.
std::variant<ReferenceFacts, InvalidProblem> ReadFacts(std::string_view text);

struct ReferenceWork {
  double flops = 0, bytes = 0;  // of one call, by the problem's own functions; 0: none
};
ReferenceWork ReadWork(std::string_view text);

// A list of names: what make_inputs() "made", outputs that were "copied".
std::vector<std::string> ReadNames(std::string_view text, const char* key);

// A number that counts something; 0 where it is none.
int64_t ReadCount(std::string_view text, const char* key);

// What it compiled before the turn: files, and why there may be more to compile.
struct CompiledAhead {
  int64_t files = 0;
  std::string why;
  bool complete = false;  // another try would not do more
};
CompiledAhead ReadAhead(std::string_view text);

struct ReferenceResults {
  bool float64 = false;  // expected values are of the oracle
  std::string message;   // why not
};
ReferenceResults ReadResults(std::string_view text);

struct ReferenceChecked {
  bool passed = false;
  std::string message;
};
ReferenceChecked ReadChecked(std::string_view text);

// Of a runner: bytes of the workspace, from "ok <bytes>".
std::optional<int64_t> ReadPrepared(const std::string& text, int64_t limit);

}  // namespace kernelopt::worker
