// The judge's kernels against its loops: the same bits, the same figures, for
// every type. Needs a GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "device/cuda/cuda_device.h"
#include "device/host/host_ops.h"
#include "device/self_test.h"

namespace kernelopt::worker {
namespace {

constexpr DType kTypes[] = {DType::kFloat64, DType::kFloat32, DType::kFloat16, DType::kBfloat16, DType::kFloat8E4M3,
                            DType::kFloat8E5M2, DType::kInt64, DType::kInt32, DType::kInt16, DType::kInt8,
                            DType::kUint64, DType::kUint32, DType::kUint16, DType::kUint8, DType::kBool};
constexpr int64_t kCount = 100'003;  // no multiple of anything

Parameter Tensor(DType type, std::vector<int64_t> shape = {kCount}) {
  Parameter p;
  p.name = "x";
  p.dtype = type;
  p.role = TensorRole::kOut;
  p.layout.elements = 1;
  for (const int64_t n : shape) p.layout.elements *= n;
  p.layout.span = p.layout.elements;
  p.layout.shape = std::move(shape);
  p.atol = 1e-3;
  p.rtol = 1e-2;
  return p;
}

class Ops : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto gpus = ListGpus();
    ASSERT_TRUE(gpus.ok()) << gpus.status();
    ASSERT_FALSE(gpus->empty());
    auto device = MakeCudaDevice(gpus->front().id);
    ASSERT_TRUE(device.ok()) << device.status();
    device_ = device->release();
  }
  static void TearDownTestSuite() {
    delete device_;
    device_ = nullptr;
  }
  TensorOps& gpu() { return device_->ops(); }

  std::unique_ptr<Memory> Room(int64_t bytes) { return device_->AllocatePrivate(bytes).value(); }
  std::unique_ptr<Memory> Upload(const std::vector<char>& bytes) {
    auto room = Room(static_cast<int64_t>(bytes.size()));
    gpu().Write(bytes.data(), static_cast<int64_t>(bytes.size()), room->data());
    return room;
  }
  // Both fill; what differs is said.
  void ExpectSameFill(const Parameter& p, const TensorOps::Content& content) {
    std::vector<char> here(static_cast<size_t>(p.bytes()));
    auto there = Room(p.bytes());
    host_->Fill(p, content, 99, here.data());
    gpu().Fill(p, content, 99, there->data());
    const std::vector<char> back = gpu().ReadAll(there->data(), p.bytes());
    int64_t first = -1;
    for (size_t i = 0; i < here.size() && first < 0; ++i) {
      if (here[i] != back[i]) first = static_cast<int64_t>(i / SizeOf(p.dtype));
    }
    EXPECT_EQ(first, -1) << DTypeName(p.dtype) << " init " << static_cast<int>(p.init.kind) << " stress "
                         << content.stress << ": host " << LoadElement(p.dtype, here.data(), std::max<int64_t>(first, 0))
                         << ", GPU " << LoadElement(p.dtype, back.data(), std::max<int64_t>(first, 0));
  }
  void ExpectSameFigures(const Parameter& p, const std::vector<char>& got, const std::vector<char>& expected,
                         std::span<const double> errors) {
    const auto a = Upload(got), b = Upload(expected);
    const CheckFigures here = host_->Check(p, got.data(), expected.data(), errors, 5);
    const CheckFigures there = gpu().Check(p, a->data(), b->data(), errors, 5);
    const std::string what = std::string(DTypeName(p.dtype)) + " kind " + std::to_string(static_cast<int>(p.compare.kind));
    EXPECT_EQ(here.failed, there.failed) << what;
    EXPECT_EQ(here.mismatches, there.mismatches) << what;
    EXPECT_EQ(here.unwritten, there.unwritten) << what;
    EXPECT_EQ(here.nans, there.nans) << what;
    EXPECT_EQ(here.first_mismatch, there.first_mismatch) << what;
    EXPECT_EQ(here.message, there.message) << what;
    // The host sums stretches of float32 in that type.
    const auto near = [](double x, double y) { return std::fabs(x - y) <= 1e-4 * std::max(std::fabs(x), 1e-12); };
    EXPECT_PRED2(near, here.max_abs, there.max_abs) << what;
    EXPECT_PRED2(near, here.max_rel, there.max_rel) << what;
    EXPECT_PRED2(near, here.mean_abs, there.mean_abs) << what;
    EXPECT_PRED2(near, here.mean_expected, there.mean_expected) << what;
    EXPECT_EQ(here.solid_runs, there.solid_runs) << what;
    EXPECT_PRED2(near, here.mean_rel, there.mean_rel) << what;
    EXPECT_TRUE(here.first_got == there.first_got || std::isnan(here.first_got)) << what;
  }

