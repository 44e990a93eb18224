#include "support/ids.h"

#include <sys/random.h>

#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "support/files.h"

namespace kernelopt::support {

void RandomBytes(void* data, size_t size) {
  auto* bytes = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t n = getrandom(bytes, size, 0);
    if (n <= 0) continue;
    bytes += n;
    size -= static_cast<size_t>(n);
  }
}

uint64_t RandomU64() {
  uint64_t value = 0;
  RandomBytes(&value, sizeof value);
  return value;
}

std::string NewId(int64_t wall_us) {
  static constexpr char kAlphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";
  std::string id(16, '0');
  uint64_t time_ms = static_cast<uint64_t>(wall_us / 1000);
  for (size_t i = 10; i-- > 0; time_ms >>= 5) id[i] = kAlphabet[time_ms & 31];
  uint64_t random = RandomU64();
  for (size_t i = 10; i < 16; ++i, random >>= 5) id[i] = kAlphabet[random & 31];
  return id;
}

std::string NewUuid() {
  std::array<uint8_t, 16> b{};
  RandomBytes(b.data(), b.size());
  b[6] = static_cast<uint8_t>((b[6] & 0x0f) | 0x40);
  b[8] = static_cast<uint8_t>((b[8] & 0x3f) | 0x80);
  std::string out;
  for (size_t i = 0; i < b.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    absl::StrAppendFormat(&out, "%02x", b[i]);
  }
  return out;
}

std::string BootId() {
  absl::StatusOr<std::string> text = ReadFile("/proc/sys/kernel/random/boot_id");
  if (!text.ok()) return "";
  while (!text->empty() && text->back() == '\n') text->pop_back();
  return *text;
}

std::string ValidUtf8(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    uint32_t code = length == 1 ? lead : lead & (0x7fU >> length);
    bool good = lead < 0x80 || (lead >= 0xc2 && lead <= 0xf4);
    for (size_t k = 1; good && k < length; ++k) {
      const auto next = i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U;
      good = (next & 0xc0U) == 0x80U;
      code = (code << 6) | (next & 0x3fU);
    }
    // Overlong forms, surrogates, beyond Unicode.
    good = good && !(length == 3 && (code < 0x800 || (code >= 0xd800 && code < 0xe000))) &&
           !(length == 4 && (code < 0x10000 || code > 0x10ffff));
    out += good ? std::string(text.substr(i, length)) : "?";
    i += good ? length : 1;
  }
  return out;
}

std::string IdOf(const std::string& name) { return name.substr(name.find('/') + 1); }

absl::StatusOr<std::string> ParseName(std::string_view name, std::string_view collection) {
  const std::string prefix = absl::StrCat(std::string(collection), "/");
  const bool good = name.size() > prefix.size() && name.size() <= prefix.size() + 64 &&
                    name.substr(0, prefix.size()) == prefix &&
                    name.find('/', prefix.size()) == std::string_view::npos;
  if (!good) {
    return absl::InvalidArgumentError(absl::StrCat("\"", std::string(name.substr(0, 80)),
                                                   "\" is not a name of the form ", prefix, "{id}"));
  }
  return std::string(name.substr(prefix.size()));
}

}  // namespace kernelopt::support
