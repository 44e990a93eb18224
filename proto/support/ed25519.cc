#include "support/ed25519.h"

#include <openssl/evp.h>

#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "support/files.h"
#include "support/sha256.h"

namespace kernelopt::support {
namespace {

constexpr size_t kKeyBytes = 32, kSignatureBytes = 64;

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Digest = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

const unsigned char* Bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* Bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

Key Private(std::string_view secret) {
  return {EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, Bytes(secret), secret.size()), EVP_PKEY_free};
}

absl::StatusOr<SigningKey> WithPublic(Key key) {
  SigningKey out{std::string(kKeyBytes, 0), std::string(kKeyBytes, 0)};
  size_t secret = kKeyBytes, shown = kKeyBytes;
  if (!key || EVP_PKEY_get_raw_private_key(key.get(), Bytes(out.secret), &secret) != 1 ||
      EVP_PKEY_get_raw_public_key(key.get(), Bytes(out.shown), &shown) != 1) {
    return absl::InternalError("OpenSSL gave no Ed25519 key");
  }
  return out;
}

}  // namespace

absl::StatusOr<SigningKey> MakeSigningKey() {
  EVP_PKEY* made = nullptr;
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> context(EVP_PKEY_CTX_new_id(EVP_PKEY_ED25519, nullptr), EVP_PKEY_CTX_free);
  if (!context || EVP_PKEY_keygen_init(context.get()) != 1 || EVP_PKEY_keygen(context.get(), &made) != 1) {
    return absl::InternalError("OpenSSL cannot make an Ed25519 key");
  }
  return WithPublic(Key(made, EVP_PKEY_free));
}

absl::StatusOr<SigningKey> KeepSigningKey(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (text.ok()) {
    const std::string secret = FromHex(std::string(absl::StripAsciiWhitespace(*text)));
    if (secret.size() != kKeyBytes) {
      return absl::InternalError(absl::StrCat(path, " is no signing key (64 hex digits); put the right one back, or move it away and a new one is made"));
    }
    return WithPublic(Private(secret));
  }
  if (!absl::IsNotFound(text.status())) return text.status();
  auto key = MakeSigningKey();
  if (!key.ok()) return key;
  if (absl::Status s = WriteFileDurably(path, ToHex(key->secret) + "\n", 0600); !s.ok()) return s;
  if (absl::Status s = WriteFileDurably(path + ".pub", ToHex(key->shown) + "\n", 0644); !s.ok()) return s;
  return key;
}

absl::StatusOr<std::string> Sign(const SigningKey& key, std::string_view text) {
  const Key own = Private(key.secret);
  const Digest context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::string signature(kSignatureBytes, 0);
  size_t bytes = signature.size();
  if (!own || !context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, own.get()) != 1 ||
      EVP_DigestSign(context.get(), Bytes(signature), &bytes, Bytes(text), text.size()) != 1) {
    return absl::InternalError("OpenSSL cannot sign");
  }
  return signature;
}

bool SignatureHolds(std::string_view shown_key, std::string_view text, std::string_view signature) {
  if (shown_key.size() != kKeyBytes || signature.size() != kSignatureBytes) return false;
  const Key key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, Bytes(shown_key), shown_key.size()), EVP_PKEY_free);
  const Digest context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  return key && context && EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), Bytes(signature), signature.size(), Bytes(text), text.size()) == 1;
}

std::string KeyId(std::string_view shown_key) { return Sha256Hex(shown_key).substr(0, 16); }

std::string ToHex(std::string_view bytes) { return absl::BytesToHexString(absl::string_view(bytes.data(), bytes.size())); }

std::string FromHex(std::string_view hex) {
  for (const char c : hex) {
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) return "";
  }
  return hex.size() % 2 == 0 ? absl::HexStringToBytes(absl::string_view(hex.data(), hex.size())) : "";
}

}  // namespace kernelopt::support
