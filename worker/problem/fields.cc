#include "problem/fields.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "support/suggest.h"

namespace kernelopt::worker {
namespace {

const nlohmann::json& Empty(bool array) {
  static const nlohmann::json object = nlohmann::json::object(), list = nlohmann::json::array();
  return array ? list : object;
}

}  // namespace

Fields::Fields(const nlohmann::json& object, std::string where)
    : object_(object), where_(std::move(where)) {
  if (!object_.is_object()) Fail("must be an object");
}

void Fields::Fail(const std::string& message) {
  if (!failed_) failed_ = InvalidProblem{"PROBLEM_FORMAT", absl::StrCat(where_, ": ", message)};
}

void Fields::WrongType(const std::string& key, const std::string& wanted) {
  Fail(absl::StrCat("\"", key, "\" must be ", wanted));
}

const nlohmann::json* Fields::Find(const std::string& key) {
  known_.push_back(key);
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

bool Fields::Has(const std::string& key) { return Find(key) != nullptr; }

std::string Fields::Text(const std::string& key, const std::string& otherwise) {
  const nlohmann::json* value = Find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_string()) {
    WrongType(key, "a text");
    return otherwise;
  }
  return value->get<std::string>();
}

std::optional<double> Fields::MaybeNumber(const std::string& key) {
  const nlohmann::json* value = Find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number()) {
    WrongType(key, "a number");
    return std::nullopt;
  }
  return value->get<double>();
}

double Fields::Number(const std::string& key, double otherwise) {
  return MaybeNumber(key).value_or(otherwise);
}

int64_t Fields::Integer(const std::string& key, int64_t otherwise) {
  const nlohmann::json* value = Find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_number_integer()) {
    WrongType(key, "a whole number");
    return otherwise;
  }
  return value->get<int64_t>();
}

bool Fields::Flag(const std::string& key, bool otherwise) {
  const nlohmann::json* value = Find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) {
    WrongType(key, "true or false");
    return otherwise;
  }
  return value->get<bool>();
}

std::string Fields::Expressions(const std::string& key) {
  const nlohmann::json* value = Find(key);
  if (value == nullptr) return "";
  const auto one = [&](const nlohmann::json& item) -> std::string {
    if (item.is_string()) return item.get<std::string>();
    if (item.is_number_integer()) return absl::StrCat(item.get<int64_t>());
    WrongType(key, "an expression like \"M,K\", a whole number, or a list of them");
    return "";
  };
  if (!value->is_array()) return one(*value);
  std::vector<std::string> parts;
  for (const nlohmann::json& item : *value) parts.push_back(one(item));
  return absl::StrJoin(parts, ",");
}

const nlohmann::json& Fields::Object(const std::string& key) {
  const nlohmann::json* value = Find(key);
  if (value == nullptr) return Empty(false);
  if (value->is_object()) return *value;
  WrongType(key, "an object");
  return Empty(false);
}

const nlohmann::json& Fields::Array(const std::string& key) {
  const nlohmann::json* value = Find(key);
  if (value == nullptr) return Empty(true);
  if (value->is_array()) return *value;
  WrongType(key, "a list");
  return Empty(true);
}

void Fields::NoOthers() {
  if (!object_.is_object()) return;
  for (const auto& item : object_.items()) {
    if (std::find(known_.begin(), known_.end(), item.key()) != known_.end()) continue;
    const std::string near = support::Suggest(item.key(), known_);
    return Fail(absl::StrCat("unknown key \"", item.key().substr(0, 80), "\"",
                             near.empty() ? "" : absl::StrCat("; did you mean \"", near, "\"?")));
  }
}

}  // namespace kernelopt::worker
