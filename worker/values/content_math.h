// The arithmetic of content, one element at a time: for the host's loops and for
// kernels, which must agree bit by bit. Nothing here may be contracted to a
// fused multiply-add.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define KOPT_BOTH __host__ __device__
#else
#define KOPT_BOTH
#endif

namespace kernelopt::worker {

// 32-bit mixer with low bias (Wellons, "prospecting for hash functions":
// 7feb352d / 846ca68b).
KOPT_BOTH inline uint32_t Mix(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  x ^= x >> 16;
  return x;
}

struct ContentKey {
  uint32_t a, b;
};

KOPT_BOTH inline ContentKey KeyOf(uint64_t nonce, uint32_t tensor) {
  const auto low = static_cast<uint32_t>(nonce), high = static_cast<uint32_t>(nonce >> 32);
  return {Mix(low + 0x9e3779b9U * (tensor + 1)), Mix(high ^ Mix(low)) | 1U};
}

KOPT_BOTH inline uint32_t Random(uint32_t index, ContentKey key) { return Mix((index * key.b) ^ key.a); }

// Irwin-Hall of four 16-bit values: mean 2 * 65535, variance 4 * (2^32 - 1) / 12.
inline constexpr float kNormalMean = 131070.0F;
inline constexpr float kNormalScale = 1.0F / 37837.227F;

KOPT_BOTH inline float NormalOf(uint32_t h) {
  const uint32_t g = (h ^ (h >> 13)) * 0x9e3779b1U;
  const auto sum = static_cast<int32_t>((h & 0xffffU) + (h >> 16) + (g & 0xffffU) + (g >> 16));
  return (static_cast<float>(sum) - kNormalMean) * kNormalScale;
}

KOPT_BOTH inline float UniformOf(uint32_t h, float low, float width) {
  const float u = static_cast<float>(static_cast<int32_t>(h >> 8)) * 0x1p-24F;
#ifdef __CUDA_ARCH__
  return __fadd_rn(low, __fmul_rn(width, u));
#else
  return low + width * u;
#endif
}

// In [0, 1).
KOPT_BOTH inline double UnitOf(uint32_t h) { return h * 0x1p-32; }

// What StressContent does to a block of elements.
inline constexpr int64_t kStressBlock = 64;
inline constexpr double kStressScale = 30, kStressOffset = 8;

}  // namespace kernelopt::worker
