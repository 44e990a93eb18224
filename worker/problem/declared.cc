#include "problem/declared.h"

#include <array>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "problem/dtype.h"
#include "problem/fields.h"

namespace kernelopt::worker {
namespace {

template <class T>
struct Name {
  T value;
  const char* name;
};

constexpr std::array<Name<TensorRole>, 6> kRoles = {{{TensorRole::kIn, "in"},
                                                     {TensorRole::kOut, "out"},
                                                     {TensorRole::kInOut, "inout"},
                                                     {TensorRole::kStatic, "static"},
                                                     {TensorRole::kPlan, "plan"},
                                                     {TensorRole::kScratch, "scratch"}}};
constexpr std::array<Name<Init::Kind>, 8> kInits = {{{Init::Kind::kNormal, "normal"},
                                                     {Init::Kind::kUniform, "uniform"},
                                                     {Init::Kind::kRandint, "randint"},
                                                     {Init::Kind::kPermutation, "permutation"},
                                                     {Init::Kind::kOffsets, "offsets"},
                                                     {Init::Kind::kBernoulli, "bernoulli"},
                                                     {Init::Kind::kZeros, "zeros"},
                                                     {Init::Kind::kFile, "file"}}};
constexpr std::array<Name<Compare::Kind>, 7> kCompares = {
    {{Compare::Kind::kAllclose, "allclose"},
     {Compare::Kind::kExact, "exact"},
     {Compare::Kind::kUlp, "ulp"},
     {Compare::Kind::kMatchedRatio, "matched_ratio"},
     {Compare::Kind::kTopk, "topk"},
     {Compare::Kind::kStatistical, "statistical"},
     {Compare::Kind::kCustom, "custom"}}};

template <class Table>
std::string NamesOf(const Table& table) {
  return absl::StrJoin(table, ", ", [](std::string* out, const auto& e) { out->append(e.name); });
}

template <class Table>
auto Choose(Fields& fields, const std::string& key, const Table& table)
    -> std::optional<decltype(table[0].value)> {
  const std::string text = fields.Text(key);
  if (text.empty()) return std::nullopt;
  for (const auto& entry : table) {
    if (text == entry.name) return entry.value;
  }
  fields.Fail(absl::StrCat(key, " \"", text.substr(0, 40), "\" is not one of ", NamesOf(table)));
  return std::nullopt;
}

template <class Table, class T>
std::string NameIn(const Table& table, T value) {
  for (const auto& entry : table) {
    if (entry.value == value) return entry.name;
  }
  return "";
}

std::optional<Init> ReadInit(Fields& fields) {
  const auto kind = Choose(fields, "init", kInits);
  const auto low = fields.MaybeNumber("low"), high = fields.MaybeNumber("high");
  const std::string file = fields.Text("file");
  if (!kind) {
    if (low || high) fields.Fail("low and high need an \"init\"");
    return std::nullopt;
  }
  Init init{*kind, 0, 1, file};
  if (*kind == Init::Kind::kRandint || *kind == Init::Kind::kOffsets) init.high = 128;
  if (*kind == Init::Kind::kBernoulli) init.high = 0.5;
  init.low = low.value_or(init.low);
  init.high = high.value_or(init.high);
  if (!std::isfinite(init.low) || !std::isfinite(init.high) || !(init.low < init.high)) {
    fields.Fail("low must be below high");
  }
  if (*kind == Init::Kind::kBernoulli && init.high > 1) fields.Fail("high is a probability");
  if ((*kind == Init::Kind::kFile) != !file.empty()) {
    fields.Fail("\"file\" and \"init\": \"file\" belong together");
  }
  return init;
}

Compare ReadCompare(Fields& fields) {
  Compare compare;
  compare.kind = Choose(fields, "compare", kCompares).value_or(Compare::Kind::kAllclose);
  compare.ratio = fields.Number("matched_ratio", compare.ratio);
  compare.cap = fields.Number("cap", compare.cap);
  compare.ulp = fields.Integer("ulp", compare.ulp);
  compare.deterministic = fields.Flag("deterministic", false);
  compare.atol = fields.MaybeNumber("atol");
  compare.rtol = fields.MaybeNumber("rtol");
  const std::string nan = fields.Text("nan", "equal");
  if (nan != "equal" && nan != "forbid") fields.Fail("nan must be \"equal\" or \"forbid\"");
  compare.nan_equal = nan == "equal";
  const auto within = [&](const char* key, double value, double low, double high) {
    if (!(value >= low && value <= high)) {
      fields.Fail(absl::StrCat(key, " must be between ", low, " and ", high));
    }
  };
  within("matched_ratio", compare.ratio, 0.5, 1);
  within("cap", compare.cap, 1, 1e6);
  within("ulp", static_cast<double>(compare.ulp), 0, 1e9);
  within("atol", compare.atol.value_or(0), 0, 1e300);
  within("rtol", compare.rtol.value_or(0), 0, 1e300);
  return compare;
}

}  // namespace

std::variant<Init, InvalidProblem> ParseInit(const nlohmann::json& about, const std::string& where) {
  Fields fields(about, where);
  const std::optional<Init> init = ReadInit(fields);
  if (!init) fields.Fail("needs an \"init\"");
  fields.NoOthers();
  if (fields.failed()) return *fields.failed();
  return *init;
}

std::variant<DeclaredTensor, InvalidProblem> ParseDeclaredTensor(const nlohmann::json& about,
                                                                 const std::string& where) {
  Fields fields(about, where);
  DeclaredTensor tensor;
  tensor.shape = fields.Expressions("shape");
  tensor.strides = fields.Expressions("strides");
  tensor.dtype = fields.Text("dtype");
  tensor.role = Choose(fields, "role", kRoles);
  tensor.alignment = fields.Integer("alignment", tensor.alignment);
  const std::string order = fields.Text("order", "row");
  tensor.column_major = order == "col";
  const std::string access = fields.Text("access", "dense");
  tensor.sparse = access == "sparse";
  tensor.init = ReadInit(fields);
  tensor.compare = ReadCompare(fields);
  fields.NoOthers();
  if (tensor.shape.empty()) fields.Fail("needs a \"shape\"");
  if (!tensor.dtype.empty() && !DTypeFromName(tensor.dtype) && !PartOfComplex(tensor.dtype)) {
    fields.Fail(absl::StrCat("unknown dtype \"", tensor.dtype.substr(0, 40), "\""));
  }
  if (order != "row" && order != "col") fields.Fail("order must be \"row\" or \"col\"");
  if (tensor.column_major && !tensor.strides.empty()) fields.Fail("give \"order\" or \"strides\", not both");
  if (access != "dense" && access != "sparse") fields.Fail("access must be \"dense\" or \"sparse\"");
  const int64_t a = tensor.alignment;
  if (a < 1 || a > 4096 || (a & (a - 1)) != 0) {
    fields.Fail("alignment must be a power of two of at most 4096 bytes");
  }
  if (fields.failed()) return *fields.failed();
  return tensor;
}

std::string RoleName(TensorRole role) {
  return role == TensorRole::kScalar ? "scalar" : NameIn(kRoles, role);
}
std::string InitName(Init::Kind kind) {
  return kind == Init::Kind::kReference ? "make_inputs" : NameIn(kInits, kind);
}
std::string CompareName(Compare::Kind kind) { return NameIn(kCompares, kind); }

}  // namespace kernelopt::worker
