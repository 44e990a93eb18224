#include "support/config.h"

#include <cstdlib>
#include <toml++/toml.h>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "support/files.h"
#include "support/suggest.h"

namespace kernelopt::support {
namespace {

std::string VariableOf(const std::string& key) {
  return "KOPT_" + absl::AsciiStrToUpper(absl::StrReplaceAll(key, {{".", "_"}}));
}

bool Fits(Setting::Type type, const std::string& text) {
  int64_t integer = 0;
  double real = 0;
  bool flag = false;
  switch (type) {
    case Setting::Type::kText:
      return true;
    case Setting::Type::kInteger:
      return absl::SimpleAtoi(text, &integer);
    case Setting::Type::kReal:
      return absl::SimpleAtod(text, &real);
    case Setting::Type::kBool:
      return absl::SimpleAtob(text, &flag);
  }
  return false;
}

const char* TypeName(Setting::Type type) {
  switch (type) {
    case Setting::Type::kInteger:
      return "an integer";
    case Setting::Type::kReal:
      return "a number";
    case Setting::Type::kBool:
      return "true or false";
    case Setting::Type::kText:
      break;
  }
  return "a text";
}

std::string TextOf(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* integer = node.as_integer()) return absl::StrCat(integer->get());
  if (const auto* real = node.as_floating_point()) return absl::StrCat(real->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  return "";
}

}  // namespace

Config::Config(std::vector<Setting> table) : table_(std::move(table)) {
  for (const Setting& setting : table_) values_[setting.key] = {setting.fallback, "default"};
}

std::string Config::UnknownKey(std::string_view key) const {
  std::vector<std::string> known;
  for (const Setting& setting : table_) known.push_back(setting.key);
  const std::string near = Suggest(key, known);
  std::string text = absl::StrCat("unknown setting \"", std::string(key), "\"");
  if (!near.empty()) absl::StrAppend(&text, ", did you mean \"", near, "\"?");
  return text;
}

absl::Status Config::Set(std::string_view key, std::string_view value, std::string_view origin) {
  for (const Setting& setting : table_) {
    if (setting.key != key) continue;
    if (!Fits(setting.type, std::string(value))) {
      return absl::InvalidArgumentError(absl::StrCat(std::string(origin), ": ", setting.key,
                                                     " must be ", TypeName(setting.type),
                                                     ", not \"", std::string(value), "\""));
    }
    values_[setting.key] = {std::string(value), std::string(origin)};
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(std::string(origin), ": ", UnknownKey(key)));
}

absl::Status Config::LoadFile(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  try {
    const toml::table root = toml::parse(*text, path);
    for (const auto& [section_key, section] : root) {
      const std::string name(section_key.str());
      if (!section.is_table()) {
        if (absl::Status s = Set(name, TextOf(section), path); !s.ok()) return s;
        continue;
      }
      for (const auto& [key, node] : *section.as_table()) {
        const std::string full = absl::StrCat(name, ".", std::string(key.str()));
        const std::string where = absl::StrCat(path, ":", node.source().begin.line);
        if (absl::Status s = Set(full, TextOf(node), where); !s.ok()) return s;
      }
    }
  } catch (const toml::parse_error& error) {
    return absl::InvalidArgumentError(absl::StrCat(path, ":", error.source().begin.line, ": ",
                                                   std::string(error.description())));
  }
  return absl::OkStatus();
}

absl::Status Config::LoadEnvironment(char** environment, std::span<const std::string> ignored) {
  for (char** entry = environment; *entry != nullptr; ++entry) {
    const std::string_view line = *entry;
    if (line.substr(0, 5) != "KOPT_") continue;
    const size_t equals = line.find('=');
    const std::string name(line.substr(0, equals));
    const std::string_view value = line.substr(equals + 1);
    bool known = false;
    for (const std::string& other : ignored) known |= absl::StartsWith(name, other);
    for (const Setting& setting : table_) {
      if (VariableOf(setting.key) != name) continue;
      if (absl::Status s = Set(setting.key, value, name); !s.ok()) return s;
      known = true;
    }
    if (!known) return absl::InvalidArgumentError(UnknownKey(name));
  }
  return absl::OkStatus();
}

absl::Status Config::SetFlag(std::string_view assignment) {
  const size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("--set needs key=value, not \"", std::string(assignment), "\""));
  }
  return Set(assignment.substr(0, equals), assignment.substr(equals + 1), "flag");
}

const std::string& Config::Text(std::string_view key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) std::abort();  // a key that no table declares is a bug
  return found->second.text;
}

int64_t Config::Integer(std::string_view key) const {
  int64_t value = 0;
  if (!absl::SimpleAtoi(Text(key), &value)) return 0;
  return value;
}

double Config::Real(std::string_view key) const {
  double value = 0;
  if (!absl::SimpleAtod(Text(key), &value)) return 0;
  return value;
}

bool Config::Bool(std::string_view key) const {
  bool value = false;
  return absl::SimpleAtob(Text(key), &value) && value;
}

std::vector<Config::Shown> Config::Show() const {
  std::vector<Shown> shown;
  for (const Setting& setting : table_) {
    const Value& value = values_.at(setting.key);
    shown.push_back({setting.key, value.text, value.origin, setting.meaning});
  }
  return shown;
}

}  // namespace kernelopt::support
