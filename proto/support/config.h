// Settings of a program: built-in default < config file (TOML) < KOPT_* in the
// environment < flag. Every key is declared in a table with type and meaning;
// an unknown key is an error that names the closest known one.
//
// Key `queue.lease_seconds` is `[queue] lease_seconds = 30` in TOML and
// `KOPT_QUEUE_LEASE_SECONDS` in the environment. Not thread-safe while loading;
// const afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace kernelopt::support {

struct Setting {
  enum class Type { kText, kInteger, kReal, kBool };
  std::string key;
  Type type;
  std::string fallback;
  std::string meaning;
};

class Config {
 public:
  explicit Config(std::vector<Setting> table);

  // NOT_FOUND when `path` does not exist; INVALID_ARGUMENT for syntax, unknown
  // keys and wrong types, with file and line.
  absl::Status LoadFile(const std::string& path);
  // Reads KOPT_* variables. `ignored` lists beginnings of names that belong to
  // other programs; any other unknown KOPT_* is an error.
  absl::Status LoadEnvironment(char** environment, std::span<const std::string> ignored);
  // One `key=value` from the command line.
  absl::Status SetFlag(std::string_view assignment);

  const std::string& Text(std::string_view key) const;
  int64_t Integer(std::string_view key) const;
  double Real(std::string_view key) const;
  bool Bool(std::string_view key) const;

  struct Shown {
    std::string key, value, origin, meaning;
  };
  // Every key with its value and where it came from: `default`, a file name,
  // the variable's name, or `flag`.
  std::vector<Shown> Show() const;

 private:
  absl::Status Set(std::string_view key, std::string_view value, std::string_view origin);
  std::string UnknownKey(std::string_view key) const;

  struct Value {
    std::string text, origin;
  };
  std::vector<Setting> table_;
  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace kernelopt::support
