#include "judge/arena.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "support/ids.h"
#include "values/content.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace kernelopt::worker {
namespace {

constexpr int64_t kPage = 4096;

int64_t RoundUp(int64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

uint64_t CanaryWord(uint64_t nonce) { return nonce * 0xd1342543de82ef95ULL + 0x63656e6172796b6fULL; }

bool MayBeStaged(const Contract& contract) {
  return contract.make_inputs || std::any_of(contract.parameters.begin(), contract.parameters.end(),
                                             [](const Parameter& p) { return p.staged(); });
}

// What lies between the elements of a strided tensor is still poison.
bool GapsHold(const Parameter& p, const char* memory, uint64_t nonce) {
  std::vector<bool> element(static_cast<size_t>(p.layout.span), false);
  for (const int64_t place : Places(p.layout)) element[static_cast<size_t>(place)] = true;
  for (int64_t i = 0; i < p.layout.span; ++i) {
    if (!element[static_cast<size_t>(i)] && !IsPoison(memory, i, p.dtype, nonce)) return false;
  }
  return true;
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
  std::unique_ptr<Arena> arena(new Arena(contract));
  arena->Lay();
  const bool staged = MayBeStaged(contract);
  // The judge keeps copies of audited outputs beside the three.
  const int64_t copies = arena->capture_bytes_ * subjects;
  const int64_t audited = std::max(2 * copies, std::min(kCaptureBytes, 8 * copies));
  const int64_t all = arena->input_bytes_ + arena->output_bytes_;
  const int64_t need = all + arena->output_bytes_ + (staged ? all : 0) + audited;
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
  if (staged) {
    auto staging = device.Allocate(all, Access::kRunnerWrites);
    if (!staging.ok()) return staging.status();
    arena->staging_ = *std::move(staging);
  }
  arena->inputs_ = *std::move(inputs);
  arena->outputs_ = *std::move(outputs);
  arena->expected_ = *std::move(expected);
  return arena;
}

char* Arena::Tensor(size_t parameter, Which which) {
  SharedMemory& memory = !contract_.parameters[parameter].writable() ? *inputs_
                         : which == Which::kSubject                  ? *outputs_
                                                                     : *expected_;
  return memory.data() + slots_[parameter].offset;
}

int64_t Arena::StagingOffset(size_t parameter) const {
  return slots_[parameter].offset + (contract_.parameters[parameter].writable() ? input_bytes_ : 0);
}

void Arena::Fill(size_t parameter, uint64_t nonce, char* memory) {
  const Parameter& p = contract_.parameters[parameter];
  const auto tensor = static_cast<uint32_t>(parameter);
  std::vector<char> dense(p.layout.strided() ? static_cast<size_t>(p.elements()) * SizeOf(p.dtype) : 0);
  char* content = p.layout.strided() ? dense.data() : memory;
  if (p.staged()) {
    Gather(p.layout, SizeOf(p.dtype), staging_->data() + StagingOffset(parameter), content);
  } else {
    const int64_t row = p.layout.shape.empty() ? 0 : p.layout.shape.back();
    FillContent(content, p.elements(), p.dtype, p.init, nonce, tensor, row);
    if (stress_) StressContent(content, p.elements(), p.dtype, p.init, nonce, tensor);
  }
  if (!p.layout.strided()) return;
  // Of outputs it is checked by GapsHold; what is read from an input's gap must
  // not look like an output that was never written.
  FillPoison(memory, p.layout.span, p.dtype, p.output() ? nonce : ~nonce);
  Scatter(p.layout, SizeOf(p.dtype), content, memory);
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
  return XXH3_64bits_withSeed(inputs_->data(), static_cast<size_t>(inputs_->size()), key);
}

template <class Visit>
void Arena::EachCanary(size_t parameter, SharedMemory& memory, Visit visit) {
  const Slot& slot = slots_[parameter];
  char* segment = memory.data() + slot.segment;
  const int64_t begin = slot.offset - slot.segment;
  const int64_t end = begin + contract_.parameters[parameter].bytes();
  const int64_t whole = (end + 7) / 8 * 8;  // the first whole word behind the tensor
  for (int64_t at = 0; at < begin; at += 8) visit(segment + at, std::min<int64_t>(8, begin - at));
  if (whole > end) visit(segment + end, whole - end);
  for (int64_t at = whole; at < slot.segment_bytes; at += 8) visit(segment + at, 8);
}

void Arena::ResetOutputs(uint64_t nonce, Which which) {
  SharedMemory& memory = which == Which::kSubject ? *outputs_ : *expected_;
  const uint64_t word = CanaryWord(nonce);
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Parameter& parameter = contract_.parameters[i];
    if (!parameter.writable()) continue;
    if (parameter.role == TensorRole::kInOut) {
      Fill(i, nonce, Tensor(i, which));
    } else {
      const bool scratch = parameter.role == TensorRole::kScratch;
      FillPoison(Tensor(i, which), parameter.layout.span, parameter.dtype, scratch ? ~nonce : nonce);
    }
    EachCanary(i, memory, [word](char* at, int64_t n) { std::memcpy(at, &word, static_cast<size_t>(n)); });
  }
}

void Arena::PrefillExpected(uint64_t nonce, uint64_t prefill, bool other) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Parameter& p = contract_.parameters[i];
    if (!p.writable()) continue;
    char* memory = Tensor(i, Which::kExpected);
    if (p.role == TensorRole::kInOut) {
      Fill(i, nonce, memory);
      continue;
    }
    // Small values of the type whatever "init" says: a reference may use them
    // as indices.
    const Init small = IsFloating(p.dtype)        ? Init{}
                       : p.dtype == DType::kBool ? Init{Init::Kind::kBernoulli, 0, 0.5, ""}
                                                 : Init{Init::Kind::kRandint, 0, 128, ""};
    FillContent(memory, p.layout.span, p.dtype, small, prefill, static_cast<uint32_t>(i));
    const auto size = static_cast<int64_t>(SizeOf(p.dtype));
    // The lowest bit: of a float it is the last of the fraction.
    for (int64_t k = 0; other && k < p.layout.span; ++k) memory[k * size] = static_cast<char>(memory[k * size] ^ 1);
  }
}

std::optional<std::string> Arena::BrokenCanary(uint64_t nonce) {
  const uint64_t word = CanaryWord(nonce);
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Parameter& p = contract_.parameters[i];
    if (!p.writable()) continue;
    bool broken = false;
    EachCanary(i, *outputs_, [&](char* at, int64_t n) {
      broken |= std::memcmp(at, &word, static_cast<size_t>(n)) != 0;
    });
    if (p.layout.strided()) broken |= !GapsHold(p, Tensor(i), p.output() ? nonce : ~nonce);
    if (broken) return p.name;
  }
  return std::nullopt;
}

void Arena::Glance() {
  // Cheap enough for a call of a few microseconds. Drawn after the call: canaries
  // are readable, so nothing may follow from the nonce.
  constexpr int kWordsPerOutput = 24;
  glance_.clear();
  uint64_t random = support::RandomU64() | 1;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!contract_.parameters[i].writable()) continue;
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
    if (!contract_.parameters[i].output()) continue;
    std::memcpy(copy.data() + slots_[i].capture, Tensor(i),
                static_cast<size_t>(contract_.parameters[i].bytes()));
  }
  return copy;
}

void Arena::RestoreOutputs(const std::vector<char>& copy) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!contract_.parameters[i].output()) continue;
    std::memcpy(Tensor(i), copy.data() + slots_[i].capture,
                static_cast<size_t>(contract_.parameters[i].bytes()));
  }
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
