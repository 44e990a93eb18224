// The inputs of one workload, wherever their content comes from: the judge's
// own generator, files of the problem, plan() and make_inputs() of the
// reference. Used from the job thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "judge/arena.h"
#include "judge/reference.h"
#include "support/ids.h"

namespace kernelopt::worker {

class Inputs {
 public:
  // Files by path; the text is the file's content.
  using Files = std::map<std::string, std::string>;

  Inputs(Arena& arena, Reference& reference, const Files& files)
      : arena_(arena), reference_(reference), files_(files) {}

  // What is wrong with the problem, if anything; a Status for the system.
  using Outcome = absl::StatusOr<std::optional<InvalidProblem>>;

  // Content that stays for the whole turn (static and plan). Once, first.
  Outcome FillLasting(uint64_t seed);
  // Content of a call or draw. The reference process must not be serving where
  // the problem has make_inputs().
  Outcome Fill(uint64_t nonce, Arena::Content content = Arena::Content::kPlain);
  // Fills twice: MAKE_INPUTS when the same seed gives something else.
  Outcome Probe(uint64_t nonce);

  // Keyed with a secret of this turn.
  uint64_t Digest() const { return arena_.InputDigest(key_); }

 private:
  Outcome TakeFiles();
  Outcome Make(uint64_t nonce);

  Arena& arena_;
  Reference& reference_;
  const Files& files_;
  const uint64_t key_ = support::RandomU64();
  std::optional<std::vector<std::string>> made_;  // what make_inputs() makes
};

}  // namespace kernelopt::worker
