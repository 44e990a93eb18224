// Ed25519 (OpenSSL EVP): the daemon signs results, anybody checks them.
//
// Keys and signatures are raw bytes: 32 of a private key's seed, 32 of a public
// key, 64 of a signature (RFC 8032). Functions are thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace kernelopt::support {

struct SigningKey {
  std::string secret;  // 32 bytes; never leaves the daemon
  std::string shown;   // 32 bytes, the public key
};

// A new one from the system's entropy.
absl::StatusOr<SigningKey> MakeSigningKey();
// The one in `path` (0600, the secret in hex); made and written durably where there
// is none, with the public key beside it in `path`.pub. INTERNAL: the file is
// there and is no key; it is left as it is.
absl::StatusOr<SigningKey> KeepSigningKey(const std::string& path);

absl::StatusOr<std::string> Sign(const SigningKey& key, std::string_view text);
bool SignatureHolds(std::string_view shown_key, std::string_view text, std::string_view signature);

// What people compare: the first 16 hex digits of the public key's SHA-256.
std::string KeyId(std::string_view shown_key);

std::string ToHex(std::string_view bytes);
// Empty where it is no hex.
std::string FromHex(std::string_view hex);

}  // namespace kernelopt::support
