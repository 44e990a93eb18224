// Names and random ids.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace kernelopt::support {

// Fills `data` from the kernel's generator; never fails on Linux >= 3.17.
void RandomBytes(void* data, size_t size);
uint64_t RandomU64();

// 16 characters of [0-9a-z] without i, l, o, u: 10 of time (ms), 6 random.
// Sorts by time of creation.
std::string NewId(int64_t wall_us);

// A random version-4 UUID in the usual 8-4-4-4-12 form.
std::string NewUuid();

// The kernel's boot id, or an empty text where /proc has none.
std::string BootId();

// What protobuf will parse again: bytes that are not UTF-8 become '?'.
std::string ValidUtf8(std::string_view text);

// "jobs/<id>" -> "<id>", "<id>" -> "<id>": of a name that is known to be sound.
std::string IdOf(const std::string& name);
// "jobs/<id>" -> "<id>"; INVALID_ARGUMENT when it does not have that form.
absl::StatusOr<std::string> ParseName(std::string_view name, std::string_view collection);

}  // namespace kernelopt::support
