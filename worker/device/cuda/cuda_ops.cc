#include "device/cuda/cuda_ops.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "device/cuda/fatbin.h"
#include "device/cuda/kernels.h"
#include "device/host/host_ops.h"
#include "support/clock.h"
#include "values/content.h"
#include "values/content_math.h"

namespace kernelopt::worker::cuda {
namespace {

// kernels.cu counts on this order.
static_assert(static_cast<int>(DType::kFloat64) == 0 && static_cast<int>(DType::kInt64) == 6 &&
              static_cast<int>(DType::kUint64) == 10 && static_cast<int>(DType::kBool) == 14);
static_assert(kStressBlock == kErrorBlock);

constexpr int64_t kAnswerBytes = 256;

CUdeviceptr Address(const void* at) { return reinterpret_cast<CUdeviceptr>(at); }

// None: rows that are shuffled or sorted, which the host does.
std::optional<FillKind> KindOf(const Init& init) {
  switch (init.kind) {
    case Init::Kind::kNormal: return FillKind::kNormal;
    case Init::Kind::kUniform: return FillKind::kUniform;
    case Init::Kind::kRandint: return FillKind::kRandint;
    case Init::Kind::kBernoulli: return FillKind::kBernoulli;
    default: return std::nullopt;
  }
}

bool CheckedByKernel(const Parameter& p) {
  return !p.layout.strided() && p.compare.kind != Compare::Kind::kStatistical &&
         p.compare.kind != Compare::Kind::kTopk;
}

FillArgs ArgsOf(const Parameter& p, const Init& init, uint64_t nonce, uint32_t tensor, char* to, int64_t count) {
  FillArgs args;
  args.to = to;
  args.count = count;
  args.dtype = static_cast<int>(p.dtype);
  args.kind = KindOf(init).value();
  args.low = init.low;
  args.high = init.high;
  const ContentKey key = KeyOf(nonce, tensor);
  args.key_a = key.a;
  args.key_b = key.b;
  return args;
}

double OfBits(unsigned long long bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace

struct CudaOps::Kernels {
  CUmodule module = nullptr;
  CUfunction fill = nullptr, words = nullptr, canaries = nullptr, find_broken = nullptr, digest = nullptr,
             check = nullptr, errors = nullptr, glance = nullptr, flush_write = nullptr,
             flush_read = nullptr;
};

CudaOps::CudaOps(const Driver& cu, int multiprocessors)
    : cu_(cu), multiprocessors_(multiprocessors), kernels_(std::make_unique<Kernels>()), host_(MakeHostOps()) {}
CudaOps::~CudaOps() = default;

absl::StatusOr<std::unique_ptr<CudaOps>> CudaOps::Make(const Driver& cu, int multiprocessors, int64_t flush_bytes) {
  std::unique_ptr<CudaOps> ops(new CudaOps(cu, multiprocessors));
  if (absl::Status s = ops->Load(flush_bytes); !s.ok()) return s;
  return ops;
}

absl::Status CudaOps::Load(int64_t flush_bytes) {
  Kernels& k = *kernels_;
  if (absl::Status s = cu_.Check(cu_.cuModuleLoadData(&k.module, JudgeFatbin()), "the judge's kernels"); !s.ok()) {
    return s;
  }
  const std::pair<CUfunction*, const char*> wanted[] = {
      {&k.fill, "kopt_fill"},       {&k.words, "kopt_words"},   {&k.canaries, "kopt_canaries"},
      {&k.find_broken, "kopt_find_broken"}, {&k.digest, "kopt_digest"}, {&k.check, "kopt_check"},
      {&k.errors, "kopt_errors"},   {&k.glance, "kopt_glance"},
      {&k.flush_write, "kopt_flush_write"}, {&k.flush_read, "kopt_flush_read"}};
  for (const auto& [function, name] : wanted) {
    if (absl::Status s = cu_.Check(cu_.cuModuleGetFunction(function, k.module, name), name); !s.ok()) return s;
  }
  for (const auto& [memory, bytes] : {std::pair(&flush_, flush_bytes), std::pair(&clean_, flush_bytes),
                                      std::pair(&answer_, kAnswerBytes)}) {
    auto made = MakePrivateMemory(cu_, bytes);
    if (!made.ok()) return made.status();
    *memory = *std::move(made);
  }
  stamps_ = std::make_unique<Mailbox>(cu_, static_cast<int64_t>(sizeof(ClockStamps)));
  cu_.Must(cu_.cuMemsetD8(Address(clean_->data()), 0, static_cast<size_t>(flush_bytes)), "clearing");
  return absl::OkStatus();
}

template <class Args>
void CudaOps::Launch(CUfunction kernel, Args args, int64_t blocks, CUdeviceptr extra) {
  void* arguments[] = {&args, &extra};
  cu_.Must(cu_.cuLaunchKernel(kernel, static_cast<unsigned>(blocks), 1, 1, kBlockThreads, 1, 1, 0, nullptr, arguments,
                              nullptr),
           "launching");
}

int64_t CudaOps::BlocksFor(int64_t count) const {
  const int64_t needed = (count + kBlockThreads - 1) / kBlockThreads;
  return std::clamp<int64_t>(needed, 1, int64_t{multiprocessors_} * 8);
}

void CudaOps::Wait() { cu_.Must(cu_.cuCtxSynchronize(), "the judge's kernel"); }

Mailbox& CudaOps::Box(int64_t bytes) {
  if (!box_ || box_->bytes() < bytes) {
    box_.reset();
    box_ = std::make_unique<Mailbox>(cu_, std::max<int64_t>(2 * bytes, 64 << 10));
  }
  return *box_;
}

void CudaOps::Fill(const Parameter& p, const Content& content, uint64_t gaps, char* to) {
  const bool strided = p.layout.strided();
  if (!KindOf(p.init) || p.layout.shape.size() > kMaxDims) {
    std::vector<char> made(static_cast<size_t>(p.bytes()));
    host_->Fill(p, content, gaps, made.data());
    return Write(made.data(), p.bytes(), to);
  }
  FillArgs args = ArgsOf(p, p.init, content.nonce, content.tensor, to, p.elements());
  const bool real = p.init.kind == Init::Kind::kNormal || p.init.kind == Init::Kind::kUniform;
  if (content.stress && real && IsFloating(p.dtype)) {
    const ContentKey key = KeyOf(~content.nonce, content.tensor);
    args.stress = 1;
    args.stress_a = key.a;
    args.stress_b = key.b;
    args.zero_fits = p.init.kind == Init::Kind::kNormal || (p.init.low <= 0 && p.init.high >= 0) ? 1 : 0;
  }
  if (strided) {
    Poison(p, gaps, to);
    args.dims = static_cast<int>(p.layout.shape.size());
    std::copy(p.layout.shape.begin(), p.layout.shape.end(), args.shape);
    std::copy(p.layout.strides.begin(), p.layout.strides.end(), args.strides);
  }
  Launch(kernels_->fill, args, BlocksFor(args.count));
}

void CudaOps::FillFrom(const Parameter& p, const char* from, uint64_t gaps, char* to) {
  if (!p.layout.strided()) return Copy(from, p.bytes(), to);
  const std::vector<char> given = ReadAll(from, p.bytes());
  std::vector<char> made(given.size());
  host_->FillFrom(p, given.data(), gaps, made.data());
  Write(made.data(), p.bytes(), to);
}

void CudaOps::Prefill(const Parameter& p, const Content& content, bool other, char* to) {
  FillArgs args = ArgsOf(p, PrefillOf(p.dtype), content.nonce, content.tensor, to, p.layout.span);
  args.flip = other ? 1 : 0;
  Launch(kernels_->fill, args, BlocksFor(args.count));
}

void CudaOps::Poison(const Parameter& p, uint64_t nonce, char* to) {
  const WordArgs args{to, p.layout.span, static_cast<int>(SizeOf(p.dtype)), PoisonPattern(p.dtype, nonce)};
  Launch(kernels_->words, args, BlocksFor(args.count));
}

bool CudaOps::GapsHold(const Parameter& p, uint64_t nonce, const char* at) {
  return !p.layout.strided() || host_->GapsHold(p, nonce, ReadAll(at, p.bytes()).data());
}

template <class T>
T* CudaOps::PutAnswer(const T& before) {
  static_assert(sizeof(T) <= kAnswerBytes);
  Write(&before, sizeof before, answer_->data());
  return reinterpret_cast<T*>(answer_->data());
}

template <class T>
T CudaOps::TakeAnswer() {
  T answer;
  Read(answer_->data(), sizeof answer, &answer);  // waits for the kernel
  return answer;
}

const RangeArg* CudaOps::SendRanges(std::span<const Range> ranges) {
  static_assert(sizeof(Range) == sizeof(RangeArg));
  Mailbox& box = Box(static_cast<int64_t>(ranges.size_bytes() + sizeof(long long)));
  auto* out = reinterpret_cast<RangeArg*>(box.host());
  for (const Range& range : ranges) *out++ = {range.at, range.bytes};
  return reinterpret_cast<const RangeArg*>(box.device());
}

void CudaOps::FillWords(std::span<const Range> ranges, uint64_t word) {
  if (ranges.empty()) return;
  const RangesArgs args{SendRanges(ranges), static_cast<int>(ranges.size()), word, nullptr};
  Launch(kernels_->canaries, args, args.count);
  Wait();
}

int64_t CudaOps::FindBroken(std::span<const Range> ranges, uint64_t word) {
  if (ranges.empty()) return -1;
  // The answer lies where both sides reach it: before each call two copies of
  // eight bytes would take longer than the kernel.
  const auto none = static_cast<long long>(ranges.size());
  const RangesArgs args{SendRanges(ranges), static_cast<int>(ranges.size()), word,
                        reinterpret_cast<long long*>(box_->device() + ranges.size_bytes())};
  auto* const answer = reinterpret_cast<long long*>(box_->host() + ranges.size_bytes());
  *answer = none;
  Launch(kernels_->find_broken, args, args.count);
  Wait();
  return *answer == none ? -1 : *answer;
}

uint64_t CudaOps::Digest(const char* at, int64_t bytes, uint64_t key) {
  const DigestArgs args{at, bytes, key, PutAnswer(0ULL)};
  Launch(kernels_->digest, args, BlocksFor(bytes / 8));
  return TakeAnswer<unsigned long long>();
}

CheckFigures CudaOps::Check(const Parameter& p, const char* got, const char* expected, std::span<const double> errors,
                            uint64_t poison_nonce) {
  if (!CheckedByKernel(p)) {
    const std::vector<char> mine = ReadAll(got, p.bytes()), theirs = ReadAll(expected, p.bytes());
    return host_->Check(p, mine.data(), theirs.data(), errors, poison_nonce);
  }
  const CheckTerms terms = TermsOf(p);
  CheckArgs args;
  args.got = got;
  args.expected = expected;
  args.count = p.elements();
  args.dtype = static_cast<int>(p.dtype);
  args.bits = terms.bits ? 1 : 0;
  args.nan_equal = p.compare.nan_equal ? 1 : 0;
  args.ulp = terms.ulp;
  args.atol = terms.atol;
  args.rtol = terms.rtol;
  args.cap = p.compare.cap;
  args.slack = terms.slack;
  args.poison = PoisonPattern(p.dtype, poison_nonce) & (SizeOf(p.dtype) == 8 ? ~0ULL : (1ULL << 8 * SizeOf(p.dtype)) - 1);
  std::unique_ptr<Memory> uploaded;
  if (!errors.empty() && terms.slack > 0) {
    auto room = MakePrivateMemory(cu_, static_cast<int64_t>(errors.size_bytes()));
    cu_.Must(room.ok() ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY, "room for errors of the reference");
    uploaded = *std::move(room);
    Write(errors.data(), static_cast<int64_t>(errors.size_bytes()), uploaded->data());
    args.errors = reinterpret_cast<const double*>(uploaded->data());
  }
  Launch(kernels_->check, args, BlocksFor(args.count), Address(PutAnswer(CheckSums())));
  const auto sums = TakeAnswer<CheckSums>();
  CheckFigures f;
  f.elements = p.elements();
  f.mismatches = static_cast<int64_t>(sums.mismatches);
  f.unwritten = static_cast<int64_t>(sums.unwritten);
  f.nans = static_cast<int64_t>(sums.nans);
  const double pairs = std::max(1.0, static_cast<double>(sums.pairs));
  f.mean_abs = sums.sum_abs / pairs;
  f.mean_rel = sums.sum_rel / pairs;
  f.mean_expected = sums.sum_expected / pairs;
  f.solid_runs = static_cast<int64_t>(sums.solid_runs);
  f.max_abs = OfBits(sums.max_abs);
  f.max_rel = OfBits(sums.max_rel);
  const auto beyond = static_cast<int64_t>(sums.beyond_cap);
  if (f.mismatches > 0) {
    f.first_mismatch = static_cast<int64_t>(sums.first_mismatch);
    const auto size = static_cast<int64_t>(SizeOf(p.dtype));
    f.first_got = LoadElement(p.dtype, ReadAll(got + f.first_mismatch * size, size).data(), 0);
    f.first_expected = LoadElement(p.dtype, ReadAll(expected + f.first_mismatch * size, size).data(), 0);
  }
  DecideFigures(p, beyond, f);
  return f;
}

std::vector<double> CudaOps::Errors(const Parameter& p, const char* own, const char* oracle) {
  if (!IsFloating(p.dtype)) return {};
  if (p.layout.strided()) {
    return host_->Errors(p, ReadAll(own, p.bytes()).data(), ReadAll(oracle, p.bytes()).data());
  }
  std::vector<double> errors(static_cast<size_t>((p.elements() + kErrorBlock - 1) / kErrorBlock));
  const auto bytes = static_cast<int64_t>(errors.size() * sizeof(double));
  auto room = MakePrivateMemory(cu_, bytes);
  cu_.Must(room.ok() ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY, "room for errors of the reference");
  const ErrorArgs args{own, oracle, p.elements(), static_cast<int>(p.dtype),
                       reinterpret_cast<double*>((*room)->data())};
  Launch(kernels_->errors, args, BlocksFor(p.elements() / 2));
  Wait();
  Read((*room)->data(), bytes, errors.data());
  const bool any = std::any_of(errors.begin(), errors.end(), [](double e) { return e > 0; });
  return any ? errors : std::vector<double>();
}

void CudaOps::Glance(std::span<const char* const> places, uint8_t* out) {
  if (places.empty()) return;
  Mailbox& box = Box(static_cast<int64_t>(places.size() * (sizeof(char*) + 1)));
  std::memcpy(box.host(), places.data(), places.size_bytes());
  GlanceArgs args{reinterpret_cast<const char* const*>(box.device()), static_cast<int>(places.size()),
                  reinterpret_cast<unsigned char*>(box.device() + places.size_bytes())};
  Launch(kernels_->glance, args, BlocksFor(args.count));
  Wait();
  std::memcpy(out, box.host() + places.size_bytes(), places.size());
}

void CudaOps::Read(const char* from, int64_t bytes, void* to) {
  cu_.Must(cu_.cuMemcpyDtoH(to, Address(from), static_cast<size_t>(bytes)), "reading");
}
void CudaOps::Write(const void* from, int64_t bytes, char* to) {
  cu_.Must(cu_.cuMemcpyHtoD(Address(to), from, static_cast<size_t>(bytes)), "writing");
}
void CudaOps::Copy(const char* from, int64_t bytes, char* to) {
  cu_.Must(cu_.cuMemcpyDtoD(Address(to), Address(from), static_cast<size_t>(bytes)), "copying");
}

double CudaOps::Sentinel() {
  const double begin = support::MonotonicSeconds();
  Launch(kernels_->words, WordArgs{nullptr, 0, 1, 0}, 1);
  Wait();
  return (support::MonotonicSeconds() - begin) * 1e6;
}

double CudaOps::Flush() {
  const double begin = support::MonotonicSeconds();
  const int64_t bytes = flush_->size(), blocks = int64_t{multiprocessors_} * 8;
  Launch(kernels_->flush_write, FlushArgs{flush_->data(), bytes, ++flushes_, nullptr}, blocks);
  Launch(kernels_->flush_read, FlushArgs{clean_->data(), bytes, 0, reinterpret_cast<ClockStamps*>(stamps_->device())}, blocks);
  Wait();
  ClockStamps stamps;
  std::memcpy(&stamps, stamps_->host(), sizeof stamps);
  clock_mhz_ = 1e3 * static_cast<double>(stamps.cycles) / static_cast<double>(std::max(1ULL, stamps.ns));
  return (support::MonotonicSeconds() - begin) * 1e6;
}

}  // namespace kernelopt::worker::cuda
