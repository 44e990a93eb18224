#include "device/host/host_ops.h"

#include <algorithm>
#include <cstring>

#include "values/content.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace kernelopt::worker {
namespace {

class HostOps final : public TensorOps {
 public:
  void Fill(const Parameter& p, const Content& content, uint64_t gaps, char* to) override {
    std::vector<char> dense = Room(p);
    char* at = dense.empty() ? to : dense.data();
    const int64_t row = p.layout.shape.empty() ? 0 : p.layout.shape.back();
    FillContent(at, p.elements(), p.dtype, p.init, content.nonce, content.tensor, row);
    if (content.stress) StressContent(at, p.elements(), p.dtype, p.init, content.nonce, content.tensor);
    Spread(p, dense, gaps, to);
  }

  void FillFrom(const Parameter& p, const char* from, uint64_t gaps, char* to) override {
    std::vector<char> dense = Room(p);
    Gather(p.layout, SizeOf(p.dtype), from, dense.empty() ? to : dense.data());
    Spread(p, dense, gaps, to);
  }

  void Prefill(const Parameter& p, const Content& content, bool other, char* to) override {
    FillContent(to, p.layout.span, p.dtype, PrefillOf(p.dtype), content.nonce, content.tensor);
    const auto size = static_cast<int64_t>(SizeOf(p.dtype));
    // The lowest bit: of a float it is the last of the fraction.
    for (int64_t k = 0; other && k < p.layout.span; ++k) to[k * size] = static_cast<char>(to[k * size] ^ 1);
  }

  void Poison(const Parameter& p, uint64_t nonce, char* to) override {
    FillPoison(to, p.layout.span, p.dtype, nonce);
  }

  bool GapsHold(const Parameter& p, uint64_t nonce, const char* at) override {
    if (!p.layout.strided()) return true;
    std::vector<bool> element(static_cast<size_t>(p.layout.span), false);
    for (const int64_t place : Places(p.layout)) element[static_cast<size_t>(place)] = true;
    for (int64_t i = 0; i < p.layout.span; ++i) {
      if (!element[static_cast<size_t>(i)] && !IsPoison(at, i, p.dtype, nonce)) return false;
    }
    return true;
  }

  void FillWords(std::span<const Range> ranges, uint64_t word) override {
    for (const Range& range : ranges) {
      EachWord(range, [&](char* at, size_t n) {
        std::memcpy(at, &word, n);
        return true;
      });
    }
  }

  int64_t FindBroken(std::span<const Range> ranges, uint64_t word) override {
    for (size_t i = 0; i < ranges.size(); ++i) {
      const bool holds = EachWord(ranges[i], [&](const char* at, size_t n) { return std::memcmp(at, &word, n) == 0; });
      if (!holds) return static_cast<int64_t>(i);
    }
    return -1;
  }

  uint64_t Digest(const char* at, int64_t bytes, uint64_t key) override {
    return XXH3_64bits_withSeed(at, static_cast<size_t>(bytes), key);
  }

  CheckFigures Check(const Parameter& p, const char* got, const char* expected, std::span<const double> errors,
                     uint64_t poison_nonce) override {
    return CheckOutput(p, got, {expected, errors}, poison_nonce);
  }

  std::vector<double> Errors(const Parameter& p, const char* own, const char* oracle) override {
    return BlockErrors(p, own, oracle);
  }

  void Glance(std::span<const char* const> places, uint8_t* out) override {
    for (const char* place : places) *out++ = static_cast<uint8_t>(*place);
  }

  void Read(const char* from, int64_t bytes, void* to) override { std::memcpy(to, from, static_cast<size_t>(bytes)); }
  void Write(const void* from, int64_t bytes, char* to) override { std::memcpy(to, from, static_cast<size_t>(bytes)); }
  void Copy(const char* from, int64_t bytes, char* to) override { std::memcpy(to, from, static_cast<size_t>(bytes)); }

 private:
  // For the dense form of a strided tensor; empty for others.
  static std::vector<char> Room(const Parameter& p) {
    return std::vector<char>(p.layout.strided() ? static_cast<size_t>(p.elements()) * SizeOf(p.dtype) : 0);
  }

  static void Spread(const Parameter& p, const std::vector<char>& dense, uint64_t gaps, char* to) {
    if (!p.layout.strided()) return;
    FillPoison(to, p.layout.span, p.dtype, gaps);
    Scatter(p.layout, SizeOf(p.dtype), dense.data(), to);
  }

  // Until `visit` answers false; whether it never did.
  template <class Visit>
  static bool EachWord(const Range& range, Visit visit) {
    for (int64_t at = 0; at < range.bytes; at += 8) {
      if (!visit(range.at + at, static_cast<size_t>(std::min<int64_t>(8, range.bytes - at)))) return false;
    }
    return true;
  }
};

}  // namespace

std::unique_ptr<TensorOps> MakeHostOps() { return std::make_unique<HostOps>(); }

}  // namespace kernelopt::worker