  static inline Device* device_ = nullptr;
  std::unique_ptr<TensorOps> host_ = MakeHostOps();
};

TEST_F(Ops, AGpuPassesItsSelfTest) { EXPECT_TRUE(SelfTest(*device_).ok()) << SelfTest(*device_); }

TEST_F(Ops, ContentIsTheSameBitsInEveryType) {
  for (const DType type : kTypes) {
    Parameter p = Tensor(type);
    const double most = type == DType::kBool ? 1 : 100;
    for (const Init& init : {Init{Init::Kind::kNormal, 0, 1, ""}, Init{Init::Kind::kUniform, -1.5, 2.25, ""},
                             Init{Init::Kind::kRandint, type >= DType::kUint64 ? 0.0 : -100.0, most, ""},
                             Init{Init::Kind::kBernoulli, 0, 0.3, ""}}) {
      p.init = init;
      for (const uint64_t nonce : {uint64_t{42}, ~uint64_t{0} - 12345, uint64_t{0x123456789abcdef}}) {
        ExpectSameFill(p, {nonce, 3, false});
        ExpectSameFill(p, {nonce, 0, true});
      }
    }
  }
  Parameter large = Tensor(DType::kInt64);
  large.init = {Init::Kind::kRandint, -1e15, 1e17, ""};
  ExpectSameFill(large, {7, 1, false});
  Parameter order = Tensor(DType::kInt32, {100, 1000});
  order.init = {Init::Kind::kPermutation, 0, 0, ""};
  ExpectSameFill(order, {7, 1, false});
}

TEST_F(Ops, StridedTensorsAndTheirGaps) {
  Parameter p = Tensor(DType::kFloat16, {37, 53});
  p.layout.strides = {1, 40};  // columns of 40, three of them gap
  p.layout.span = 36 + 52 * 40 + 1;
  ExpectSameFill(p, {11, 2, false});
  auto there = Room(p.bytes());
  gpu().Fill(p, {11, 2, false}, 99, there->data());
  EXPECT_TRUE(gpu().GapsHold(p, 99, there->data()));
  const char other = 1;
  gpu().Write(&other, 1, there->data() + 2 * 38);
  EXPECT_FALSE(gpu().GapsHold(p, 99, there->data()));
}

TEST_F(Ops, PoisonAndPrefill) {
  for (const DType type : kTypes) {
    const Parameter p = Tensor(type);
    std::vector<char> here(static_cast<size_t>(p.bytes()));
    auto there = Room(p.bytes());
    host_->Poison(p, 12345, here.data());
    gpu().Poison(p, 12345, there->data());
    EXPECT_EQ(here, gpu().ReadAll(there->data(), p.bytes())) << DTypeName(type);
    for (const bool flipped : {false, true}) {
      host_->Prefill(p, {9, 1, false}, flipped, here.data());
      gpu().Prefill(p, {9, 1, false}, flipped, there->data());
      EXPECT_EQ(here, gpu().ReadAll(there->data(), p.bytes())) << DTypeName(type) << flipped;
    }
  }
}

