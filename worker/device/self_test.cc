#include "device/self_test.h"

#include <array>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "support/ids.h"

namespace kernelopt::worker {

namespace {
constexpr int64_t kWord = sizeof(uint64_t);
}

absl::Status SelfTest(TensorOps& ops, char* at, int64_t bytes) {
  const int64_t half = bytes / 2 / kWord * kWord;
  const std::array<TensorOps::Range, 2> ranges = {{{at, half}, {at + half, half}}};
  const uint64_t word = support::RandomU64();
  // Two words, so that neither old content nor memory seen twice passes for it.
  ops.FillWords({&ranges[0], 1}, word);
  ops.FillWords({&ranges[1], 1}, ~word);
  if (ops.FindBroken({&ranges[0], 1}, word) >= 0 || ops.FindBroken({&ranges[1], 1}, ~word) >= 0) {
    return absl::InternalError("its memory does not hold what was written to it");
  }
  for (const TensorOps::Range& range : ranges) {
    const uint64_t want = range.at == at ? word : ~word;
    const std::vector<char> seen = ops.ReadAll(range.at, half);
    for (int64_t i = 0; i < half; i += kWord) {
      if (std::memcmp(&seen[static_cast<size_t>(i)], &want, kWord) == 0) continue;
      return absl::InternalError("its kernels and this machine's CPU see different content in the same memory");
    }
  }
  return absl::OkStatus();
}

absl::Status SelfTest(Device& device) {
  constexpr int64_t kBytes = 1 << 20;
  const auto memory = device.AllocatePrivate(kBytes);
  if (absl::IsResourceExhausted(memory.status())) return absl::OkStatus();
  if (!memory.ok()) return memory.status();
  const absl::Status status = SelfTest(device.ops(), (*memory)->data(), kBytes);
  return status.ok() ? status : absl::InternalError(absl::StrCat(device.id(), " is broken: ", std::string(status.message())));
}

}  // namespace kernelopt::worker
