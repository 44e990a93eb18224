// Reading an author's JSON object field by field: wrong types and unknown keys
// become one clear message, the first one stays. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "problem/invalid.h"

namespace kernelopt::worker {

class Fields {
 public:
  // `object` outlives this.
  Fields(const nlohmann::json& object, std::string where);

  bool Has(const std::string& key);
  std::string Text(const std::string& key, const std::string& otherwise = "");
  double Number(const std::string& key, double otherwise);
  int64_t Integer(const std::string& key, int64_t otherwise);
  bool Flag(const std::string& key, bool otherwise);
  std::optional<double> MaybeNumber(const std::string& key);
  // A text, a whole number, or a list of them: "M,K", 4, ["M", 4].
  std::string Expressions(const std::string& key);
  // An object; empty when absent.
  const nlohmann::json& Object(const std::string& key);
  const nlohmann::json& Array(const std::string& key);

  void Fail(const std::string& message);  // "where: message"
  // Call last: keys nobody asked for are mistakes.
  void NoOthers();
  const std::optional<InvalidProblem>& failed() const { return failed_; }

 private:
  const nlohmann::json* Find(const std::string& key);
  void WrongType(const std::string& key, const std::string& wanted);

  const nlohmann::json& object_;
  const std::string where_;
  std::vector<std::string> known_;
  std::optional<InvalidProblem> failed_;
};

}  // namespace kernelopt::worker
