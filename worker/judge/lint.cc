// Would this problem accept an output that computes nothing?
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "judge/expect.h"

namespace kernelopt::worker {
namespace {

// A kind of worthless answer.
struct Worthless {
  const char* name;
  const char* what;
};

constexpr Worthless kZeros{"zeros", "zeros everywhere"};
constexpr Worthless kConstant{"constant", "one constant everywhere"};
constexpr Worthless kMean{"mean", "the mean of each row"};
constexpr Worthless kIdentity{"identity", "a copy of an input"};

constexpr int64_t kPrefix = 4096;

// Of every `step`-th element from `first` to before `end`.
double MeanOf(const Parameter& p, const char* dense, int64_t first, int64_t end, int64_t step) {
  double sum = 0;
  int64_t count = 0;
  for (int64_t i = first; i < end; i += step, ++count) {
    const double value = LoadElement(p.dtype, dense, i);
    if (std::isfinite(value)) sum += value;
  }
  return sum / static_cast<double>(std::max<int64_t>(1, count));
}

class Lint {
 public:
  explicit Lint(Turn& turn) : turn_(turn), contract_(turn.arena.contract()) {}

  // False: there is no such answer here, or its first elements are wrong
  // already, which is cheap to see and nearly always so.
  bool Write(const Worthless& kind) {
    for (size_t i = 0; i < contract_.parameters.size(); ++i) {
      if (contract_.parameters[i].output() && !WriteOutput(i, kind)) return false;
    }
    return true;
  }

 private:
  bool WriteOutput(size_t output, const Worthless& kind) {
    const Parameter& p = contract_.parameters[output];
    if (p.elements() < 2) return false;  // any one number is a constant
    const int64_t row = RowOf(p, kind);
    if (kind.name == kMean.name && (row <= PartsOf(p) || row == p.elements())) return false;
    const size_t size = SizeOf(p.dtype);
    const int64_t prefix = std::min<int64_t>(kPrefix, p.elements());
    const std::vector<char> head = First(output, Arena::Which::kExpected, (prefix + row - 1) / row * row);
    std::vector<char> dense(head.size());
    if (!Make(p, kind, head, prefix, dense) || !PrefixPasses(p, dense, head, prefix)) return false;
    if (kind.name == kIdentity.name && CopyOnDevice(output)) return true;
    const std::vector<char> expected = First(output, Arena::Which::kExpected, p.elements());
    dense.resize(expected.size());
    Make(p, kind, expected, p.elements(), dense);
    std::vector<char> laid = turn_.arena.Read(output);  // its gaps
    Scatter(p.layout, size, dense.data(), laid.data());
    turn_.arena.ops().Write(laid.data(), p.bytes(), turn_.arena.Tensor(output));
    return true;
  }

  static int64_t PartsOf(const Parameter& p) { return p.complex ? 2 : 1; }

  // Elements that are made of each other's expected values: a row for its mean.
  // (A vector is one row, and may be the whole memory of a GPU.)
  static int64_t RowOf(const Parameter& p, const Worthless& kind) {
    const std::vector<int64_t> shape = p.problem_layout().shape;
    if (kind.name != kMean.name || shape.empty()) return 1;
    return shape.back() * PartsOf(p);
  }

  // The first `count` elements of a tensor, one behind the other; more of a
  // strided one.
  std::vector<char> First(size_t parameter, Arena::Which which, int64_t count) {
    const Parameter& p = contract_.parameters[parameter];
    if (p.layout.strided()) return Dense(p.layout, SizeOf(p.dtype), turn_.arena.Read(parameter, which).data());
    return turn_.arena.ops().ReadAll(turn_.arena.Tensor(parameter, which), count * static_cast<int64_t>(SizeOf(p.dtype)));
  }

  // The first `count` elements of this answer, or a few more; `expected` holds
  // them at least.
  bool Make(const Parameter& p, const Worthless& kind, const std::vector<char>& expected, int64_t count,
            std::vector<char>& dense) {
    if (kind.name == kIdentity.name) return CopyInput(p, count, dense);
    const bool rows = kind.name == kMean.name;
    const int64_t row = rows ? RowOf(p, kind) : static_cast<int64_t>(expected.size() / SizeOf(p.dtype));
    const int64_t parts = PartsOf(p);
    for (int64_t first = 0; first < count; first += row) {
      const int64_t end = rows ? first + row : count;
      for (int64_t part = first; part < first + parts; ++part) {
        const double value = kind.name == kZeros.name ? 0 : MeanOf(p, expected.data(), part, first + row, parts);
        for (int64_t i = part; i < end; i += parts) StoreElement(p.dtype, dense.data(), i, value);
      }
    }
    return true;
  }

  // Of kinds that judge every element alone; others are judged whole.
  static bool PrefixPasses(const Parameter& p, const std::vector<char>& dense, const std::vector<char>& expected,
                           int64_t count) {
    const Compare::Kind kind = p.compare.kind;
    if (kind != Compare::Kind::kAllclose && kind != Compare::Kind::kExact && kind != Compare::Kind::kUlp) return true;
    Parameter part = p;
    part.layout = {{count}, {}, count, count};
    return !CheckOutput(part, dense.data(), {expected.data()}, 0).failed;
  }

  // The first input with as many elements; an inout's own content is none.
  std::optional<size_t> LikeOf(const Parameter& output) const {
    for (size_t i = 0; i < contract_.parameters.size(); ++i) {
      const Parameter& p = contract_.parameters[i];
      if (p.role == TensorRole::kIn && p.elements() == output.elements()) return i;
    }
    return std::nullopt;
  }

  bool CopyInput(const Parameter& output, int64_t count, std::vector<char>& dense) {
    const auto like = LikeOf(output);
    if (!like) return false;
    const std::vector<char> input = First(*like, Arena::Which::kSubject, count);
    for (int64_t k = 0; k < count; ++k) {
      StoreElement(output.dtype, dense.data(), k, LoadElement(contract_.parameters[*like].dtype, input.data(), k));
    }
    return true;
  }

  // Where bits need no change: large tensors need not come to the host.
  bool CopyOnDevice(size_t output) {
    const Parameter& p = contract_.parameters[output];
    const auto like = LikeOf(p);
    if (!like) return false;
    const Parameter& input = contract_.parameters[*like];
    if (input.dtype != p.dtype || input.layout.strided() || p.layout.strided()) return false;
    turn_.arena.ops().Copy(turn_.arena.Tensor(*like), p.bytes(), turn_.arena.Tensor(output));
    return true;
  }

  Turn& turn_;
  const Contract& contract_;
};

}  // namespace

absl::StatusOr<std::vector<v1::Lint>> LintProblem(Turn& turn, uint64_t nonce, const ReferenceErrors& errors) {
  std::vector<v1::Lint> found;
  Lint lint(turn);
  for (const Worthless& kind : {kZeros, kConstant, kMean, kIdentity}) {
    turn.arena.ResetOutputs(nonce, Arena::Which::kSubject);
    if (!lint.Write(kind)) continue;
    const auto judged = JudgeOutputs(turn, nonce, errors);
    if (!judged.ok()) return judged.status();
    if (judged->wrong || CountAlive(turn.subjects) == 0) continue;
    v1::Lint one;
    one.set_output(kind.name);
    one.set_message(absl::StrCat("degenerate: ", kind.what, " would be CORRECT; tighten the tolerance or give "
                                 "inputs that make the outputs differ"));
    found.push_back(one);
  }
  return found;
}

}  // namespace kernelopt::worker
