// All buffers of one job: inputs, outputs, and expected outputs.
//
// Every subject is called on the same memory. A tensor lies in a segment of
// whole pages: a canary page, the tensor, canary bytes to the end of a page,
// one more canary page; runners map each segment alone, between unmapped
// guards. Used from the job thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "device/device.h"
#include "problem/contract.h"
#include "runner/wire.h"

namespace kernelopt::worker {

class Arena {
 public:
  // RESOURCE_EXHAUSTED when it does not fit into the device's free memory.
  static absl::StatusOr<std::unique_ptr<Arena>> Make(Device& device, const Contract& contract);

  // Content of every input for `nonce`.
  void FillInputs(uint64_t nonce);
  // Outputs poisoned, inouts restored to their content, canaries renewed; in
  // the subjects' memory or in the expected one.
  enum class Which { kSubject, kExpected };
  void ResetOutputs(uint64_t nonce, Which which);
  // Fills outputs that are purely out with content instead of poison: a
  // reference that leaves parts alone then shows it.
  void PrefillExpected(uint64_t nonce, uint64_t prefill);

  // Name of an output whose canary was changed since ResetOutputs, if any.
  std::optional<std::string> BrokenCanary(uint64_t nonce);

  // Reads a few words of the outputs at places nobody knows; for the instant
  // at which a call ends.
  void Glance(uint64_t nonce);
  // Where one of them has another value now.
  struct Changed {
    std::string name;
    int64_t offset = 0;
  };
  std::optional<Changed> ChangedSinceGlance() const;

  // The judge's own view of tensor i (index into contract parameters).
  char* Tensor(size_t parameter, Which which = Which::kSubject);

  // Copies of all outputs, one after the other.
  std::vector<char> CaptureOutputs();
  // Where output `parameter` lies in such a copy.
  int64_t CaptureOffset(size_t parameter) const { return slots_[parameter].capture; }
  int64_t capture_bytes() const { return capture_bytes_; }

  SharedMemory& inputs() { return *inputs_; }
  SharedMemory& outputs() { return *outputs_; }
  SharedMemory& expected() { return *expected_; }

  // Where a tensor lies, in the terms of the wire.
  wire::Tensor WireTensor(size_t parameter) const;

  // An output becomes an inout once the reference showed that it reads it.
  void SetRole(size_t parameter, TensorRole role) { contract_.parameters[parameter].role = role; }
  const Contract& contract() const { return contract_; }

 private:
  struct Slot {
    int64_t segment = 0, segment_bytes = 0;  // of the memory object
    int64_t offset = 0;                      // of the tensor in the object
    int64_t capture = 0;
  };
  explicit Arena(const Contract& contract) : contract_(contract) {}
  void Lay();
  template <class Visit>
  void EachCanary(size_t parameter, SharedMemory& memory, Visit visit);

  Contract contract_;
  std::vector<Slot> slots_;  // by parameter
  struct Seen {
    size_t parameter = 0;
    int64_t offset = 0;
    uint8_t value = 0;
  };
  std::vector<Seen> glance_;
  int64_t input_bytes_ = 0, output_bytes_ = 0, capture_bytes_ = 0;
  std::unique_ptr<SharedMemory> inputs_, outputs_, expected_;
};

}  // namespace kernelopt::worker
