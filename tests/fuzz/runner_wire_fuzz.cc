// Any bytes as what the reference process or a runner says.
#include "judge/answers.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  using namespace kernelopt::worker;  // NOLINT: a fuzz target
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)ReadHost(text);
  const auto refusal = ReadRefusal(text);
  if (refusal && refusal->reason.size() > 4096) __builtin_trap();
  (void)ReadFacts(text);
  (void)ReadWork(text);
  (void)ReadNames(text, "made");
  (void)ReadResults(text);
  (void)ReadChecked(text);
  const auto bytes = ReadPrepared(text, 1 << 20);
  if (bytes && (*bytes < 0 || *bytes > 1 << 20)) __builtin_trap();
  return 0;
}
