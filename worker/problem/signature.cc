// Can this signature be called under the contract?
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "problem/contract.h"

namespace kernelopt::worker {
namespace {

std::string Names(const Parameters& list) {
  return absl::StrJoin(list, ", ", [](std::string* out, const SolveParameter& p) { out->append(p.name); });
}

InvalidProblem Mismatch(const std::string& text) { return {"CONTRACT_MISMATCH", text}; }

// What a parameter of `function` may not be under this contract.
std::optional<InvalidProblem> CheckOne(const SolveParameter& mine, const Contract& contract,
                                       const std::string& function) {
  if (!mine.of_problem()) return std::nullopt;
  const auto agreed = std::find_if(contract.parameters.begin(), contract.parameters.end(),
                                   [&](const Parameter& p) { return p.name == mine.name; });
  if (agreed == contract.parameters.end()) {
    return Mismatch(absl::StrCat(function, " takes ", mine.name, ", which the contract (from the ",
                                 contract.contract_from, ") does not have"));
  }
  if (agreed->dtype != mine.dtype || agreed->complex != mine.complex || agreed->tensor() != mine.pointer) {
    return Mismatch(absl::StrCat(function, " takes ", mine.name, " as ", mine.c_type,
                                 "; the contract (from the ", contract.contract_from, ") says ",
                                 agreed->c_type));
  }
  if (agreed->writable() && mine.pointee_const) {
    return Mismatch(absl::StrCat(function, " takes the output ", mine.name, " as const"));
  }
  const bool prepares = function != "solve";
  if (prepares && mine.pointer && !agreed->lasting()) {
    return Mismatch(absl::StrCat(function, " takes ", mine.name, ", whose role is ", RoleName(agreed->role),
                                 "; it runs once, before the calls, and may read only what is "
                                 "static (declare the role \"static\" in TENSORS)"));
  }
  return std::nullopt;
}

}  // namespace

std::optional<InvalidProblem> CheckSignature(const SolveSignature& signature,
                                             const Contract& contract) {
  if (signature.parameters.size() > kMaxParameters) {
    return Mismatch(absl::StrCat("solve takes more than ", kMaxParameters, " parameters"));
  }
  size_t workspaces = 0, own = 0;
  for (const SolveParameter& mine : signature.parameters) {
    workspaces += mine.workspace ? 1 : 0;
    own += mine.of_problem() ? 1 : 0;
    if (auto bad = CheckOne(mine, contract, "solve")) return bad;
  }
  if (own != contract.parameters.size()) {
    return Mismatch(absl::StrCat("solve(", Names(signature.parameters), ") takes ",
                                 signature.parameters.size(), " parameters; the contract (from the ",
                                 contract.contract_from, ") has ", contract.parameters.size()));
  }
  for (const SolveParameter& mine : signature.prepare.value_or(Parameters{})) {
    if (mine.workspace && workspaces == 0) {
      return Mismatch("solve_prepare takes the workspace, which solve does not take");
    }
    if (auto bad = CheckOne(mine, contract, "solve_prepare")) return bad;
  }
  for (const SolveParameter& mine : signature.workspace_bytes.value_or(Parameters{})) {
    if (auto bad = CheckOne(mine, contract, "solve_workspace_bytes")) return bad;
    if (mine.pointer) return Mismatch("solve_workspace_bytes takes dims only, no pointers");
  }
  return std::nullopt;
}

}  // namespace kernelopt::worker
