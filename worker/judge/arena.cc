#include "judge/arena.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "judge/content.h"

namespace kernelopt::worker {
namespace {

constexpr int64_t kPage = 4096;

int64_t RoundUp(int64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

uint64_t CanaryWord(uint64_t nonce) { return nonce * 0xd1342543de82ef95ULL + 0x63656e6172796b6fULL; }

bool InOutputs(const Parameter& parameter) { return parameter.tensor() && parameter.role != TensorRole::kIn; }

}  // namespace

void Arena::Lay() {
  slots_.resize(contract_.parameters.size());
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Parameter& parameter = contract_.parameters[i];
    if (!parameter.tensor()) continue;
    int64_t& end = InOutputs(parameter) ? output_bytes_ : input_bytes_;
    Slot& slot = slots_[i];
    slot.segment = end;
    slot.offset = end + kPage;
    slot.segment_bytes = kPage + RoundUp(parameter.bytes()) + kPage;
    end += slot.segment_bytes;
    if (InOutputs(parameter)) {
      slot.capture = capture_bytes_;
      capture_bytes_ += (parameter.bytes() + 63) / 64 * 64;
    }
  }
}

absl::StatusOr<std::unique_ptr<Arena>> Arena::Make(Device& device, const Contract& contract) {
  std::unique_ptr<Arena> arena(new Arena(contract));
  arena->Lay();
  const int64_t need = arena->input_bytes_ + 2 * arena->output_bytes_;
  if (need > device.FreeBytes()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the buffers need ", need >> 20, " MiB, ", device.FreeBytes() >> 20,
                     " MiB are free; use smaller dims"));
  }
  auto inputs = device.Allocate(arena->input_bytes_, Access::kRunnerReads);
  if (!inputs.ok()) return inputs.status();
  auto outputs = device.Allocate(arena->output_bytes_, Access::kRunnerWrites);
  if (!outputs.ok()) return outputs.status();
  auto expected = device.Allocate(arena->output_bytes_, Access::kRunnerWrites);
  if (!expected.ok()) return expected.status();
  arena->inputs_ = *std::move(inputs);
  arena->outputs_ = *std::move(outputs);
  arena->expected_ = *std::move(expected);
  return arena;
}

char* Arena::Tensor(size_t parameter, Which which) {
  SharedMemory& memory = !InOutputs(contract_.parameters[parameter]) ? *inputs_
                         : which == Which::kSubject                  ? *outputs_
                                                                     : *expected_;
  return memory.data() + slots_[parameter].offset;
}

void Arena::FillInputs(uint64_t nonce) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Parameter& parameter = contract_.parameters[i];
    if (parameter.role != TensorRole::kIn) continue;
    FillContent(Tensor(i), parameter.elements, parameter.dtype, parameter.init, nonce,
                static_cast<uint32_t>(i));
  }
}

template <class Visit>
void Arena::EachCanary(size_t parameter, SharedMemory& memory, Visit visit) {
  const Slot& slot = slots_[parameter];
  char* segment = memory.data() + slot.segment;
  const int64_t tensor_end = slot.offset - slot.segment + contract_.parameters[parameter].bytes();
  // The rest of the last page, from the next whole word, and the page behind.
  const int64_t tail = (tensor_end + 7) / 8 * 8;
  for (int64_t at = 0; at < kPage; at += 8) visit(segment + at);
  for (int64_t at = tail; at < slot.segment_bytes; at += 8) visit(segment + at);
}

void Arena::ResetOutputs(uint64_t nonce, Which which) {
  SharedMemory& memory = which == Which::kSubject ? *outputs_ : *expected_;
  const uint64_t word = CanaryWord(nonce);
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Parameter& parameter = contract_.parameters[i];
    if (!InOutputs(parameter)) continue;
    if (parameter.role == TensorRole::kInOut) {
      FillContent(Tensor(i, which), parameter.elements, parameter.dtype, parameter.init, nonce,
                  static_cast<uint32_t>(i));
    } else {
      FillPoison(Tensor(i, which), parameter.elements, parameter.dtype, nonce);
    }
    EachCanary(i, memory, [word](char* at) { std::memcpy(at, &word, 8); });
  }
}

void Arena::PrefillExpected(uint64_t nonce, uint64_t prefill) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Parameter& parameter = contract_.parameters[i];
    if (!InOutputs(parameter)) continue;
    const uint64_t own = parameter.role == TensorRole::kInOut ? nonce : prefill;
    FillContent(Tensor(i, Which::kExpected), parameter.elements, parameter.dtype, parameter.init,
                own, static_cast<uint32_t>(i));
  }
}

std::optional<std::string> Arena::BrokenCanary(uint64_t nonce) {
  const uint64_t word = CanaryWord(nonce);
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!InOutputs(contract_.parameters[i])) continue;
    bool broken = false;
    EachCanary(i, *outputs_, [&](char* at) { broken |= std::memcmp(at, &word, 8) != 0; });
    if (broken) return contract_.parameters[i].name;
  }
  return std::nullopt;
}

void Arena::Glance(uint64_t nonce) {
  // Cheap enough for a call of a few microseconds, and the nonce is not known
  // to anyone but the judge.
  constexpr int kWordsPerOutput = 24;
  glance_.clear();
  uint64_t random = CanaryWord(nonce) | 1;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!InOutputs(contract_.parameters[i])) continue;
    const auto bytes = static_cast<uint64_t>(contract_.parameters[i].bytes());
    const char* tensor = outputs_->data() + slots_[i].offset;
    for (int k = 0; k < kWordsPerOutput; ++k) {
      random = random * 6364136223846793005ULL + 1442695040888963407ULL;
      const auto offset = static_cast<int64_t>((random >> 33) * bytes >> 31);
      glance_.push_back({i, offset, static_cast<uint8_t>(tensor[offset])});
    }
  }
}

std::optional<Arena::Changed> Arena::ChangedSinceGlance() const {
  for (const Seen& seen : glance_) {
    const char now = outputs_->data()[slots_[seen.parameter].offset + seen.offset];
    if (static_cast<uint8_t>(now) != seen.value) {
      return Changed{contract_.parameters[seen.parameter].name, seen.offset};
    }
  }
  return std::nullopt;
}

std::vector<char> Arena::CaptureOutputs() {
  std::vector<char> copy(static_cast<size_t>(capture_bytes_));
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!InOutputs(contract_.parameters[i])) continue;
    std::memcpy(copy.data() + slots_[i].capture, Tensor(i),
                static_cast<size_t>(contract_.parameters[i].bytes()));
  }
  return copy;
}

wire::Tensor Arena::WireTensor(size_t parameter) const {
  const Slot& slot = slots_[parameter];
  wire::Tensor tensor{};
  tensor.object = InOutputs(contract_.parameters[parameter]) ? 1 : 0;
  tensor.map_offset = static_cast<uint64_t>(slot.segment);
  tensor.map_bytes = static_cast<uint64_t>(slot.segment_bytes);
  tensor.offset = static_cast<uint64_t>(slot.offset - slot.segment);
  tensor.bytes = static_cast<uint64_t>(contract_.parameters[parameter].bytes());
  return tensor;
}

}  // namespace kernelopt::worker
