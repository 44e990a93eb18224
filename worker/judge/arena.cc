#include "judge/arena.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "support/ids.h"
#include "values/content.h"

namespace kernelopt::worker {
namespace {

constexpr int64_t kPage = 4096;

int64_t RoundUp(int64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

uint64_t CanaryWord(uint64_t nonce) { return nonce * 0xd1342543de82ef95ULL + 0x63656e6172796b6fULL; }

bool MayBeStaged(const Contract& contract) {
  return contract.make_inputs || std::any_of(contract.parameters.begin(), contract.parameters.end(),
                                             [](const Parameter& p) { return p.staged(); });
}

}  // namespace

void Arena::Lay() {
  slots_.resize(contract_.parameters.size());
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Parameter& parameter = contract_.parameters[i];
    if (!parameter.tensor()) continue;
    int64_t& end = parameter.writable() ? output_bytes_ : input_bytes_;
    Slot& slot = slots_[i];
    slot.segment = end;
    const int64_t odd = parameter.alignment % kPage;
    slot.offset = end + kPage + odd;
    slot.segment_bytes = kPage + RoundUp(odd + parameter.bytes()) + kPage;
    end += slot.segment_bytes;
    if (parameter.output()) {
      slot.capture = capture_bytes_;
      capture_bytes_ += (parameter.bytes() + 63) / 64 * 64;
    }
  }
}

absl::StatusOr<std::unique_ptr<Arena>> Arena::Make(Device& device, const Contract& contract,
                                                     int subjects) {
  std::unique_ptr<Arena> arena(new Arena(device, contract));
  arena->Lay();
  const bool staged = MayBeStaged(contract);
  // The judge keeps copies of audited outputs beside the three.
  const int64_t copies = arena->capture_bytes_ * subjects;
  const int64_t audited = std::max(2 * copies, std::min(kCaptureBytes, 8 * copies));
  const int64_t all = arena->input_bytes_ + arena->output_bytes_;
  const int64_t need = all + arena->output_bytes_ + (staged ? all : 0);
  const int64_t free = device.FreeBytes();
  arena->audits_at_once_ = need + audited > free;
  if (need > free) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the buffers need ", need >> 20, " MiB, ", free >> 20,
                     " MiB are free; use smaller dims"));
  }
  auto inputs = device.Allocate(arena->input_bytes_, Access::kRunnerReads);
  if (!inputs.ok()) return inputs.status();
  auto outputs = device.Allocate(arena->output_bytes_, Access::kRunnerWrites);
  if (!outputs.ok()) return outputs.status();
  auto expected = device.Allocate(arena->output_bytes_, Access::kRunnerWrites);
  if (!expected.ok()) return expected.status();
  if (staged) {
    auto staging = device.Allocate(all, Access::kRunnerWrites);
    if (!staging.ok()) return staging.status();
    arena->staging_ = *std::move(staging);
  }
  arena->inputs_ = *std::move(inputs);
  arena->outputs_ = *std::move(outputs);
  arena->expected_ = *std::move(expected);
  arena->reserve_bytes_ = std::min(kReserveBytes + (arena->audits_at_once_ ? 0 : audited), device.FreeBytes() / 4);
  return arena;
}

char* Arena::Tensor(size_t parameter, Which which) {
  return Base(contract_.parameters[parameter].writable(), which) + slots_[parameter].offset;
}

char* Arena::Base(bool writable, Which which) {
  if (writable && which == Which::kExpected) return expected_->data();
  if (selected_ < 0) return writable ? outputs_->data() : inputs_->data();
  return writable ? set_outputs_->data() + selected_ * output_bytes_ : set_inputs_->data() + selected_ * input_bytes_;
}

