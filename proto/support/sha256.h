// SHA-256 (OpenSSL EVP), as lower-case hex: the name of every blob, solution,
// binary and cache entry.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace kernelopt::support {

// Incremental hash. Not thread-safe.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  void Update(std::string_view data);
  // 64 lower-case hex digits; the object is spent afterwards.
  std::string FinishHex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string Sha256Hex(std::string_view data);

// 64 lower-case hex digits and nothing else.
bool IsSha256Hex(std::string_view text);

}  // namespace kernelopt::support
