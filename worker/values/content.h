// What buffers hold: inputs nobody can know beforehand, poison in outputs.
//
// Content is a function of (nonce, tensor, index) alone, so inputs of any call
// can be made again later from its nonce. Nonces come from the operating
// system's entropy, except the public draw's, which is the problem's seed.
#pragma once

#include <cstdint>

#include "problem/contract.h"

namespace kernelopt::worker {

// Fills `count` elements in rows of `row` (0: one row). Distribution per init:
//   normal    sum of four uniform 16-bit values, scaled to variance 1 (Irwin-
//             Hall, n = 4: within +-3.47), cheap enough to do before every call
//   uniform   [low, high)
//   randint   integers of [low, high)
//   bernoulli 1 with probability high, else 0
//   permutation, offsets: row by row
// Others (file, reference) are not made here: zeros.
void FillContent(void* data, int64_t count, DType type, const Init& init, uint64_t nonce,
                 uint32_t tensor, int64_t row = 0);

// Small values of a type, for what a reference finds in its outputs.
Init PrefillOf(DType type);

// Makes content of a floating normal or uniform tensor harder, by blocks of 64:
// 30 times as large, 8 larger, zero, the block's first value repeated, or as it
// was. Uniform content keeps its range.
void StressContent(void* data, int64_t count, DType type, const Init& init, uint64_t nonce,
                   uint32_t tensor);

// Fills with a pattern made from `nonce`; NaN for floating types.
void FillPoison(void* data, int64_t count, DType type, uint64_t nonce);
// The bits of one element of it.
uint64_t PoisonPattern(DType type, uint64_t nonce);
// The element still holds the poison of this nonce.
bool IsPoison(const void* data, int64_t index, DType type, uint64_t nonce);

}  // namespace kernelopt::worker