absl::Status Arena::MakeSets(int count) {
  auto inputs = device_.Allocate(std::max<int64_t>(1, input_bytes_ * count), Access::kRunnerReads);
  if (!inputs.ok()) return inputs.status();
  auto outputs = device_.Allocate(std::max<int64_t>(1, output_bytes_ * count), Access::kRunnerWrites);
  if (!outputs.ok()) return outputs.status();
  set_inputs_ = *std::move(inputs);
  set_outputs_ = *std::move(outputs);
  return absl::OkStatus();
}

void Arena::DropSets() {
  selected_ = -1;
  set_inputs_.reset();
  set_outputs_.reset();
}

int64_t Arena::StagingOffset(size_t parameter) const {
  return slots_[parameter].offset + (contract_.parameters[parameter].writable() ? input_bytes_ : 0);
}

void Arena::Fill(size_t parameter, uint64_t nonce, char* at) {
  const Parameter& p = contract_.parameters[parameter];
  // Of outputs it is checked by GapsHold; what is read from an input's gap must
  // not look like an output that was never written.
  const uint64_t gaps = p.output() ? nonce : ~nonce;
  if (p.staged()) return ops().FillFrom(p, staging_->data() + StagingOffset(parameter), gaps, at);
  ops().Fill(p, {nonce, static_cast<uint32_t>(parameter), stress_}, gaps, at);
}

void Arena::FillRole(uint64_t nonce, TensorRole role) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (contract_.parameters[i].role == role) Fill(i, nonce, Tensor(i));
  }
}

void Arena::FillInputs(uint64_t nonce, Content content) {
  stress_ = content == Content::kStress;
  FillRole(nonce, TensorRole::kIn);
}

uint64_t Arena::InputDigest(uint64_t key) const {
  return device_.ops().Digest(inputs_->data(), inputs_->size(), key);
}

void Arena::AddCanaries(size_t parameter, char* base, std::vector<TensorOps::Range>& to) {
  const Slot& slot = slots_[parameter];
  const int64_t begin = slot.offset, end = begin + contract_.parameters[parameter].bytes();
  const int64_t whole = slot.segment + (end - slot.segment + 7) / 8 * 8;  // the first whole word behind the tensor
  to.push_back({base + slot.segment, begin - slot.segment});
  if (whole > end) to.push_back({base + end, whole - end});
  to.push_back({base + whole, slot.segment + slot.segment_bytes - whole});
}

void Arena::ResetOutputs(uint64_t nonce, Which which) {
  std::vector<TensorOps::Range> canaries;
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Parameter& parameter = contract_.parameters[i];
    if (!parameter.writable()) continue;
    if (parameter.role == TensorRole::kInOut) {
      Fill(i, nonce, Tensor(i, which));
    } else {
      ops().Poison(parameter, parameter.role == TensorRole::kScratch ? ~nonce : nonce, Tensor(i, which));
    }
    AddCanaries(i, Base(true, which), canaries);
  }
  ops().FillWords(canaries, CanaryWord(nonce));
}

void Arena::PrefillExpected(uint64_t nonce, uint64_t prefill, bool other) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Parameter& p = contract_.parameters[i];
    if (!p.writable()) continue;
    char* at = Tensor(i, Which::kExpected);
    if (p.role == TensorRole::kInOut) {
      Fill(i, nonce, at);
    } else {
      // A reference may use them as indices.
      ops().Prefill(p, {prefill, static_cast<uint32_t>(i)}, other, at);
    }
  }
}

std::optional<std::string> Arena::BrokenCanary(uint64_t nonce) {
  std::vector<TensorOps::Range> canaries;
  std::vector<size_t> whose;
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Parameter& p = contract_.parameters[i];
    if (!p.writable()) continue;
    AddCanaries(i, Base(true), canaries);
    whose.resize(canaries.size(), i);
    if (!ops().GapsHold(p, p.output() ? nonce : ~nonce, Tensor(i))) return p.name;
  }
  const int64_t broken = ops().FindBroken(canaries, CanaryWord(nonce));
  if (broken < 0) return std::nullopt;
  return contract_.parameters[whose[static_cast<size_t>(broken)]].name;
}

