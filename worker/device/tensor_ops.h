// What the judge does to whole tensors, in the memory where they lie.
//
// Addresses are those of the device: what SharedMemory::data() says, and only to
// be handed back to its operations. What only writes to the device may still be
// under way when it returns: later operations, and Device::Evict, come after it;
// before anybody else looks, Settle.
// Used from the job thread only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problem/contract.h"
#include "values/check.h"

namespace kernelopt::worker {

class TensorOps {
 public:
  virtual ~TensorOps() = default;

  // --- content; values/content.h says what it is ---
  struct Content {
    uint64_t nonce = 0;
    uint32_t tensor = 0;  // index of the parameter
    bool stress = false;
  };
  // Laid out as p.layout says; what lies between its elements becomes the
  // poison of `gaps`.
  virtual void Fill(const Parameter& p, const Content& content, uint64_t gaps, char* to) = 0;
  // The same with the elements of `from`, which is laid out alike.
  virtual void FillFrom(const Parameter& p, const char* from, uint64_t gaps, char* to) = 0;
  // Small values of the type whatever p.init says, gaps too; with `other` every
  // element is another one than without.
  virtual void Prefill(const Parameter& p, const Content& content, bool other, char* to) = 0;
  virtual void Poison(const Parameter& p, uint64_t nonce, char* to) = 0;
  // What lies between the elements is still the poison of `nonce`.
  virtual bool GapsHold(const Parameter& p, uint64_t nonce, const char* at) = 0;

  // --- canaries: a word of 8 bytes, repeated from the start of each range ---
  struct Range {
    char* at = nullptr;
    int64_t bytes = 0;
  };
  virtual void FillWords(std::span<const Range> ranges, uint64_t word) = 0;
  // Index of a range that does not hold it; -1: all do.
  virtual int64_t FindBroken(std::span<const Range> ranges, uint64_t word) = 0;

  // --- figures ---
  virtual uint64_t Digest(const char* at, int64_t bytes, uint64_t key) = 0;
  virtual CheckFigures Check(const Parameter& p, const char* got, const char* expected,
                             std::span<const double> errors, uint64_t poison_nonce) = 0;
  virtual std::vector<double> Errors(const Parameter& p, const char* own, const char* oracle) = 0;
  // One byte at each place, as soon as may be.
  virtual void Glance(std::span<const char* const> places, uint8_t* out) = 0;

  // --- between the device's memory and the judge's own, or within the former ---
  virtual void Read(const char* from, int64_t bytes, void* to) = 0;
  virtual void Write(const void* from, int64_t bytes, char* to) = 0;
  virtual void Copy(const char* from, int64_t bytes, char* to) = 0;

  // Everything asked for has been done.
  virtual void Settle() {}

  std::vector<char> ReadAll(const char* from, int64_t bytes) {
    std::vector<char> copy(static_cast<size_t>(bytes));
    Read(from, bytes, copy.data());
    return copy;
  }
};

}  // namespace kernelopt::worker
