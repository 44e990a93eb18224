// All buffers of one workload: inputs, outputs, expected outputs, and where the
// reference process leaves inputs that it makes (staging).
//
// Every subject is called on the same memory. A tensor lies in a segment of
// whole pages: a canary page, the tensor (its alignment and no more, so at an
// odd address where the problem says so), canary bytes to the end of a page,
// one more canary page; runners map each segment alone, between unmapped
// guards. Gaps of strided tensors hold poison. Used from the job thread.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "device/device.h"
#include "problem/contract.h"
#include "runner/wire.h"

namespace kernelopt::worker {

inline constexpr int64_t kReserveBytes = int64_t{512} << 20;
inline constexpr int64_t kCaptureBytes = int64_t{1} << 30;  // of all kept copies together

class Arena {
 public:
  // RESOURCE_EXHAUSTED when it does not fit into the device's free memory. Leaves
  // room for the copies that audits of so many subjects keep, where there is any.
  static absl::StatusOr<std::unique_ptr<Arena>> Make(Device& device, const Contract& contract, int subjects);

  // Content of every input that changes from call to call, for `nonce`. Staged
  // ones are taken from staging().
  // kStress: harder (content.h), that of inouts too until the next FillInputs.
  enum class Content { kPlain, kStress };
  void FillInputs(uint64_t nonce, Content content = Content::kPlain);
  // Content of every input of one role; of the lasting ones, once.
  void FillRole(uint64_t nonce, TensorRole role);
  // Keyed digest of all input memory.
  uint64_t InputDigest(uint64_t key) const;
  // Outputs poisoned, inouts restored to their content, canaries renewed; in
  // the subjects' memory or in the expected one.
  enum class Which { kSubject, kExpected };
  void ResetOutputs(uint64_t nonce, Which which);
  // Fills outputs that are purely out with content instead of poison: a
  // reference that leaves parts alone, or reads them, then shows it. With
  // `other` every element differs from what it is without.
  void PrefillExpected(uint64_t nonce, uint64_t prefill, bool other);

  // Further sets of inputs (without what lasts) and outputs, one behind the other
  // in objects of their own. Select says which one the functions of contents,
  // outputs and canaries mean; -1: the first buffers. RESOURCE_EXHAUSTED.
  absl::Status MakeSets(int count);
  void DropSets();
  void Select(int set) { selected_ = set; }
  SharedMemory* sets(bool outputs) { return outputs ? set_outputs_.get() : set_inputs_.get(); }
  // From one set to the next: of inputs, of outputs.
  std::array<int64_t, 2> set_bytes() const { return {input_bytes_, output_bytes_}; }

  // Name of an output whose canary, or gap, was changed since ResetOutputs.
  std::optional<std::string> BrokenCanary(uint64_t nonce);

  // Reads a few words of the outputs at places nobody knows; for the instant
  // at which a call ends.
  void Glance();
  // Where one of them has another value now.
  struct Changed {
    std::string name;
    int64_t offset = 0;
  };
  std::optional<Changed> ChangedSinceGlance();
  // Name of an output of which all that was glanced at still held the poison of
  // `nonce`: nothing wrote it. Floating types without gaps only; others may hold the
  // same bytes by right.
  std::optional<std::string> UnwrittenAtGlance(uint64_t nonce) const;

  // Where tensor i (index into contract parameters) lies: an address on the
  // device, for ops().
  char* Tensor(size_t parameter, Which which = Which::kSubject);

  // Copies of all outputs, one after the other; and back into the subjects'
  // memory. RESOURCE_EXHAUSTED.
  absl::StatusOr<std::unique_ptr<Memory>> CaptureOutputs(Which which = Which::kSubject);
  // The same in two steps: room that can be used again, and the copy.
  absl::StatusOr<std::unique_ptr<Memory>> RoomForOutputs();
  void CopyOutputs(Memory& into, Which which = Which::kSubject);
  void RestoreOutputs(Memory& copy);
  int64_t capture_bytes() const { return capture_bytes_; }
  // There is no room for copies: audited calls are judged as soon as they end.
  bool audits_at_once() const { return audits_at_once_; }
  // What has to stay free for copies, figures and the reference while subjects run:
  // kReserveBytes and the copies, or a quarter of what was free when this was made.
  int64_t reserve_bytes() const { return reserve_bytes_; }

  // Keyed digest of each parameter that is an output (0 for others): whether two
  // calls left the same, without a copy.
  std::vector<uint64_t> OutputDigests(uint64_t key, Which which = Which::kSubject);

  // Whole tensors, in the judge's own memory.
  std::vector<char> Read(size_t parameter, Which which = Which::kSubject);
  TensorOps& ops() { return device_.ops(); }

  SharedMemory& inputs() { return *inputs_; }
  SharedMemory& outputs() { return *outputs_; }
  SharedMemory& expected() { return *expected_; }
  // Null where nothing is staged. Laid out like inputs() followed by outputs().
  SharedMemory* staging() { return staging_.get(); }
  // Where the reference leaves `parameter` in staging().
  int64_t StagingOffset(size_t parameter) const;
  // The reference said that it makes this input.
  void SetStaged(size_t parameter) { contract_.parameters[parameter].init.kind = Init::Kind::kReference; }

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
  Arena(Device& device, const Contract& contract) : device_(device), contract_(contract) {}
  void Lay();
  // Content of one input to `at`, gaps poisoned.
  void Fill(size_t parameter, uint64_t nonce, char* at);
  // Where inputs, or outputs, of the selected set begin.
  char* Base(bool writable, Which which = Which::kSubject);
  // What lies around a tensor in its segment.
  void AddCanaries(size_t parameter, char* base, std::vector<TensorOps::Range>& to);

  Device& device_;
  Contract contract_;
  std::vector<Slot> slots_;  // by parameter
  // Places of the last glance, and what they held.
  struct Seen {
    size_t parameter = 0;
    int64_t offset = 0;
  };
  std::vector<Seen> seen_;
  std::vector<const char*> places_;
  std::vector<uint8_t> values_;
  int64_t input_bytes_ = 0, output_bytes_ = 0, capture_bytes_ = 0, reserve_bytes_ = 0;
  bool stress_ = false, audits_at_once_ = false;
  int selected_ = -1;
  std::unique_ptr<SharedMemory> inputs_, outputs_, expected_, staging_, set_inputs_, set_outputs_;
};

}  // namespace kernelopt::worker