void Arena::Glance() {
  // Cheap enough for a call of a few microseconds. Drawn after the call: canaries
  // are readable, so nothing may follow from the nonce.
  constexpr int kBytesPerOutput = 24;
  seen_.clear();
  places_.clear();
  uint64_t random = support::RandomU64() | 1;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!contract_.parameters[i].writable()) continue;
    const auto bytes = static_cast<uint64_t>(contract_.parameters[i].bytes());
    const char* tensor = Tensor(i);
    for (int k = 0; k < kBytesPerOutput; ++k) {
      random = random * 6364136223846793005ULL + 1442695040888963407ULL;
      const auto offset = static_cast<int64_t>((random >> 33) * bytes >> 31);
      seen_.push_back({i, offset});
      places_.push_back(tensor + offset);
    }
  }
  values_.resize(places_.size());
  ops().Glance(places_, values_.data());
}

std::optional<Arena::Changed> Arena::ChangedSinceGlance() {
  std::vector<uint8_t> now(places_.size());
  ops().Glance(places_, now.data());
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i] != values_[i]) return Changed{contract_.parameters[seen_[i].parameter].name, seen_[i].offset};
  }
  return std::nullopt;
}

std::optional<std::string> Arena::UnwrittenAtGlance(uint64_t nonce) const {
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Parameter& p = contract_.parameters[i];
    if (p.role != TensorRole::kOut || !IsFloating(p.dtype) || p.layout.strided() || SizeOf(p.dtype) < 2) continue;
    const uint64_t pattern = PoisonPattern(p.dtype, nonce);
    bool any = false, all = true;
    for (size_t k = 0; k < seen_.size(); ++k) {
      if (seen_[k].parameter != i) continue;
      any = true;
      all = all && values_[k] == static_cast<uint8_t>(pattern >> (8 * (static_cast<uint64_t>(seen_[k].offset) % SizeOf(p.dtype))));
    }
    if (any && all) return p.name;
  }
  return std::nullopt;
}

absl::StatusOr<std::unique_ptr<Memory>> Arena::RoomForOutputs() { return device_.AllocatePrivate(capture_bytes_); }

void Arena::CopyOutputs(Memory& into, Which which) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Parameter& p = contract_.parameters[i];
    if (p.output()) ops().Copy(Tensor(i, which), p.bytes(), into.data() + slots_[i].capture);
  }
}

absl::StatusOr<std::unique_ptr<Memory>> Arena::CaptureOutputs(Which which) {
  auto copy = RoomForOutputs();
  if (copy.ok()) CopyOutputs(**copy, which);
  return copy;
}

void Arena::RestoreOutputs(Memory& copy) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Parameter& p = contract_.parameters[i];
    if (p.output()) ops().Copy(copy.data() + slots_[i].capture, p.bytes(), Tensor(i));
  }
}

std::vector<uint64_t> Arena::OutputDigests(uint64_t key, Which which) {
  std::vector<uint64_t> digests(slots_.size(), 0);
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Parameter& p = contract_.parameters[i];
    if (p.output()) digests[i] = ops().Digest(Tensor(i, which), p.bytes(), key);
  }
  return digests;
}

std::vector<char> Arena::Read(size_t parameter, Which which) {
  return ops().ReadAll(Tensor(parameter, which), contract_.parameters[parameter].bytes());
}

wire::Tensor Arena::WireTensor(size_t parameter) const {
  const Slot& slot = slots_[parameter];
  wire::Tensor tensor{};
  tensor.object = contract_.parameters[parameter].writable() ? 1 : 0;
  tensor.map_offset = static_cast<uint64_t>(slot.segment);
  tensor.map_bytes = static_cast<uint64_t>(slot.segment_bytes);
  tensor.offset = static_cast<uint64_t>(slot.offset - slot.segment);
  tensor.bytes = static_cast<uint64_t>(contract_.parameters[parameter].bytes());
  return tensor;
}

}  // namespace kernelopt::worker
