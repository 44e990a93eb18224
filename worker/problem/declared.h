// One tensor as a problem's author describes it: an entry of TENSORS in the
// reference file, or of "tensors" in problem.json. Both have the same keys.
// Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "problem/invalid.h"

namespace kernelopt::worker {

enum class TensorRole {
  kIn,
  kOut,
  kInOut,
  kStatic,   // input with the same content in every call of a job; solve_prepare may read it
  kPlan,     // input made by plan() of the reference, untimed
  kScratch,  // writable, poisoned before every call, never compared
  kScalar,
};

// How the elements of an input come about.
struct Init {
  enum class Kind {
    kNormal,       // variance 1, within +-3.47
    kUniform,      // [low, high)
    kRandint,      // whole numbers of [low, high)
    kPermutation,  // 0 .. n-1 of the last dimension, shuffled row by row
    kOffsets,      // of n-1 pieces: ascending from 0 to high, both ends included
    kBernoulli,    // 1 with probability high, else 0
    kZeros,
    kFile,         // bytes of a file of the problem
    kReference,    // make_inputs() or plan() of the reference
  };
  Kind kind = Kind::kNormal;
  double low = 0, high = 1;
  std::string file;  // path among the problem's files

  bool operator==(const Init&) const = default;
};

// How an output is held against its expected values.
struct Compare {
  enum class Kind {
    kAllclose,      // every |got - expected| <= atol + rtol |expected|
    kExact,         // every bit of the value (-0 equals 0)
    kUlp,           // at most `ulp` representable numbers apart
    kMatchedRatio,  // a share of at least `ratio` close, the others within `cap` tolerances
    kTopk,          // close after sorting along the last dimension
    kStatistical,   // the same distribution (Kolmogorov-Smirnov, alpha 1e-5)
    kCustom,        // check() of the reference decides
  };
  Kind kind = Kind::kAllclose;
  double ratio = 0.99, cap = 10;
  int64_t ulp = 4;
  bool nan_equal = true;        // false: a NaN is always wrong
  bool deterministic = false;   // the same inputs must give the same bits
  std::optional<double> atol, rtol;

  bool operator==(const Compare&) const = default;
};

struct DeclaredTensor {
  std::string shape, dtype;  // dtype empty: that of the signature
  std::optional<TensorRole> role;
  std::string strides;       // expressions like shape, in elements; empty: contiguous
  bool column_major = false; // "order": "col", the first index runs fastest
  int64_t alignment = 4096;  // bytes, a power of two; the address is aligned to no more
  bool sparse = false;       // not every element is read: no floor from its bytes
  std::optional<Init> init;
  Compare compare;
};

// `where` names the entry in messages: TENSORS["x"], tensors.x.
std::variant<DeclaredTensor, InvalidProblem> ParseDeclaredTensor(const nlohmann::json& about,
                                                                 const std::string& where);

// {"init": "uniform", "low": 0, "high": 1}, also alone in a workload's inputs.
std::variant<Init, InvalidProblem> ParseInit(const nlohmann::json& about, const std::string& where);

// As the author writes them.
std::string RoleName(TensorRole role);
std::string InitName(Init::Kind kind);
std::string CompareName(Compare::Kind kind);

}  // namespace kernelopt::worker
