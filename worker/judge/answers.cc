#include "judge/answers.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runner/wire.h"

namespace kernelopt::worker {
namespace {

using nlohmann::json;

constexpr size_t kMostText = 4096;

json Parse(std::string_view text) { return json::parse(text, nullptr, false); }

// No getter throws.
const json* Find(const json& answer, const char* key) {
  if (!answer.is_object()) return nullptr;
  const auto found = answer.find(key);
  return found == answer.end() ? nullptr : &*found;
}

bool BoolOf(const json& answer, const char* key) {
  const json* value = Find(answer, key);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

std::string TextOf(const json& answer, const char* key, const std::string& otherwise) {
  const json* value = Find(answer, key);
  return value != nullptr && value->is_string() ? value->get<std::string>().substr(0, kMostText) : otherwise;
}

std::optional<double> NumberOf(const json& answer, const char* key) {
  const json* value = Find(answer, key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  const double number = value->get<double>();
  return std::isfinite(number) ? std::optional<double>(number) : std::nullopt;
}

std::vector<std::string> NamesOf(const json& answer, const char* key) {
  std::vector<std::string> names;
  const json* listed = Find(answer, key);
  for (const json& name : listed != nullptr && listed->is_array() ? *listed : json::array()) {
    if (name.is_string()) names.push_back(name.get<std::string>());
  }
  return names;
}

}  // namespace

std::optional<PythonHost> ReadHost(std::string_view text) {
  const json answer = Parse(text);
  if (Find(answer, "framework") == nullptr) return std::nullopt;
  return PythonHost{TextOf(answer, "framework", ""), BoolOf(answer, "torch_compile"), BoolOf(answer, "flashinfer"),
                    TextOf(answer, "triton", ""), TextOf(answer, "cute_dsl", "")};
}

std::optional<InvalidProblem> ReadRefusal(std::string_view text) {
  const json answer = Parse(text);
  if (!answer.is_object()) return InvalidProblem{"REFERENCE_FAILED", "the reference wrote to the judge's socket"};
  if (BoolOf(answer, "ok")) return std::nullopt;
  return InvalidProblem{TextOf(answer, "reason", "REFERENCE_FAILED"), TextOf(answer, "message", "the reference failed")};
}

std::variant<ReferenceFacts, InvalidProblem> ReadFacts(std::string_view text) {
  const json answer = Parse(text);
  ReferenceFacts facts;
  facts.atol = NumberOf(answer, "atol");
  facts.rtol = NumberOf(answer, "rtol");
  facts.tf32 = TextOf(answer, "math", "") == "tf32";
  if (const json* about = Find(answer, "kernelbench"); about != nullptr && about->is_object()) facts.kernelbench = about->dump();
  const json* functions = Find(answer, "functions");
  for (const json& function : functions != nullptr && functions->is_array() ? *functions : json::array()) {
    facts.make_inputs |= function == "make_inputs";
    facts.plan |= function == "plan";
    facts.check |= function == "check";
    facts.takes_baseline |= function == "baseline";
    facts.names_flashinfer |= function == "flashinfer";
  }
  const json* tensors = Find(answer, "tensors");
  if (tensors == nullptr || !tensors->is_object()) {
    return InvalidProblem{"REFERENCE_FAILED", "the reference wrote to the judge's socket"};
  }
  for (const auto& item : tensors->items()) {
    auto tensor = ParseDeclaredTensor(item.value(), absl::StrCat("TENSORS[\"", item.key().substr(0, 80), "\"]"));
    if (auto* invalid = std::get_if<InvalidProblem>(&tensor)) return *invalid;
    facts.tensors[item.key()] = std::get<DeclaredTensor>(tensor);
  }
  facts.order = NamesOf(answer, "order");
  return facts;
}

ReferenceWork ReadWork(std::string_view text) {
  const json answer = Parse(text);
  return {NumberOf(answer, "flops").value_or(0), NumberOf(answer, "bytes").value_or(0)};
}

std::vector<std::string> ReadNames(std::string_view text, const char* key) { return NamesOf(Parse(text), key); }

int64_t ReadCount(std::string_view text, const char* key) {
  constexpr double kMost = 1e9;
  return static_cast<int64_t>(std::clamp(NumberOf(Parse(text), key).value_or(0), 0.0, kMost));
}

CompiledAhead ReadAhead(std::string_view text) {
  const json answer = Parse(text);
  return {ReadCount(text, "packed"), TextOf(answer, "why", ""), TextOf(answer, "state", "") == "complete"};
}

ReferenceResults ReadResults(std::string_view text) {
  const json answer = Parse(text);
  return {TextOf(answer, "oracle", "") == "float64", TextOf(answer, "oracle_message", "")};
}

ReferenceChecked ReadChecked(std::string_view text) {
  const json answer = Parse(text);
  return {BoolOf(answer, "passed"), TextOf(answer, "message", "")};
}

std::optional<int64_t> ReadPrepared(const std::string& text, int64_t limit) {
  int64_t bytes = 0;
  if (!absl::StartsWith(text, wire::kOk) || !absl::SimpleAtoi(absl::StripPrefix(text, wire::kOk), &bytes)) {
    return std::nullopt;
  }
  return bytes < 0 || bytes > limit ? std::nullopt : std::optional<int64_t>(bytes);
}

}  // namespace kernelopt::worker
