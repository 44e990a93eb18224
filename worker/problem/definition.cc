#include "problem/definition.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "problem/fields.h"

namespace kernelopt::worker {
namespace {

using nlohmann::json;

std::vector<v1::Dim> ReadDims(const json& object, const std::string& where, Fields& owner) {
  std::vector<v1::Dim> dims;
  for (const auto& item : object.items()) {
    v1::Dim dim;
    dim.set_name(item.key());
    if (item.value().is_number_integer() && !item.value().is_number_unsigned()) {
      dim.set_int_value(item.value().get<int64_t>());
    } else if (item.value().is_number_unsigned()) {
      const auto value = item.value().get<uint64_t>();
      if (value > static_cast<uint64_t>(INT64_MAX)) owner.Fail(absl::StrCat(where, ": ", item.key(), " is too large"));
      dim.set_int_value(static_cast<int64_t>(value));
    } else if (item.value().is_number()) {
      dim.set_real_value(item.value().get<double>());
    } else {
      owner.Fail(absl::StrCat("the dim ", item.key().substr(0, 80), " must be a number"));
    }
    dims.push_back(dim);
  }
  return dims;
}

std::variant<Workload, InvalidProblem> ReadWorkload(const json& about, size_t index) {
  const std::string where = absl::StrCat("workloads[", index, "]");
  Fields fields(about, where);
  Workload w;
  w.name = fields.Text("name", absl::StrCat("w", index));
  w.weight = fields.Number("weight", 1);
  w.hidden = fields.Flag("hidden", false);
  w.dims = ReadDims(fields.Object("dims"), where, fields);
  Fields tolerance(fields.Object("tolerance"), where + ".tolerance");
  w.atol = tolerance.MaybeNumber("atol");
  w.rtol = tolerance.MaybeNumber("rtol");
  tolerance.NoOthers();
  for (const auto& item : fields.Object("inputs").items()) {
    auto init = ParseInit(item.value(), absl::StrCat(where, ".inputs.", item.key()));
    if (auto* bad = std::get_if<InvalidProblem>(&init)) return *bad;
    w.inputs[item.key()] = std::get<Init>(init);
  }
  fields.NoOthers();
  if (w.name.empty() || w.name.size() > 64) fields.Fail("name must have 1 to 64 characters");
  if (!(w.weight > 0 && w.weight <= 1e6)) fields.Fail("weight must be above 0");
  if (w.atol.value_or(0) < 0 || w.rtol.value_or(0) < 0) fields.Fail("tolerances must not be negative");
  if (tolerance.failed()) return *tolerance.failed();
  if (fields.failed()) return *fields.failed();
  return w;
}

InvalidProblem Bad(const std::string& text) { return {"PROBLEM_FORMAT", "problem.json: " + text}; }

}  // namespace

std::variant<ProblemDefinition, InvalidProblem> ParseDefinition(std::string_view text) {
  const json root = json::parse(text, nullptr, false);
  if (root.is_discarded()) return Bad("is not valid JSON");
  Fields fields(root, "problem.json");
  ProblemDefinition definition;
  definition.name = fields.Text("name");
  (void)fields.Text("description");
  (void)fields.Text("reference");  // for clients: the file beside it
  const std::string math = fields.Text("math", "strict");
  definition.tf32 = math == "tf32";
  for (const auto& item : fields.Object("tensors").items()) {
    auto tensor = ParseDeclaredTensor(item.value(), absl::StrCat("tensors.", item.key().substr(0, 80)));
    if (auto* bad = std::get_if<InvalidProblem>(&tensor)) return *bad;
    definition.tensors[item.key()] = std::get<DeclaredTensor>(tensor);
  }
  const auto ordered = nlohmann::ordered_json::parse(text, nullptr, false);
  if (const auto tensors = ordered.find("tensors"); tensors != ordered.end()) {
    for (const auto& item : tensors->items()) definition.order.push_back(item.key());
  }
  const json& workloads = fields.Array("workloads");
  if (workloads.size() > kMaxWorkloads) return Bad(absl::StrCat("more than ", kMaxWorkloads, " workloads"));
  for (size_t i = 0; i < workloads.size(); ++i) {
    auto workload = ReadWorkload(workloads[i], i);
    if (auto* bad = std::get_if<InvalidProblem>(&workload)) return *bad;
    for (const Workload& other : definition.workloads) {
      if (other.name == std::get<Workload>(workload).name) return Bad("two workloads are called " + other.name);
    }
    definition.workloads.push_back(std::get<Workload>(workload));
  }
  fields.NoOthers();
  if (math != "strict" && math != "tf32") fields.Fail("math must be \"strict\" or \"tf32\"");
  if (definition.workloads.empty()) fields.Fail("needs at least one workload");
  for (const Workload& w : definition.workloads) {
    for (const auto& input : w.inputs) {
      if (definition.tensors.count(input.first) == 0) {
        fields.Fail(absl::StrCat("workload ", w.name, " fills ", input.first, ", which is not a tensor"));
      }
    }
  }
  if (fields.failed()) return *fields.failed();
  return definition;
}

std::variant<std::vector<Workload>, InvalidProblem> SelectWorkloads(
    const ProblemDefinition& definition, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const bool there = std::any_of(definition.workloads.begin(), definition.workloads.end(),
                                   [&](const Workload& w) { return w.name == name; });
    if (there) continue;
    return Bad(absl::StrCat("has no workload \"", name, "\"; it has ",
                            absl::StrJoin(definition.workloads, ", ", [](std::string* out, const Workload& w) {
                              out->append(w.name);
                            })));
  }
  if (names.empty()) return definition.workloads;
  std::vector<Workload> chosen;
  for (const Workload& w : definition.workloads) {
    if (std::find(names.begin(), names.end(), w.name) != names.end()) chosen.push_back(w);
  }
  return chosen;
}

}  // namespace kernelopt::worker
