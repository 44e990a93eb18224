#include "judge/inputs.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "build/seal.h"

namespace kernelopt::worker {
namespace {

// A finding of the answer, if it is one.
template <class T>
std::optional<InvalidProblem> BadOf(const std::variant<T, InvalidProblem>& answer) {
  const auto* bad = std::get_if<InvalidProblem>(&answer);
  return bad != nullptr ? std::optional<InvalidProblem>(*bad) : std::nullopt;
}

}  // namespace

Inputs::Outcome Inputs::TakeFiles() {
  for (const Parameter& p : arena_.contract().parameters) {
    if (!p.tensor() || p.init.kind != Init::Kind::kFile) continue;
    const auto found = files_.find(p.init.file);
    if (found == files_.end()) {
      return std::optional(InvalidProblem{
          "PROBLEM_FORMAT", absl::StrCat("the tensor ", p.name, " is read from ", p.init.file,
                                         ", which is not among the problem's files")});
    }
    const auto fd = Seal(found->second);
    if (!fd.ok()) return fd.status();
    const auto answer = reference_.TakeFile(p, fd->get());
    if (!answer.ok()) return answer.status();
    if (auto bad = BadOf(*answer)) return bad;
  }
  return std::optional<InvalidProblem>();
}

Inputs::Outcome Inputs::FillLasting(uint64_t seed) {
  auto files = TakeFiles();
  if (!files.ok() || *files) return files;
  arena_.FillRole(seed, TensorRole::kStatic);
  const auto& parameters = arena_.contract().parameters;
  const bool plans = std::any_of(parameters.begin(), parameters.end(),
                                 [](const Parameter& p) { return p.role == TensorRole::kPlan; });
  if (!plans) return std::optional<InvalidProblem>();
  const auto answer = reference_.MakePlan();
  if (!answer.ok()) return answer.status();
  if (auto bad = BadOf(*answer)) return bad;
  arena_.FillRole(seed, TensorRole::kPlan);
  return std::optional<InvalidProblem>();
}

Inputs::Outcome Inputs::Make(uint64_t nonce) {
  const auto answer = reference_.MakeInputs(nonce);
  if (!answer.ok()) return answer.status();
  if (auto bad = BadOf(*answer)) return bad;
  const auto& names = std::get<std::vector<std::string>>(*answer);
  if (made_ && *made_ != names) {
    return std::optional(InvalidProblem{"MAKE_INPUTS", "make_inputs() returns other names for another seed"});
  }
  made_ = names;
  for (size_t i = 0; i < arena_.contract().parameters.size(); ++i) {
    const std::string& name = arena_.contract().parameters[i].name;
    if (std::find(names.begin(), names.end(), name) != names.end()) arena_.SetStaged(i);
  }
  return std::optional<InvalidProblem>();
}

Inputs::Outcome Inputs::Fill(uint64_t nonce, Arena::Content content) {
  if (arena_.contract().make_inputs) {
    auto made = Make(nonce);
    if (!made.ok() || *made) return made;
  }
  arena_.FillInputs(nonce, content);
  return std::optional<InvalidProblem>();
}

Inputs::Outcome Inputs::Probe(uint64_t nonce) {
  auto filled = Fill(nonce);
  if (!filled.ok() || *filled || !made_) return filled;
  const uint64_t first = Digest();
  filled = Fill(nonce);
  if (!filled.ok() || *filled) return filled;
  if (Digest() == first) return filled;
  return std::optional(InvalidProblem{
      "MAKE_INPUTS", "make_inputs() does not give the same content for the same seed; draw only from "
                     "its seed argument, or from the generators of random, numpy and torch"});
}

}  // namespace kernelopt::worker