TEST_F(Ops, ChecksFindTheSameFigures) {
  std::mt19937 dice(1);
  for (const DType type : kTypes) {
    Parameter p = Tensor(type);
    p.init = {type == DType::kBool ? Init::Kind::kBernoulli : Init::Kind::kUniform, type >= DType::kUint64 ? 0.0 : -20.0, 20, ""};
    std::vector<char> expected(static_cast<size_t>(p.bytes()));
    host_->Fill(p, {4, 0, false}, 0, expected.data());
    std::vector<char> close = expected, wrong = expected, unwritten(expected.size());
    host_->Poison(p, 5, unwritten.data());
    for (int64_t i = 0; i < kCount; ++i) {
      const double e = LoadElement(type, expected.data(), i);
      if (IsFloating(type)) StoreElement(type, close.data(), i, e * (1 + 1e-3 * (static_cast<double>(dice() % 100) / 100)));
      if (dice() % 1000 == 0) StoreElement(type, wrong.data(), i, e + 3);
      if (IsFloating(type) && dice() % 5000 == 0) StoreElement(type, wrong.data(), i, std::nan(""));
      if (IsFloating(type) && dice() % 5000 == 0) StoreElement(type, wrong.data(), i, std::numeric_limits<double>::infinity());
    }
    const std::vector<double> errors((kCount + kErrorBlock - 1) / kErrorBlock, 0.01);
    for (const Compare::Kind kind : {Compare::Kind::kAllclose, Compare::Kind::kExact, Compare::Kind::kUlp,
                                     Compare::Kind::kMatchedRatio, Compare::Kind::kTopk, Compare::Kind::kStatistical}) {
      if (kind == Compare::Kind::kUlp && !IsFloating(type)) continue;
      p.compare.kind = kind;
      p.compare.ulp = 4;
      p.compare.ratio = 0.9;
      p.compare.cap = 10;
      for (const auto* got : {&expected, &close, &wrong, &unwritten}) {
        ExpectSameFigures(p, *got, expected, {});
        for (const bool tf32 : {false, true}) {
          p.tf32 = tf32;
          ExpectSameFigures(p, *got, expected, errors);
        }
      }
    }
    if (!IsFloating(type)) continue;
    const auto a = Upload(close), b = Upload(expected);
    const auto here = host_->Errors(p, close.data(), expected.data()), there = gpu().Errors(p, a->data(), b->data());
    ASSERT_EQ(here.size(), there.size()) << DTypeName(type);
    for (size_t i = 0; i < here.size(); ++i) ASSERT_NEAR(here[i], there[i], 1e-6 * std::max(1.0, here[i])) << DTypeName(type);
  }
}

TEST_F(Ops, DigestsCanariesAndCopies) {
  std::vector<char> bytes(1'000'003);
  std::mt19937 dice(2);
  for (char& byte : bytes) byte = static_cast<char>(dice());
  const auto size = static_cast<int64_t>(bytes.size());
  auto a = Upload(bytes), b = Room(size);
  gpu().Copy(a->data(), size, b->data());
  const uint64_t digest = gpu().Digest(a->data(), size, 7);
  EXPECT_EQ(digest, gpu().Digest(b->data(), size, 7));
  EXPECT_NE(digest, gpu().Digest(a->data(), size, 8));
  for (const int64_t odd : {1, 2, 4}) {  // an output of the problem may begin anywhere
    auto c = Room(size + odd);
    gpu().Copy(a->data(), size, c->data() + odd);
    EXPECT_EQ(digest, gpu().Digest(c->data() + odd, size, 7)) << odd;
  }
  for (const int64_t at : {int64_t{0}, size / 2, size - 1}) {
    const char flipped = static_cast<char>(bytes[static_cast<size_t>(at)] ^ 1);
    gpu().Write(&flipped, 1, b->data() + at);
    EXPECT_NE(digest, gpu().Digest(b->data(), size, 7)) << at;
    uint8_t seen[2];
    const std::vector<const char*> places = {b->data() + at, a->data() + at};
    gpu().Glance(places, seen);
    EXPECT_EQ(seen[0] ^ seen[1], 1) << at;
    gpu().Copy(a->data(), size, b->data());
  }
  const std::vector<TensorOps::Range> ranges = {{b->data(), 4096}, {b->data() + 5001, 3}, {b->data() + 8192, 100}};
  gpu().FillWords(ranges, 0x0123456789abcdef);
  EXPECT_EQ(gpu().FindBroken(ranges, 0x0123456789abcdef), -1);
  EXPECT_EQ(gpu().FindBroken(ranges, 0x0123456789abcdee), 0);
  const char other = 0x55;
  gpu().Write(&other, 1, b->data() + 8192 + 99);
  EXPECT_EQ(gpu().FindBroken(ranges, 0x0123456789abcdef), 2);
}

}  // namespace
}  // namespace kernelopt::worker
