// The kernels of the feasibility program, each behind a plain function that
// launches it on `stream` and returns.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace kernelopt::feasibility {

// Counter-based content: element i is a function of (nonce, i).
void Fill(float* to, int64_t count, uint64_t nonce, cudaStream_t stream);
// Reads everything and writes one number, like a reduction bound by memory.
void Read(const float* from, int64_t count, float* sink, cudaStream_t stream);
// All SMs busy for `ns` of %globaltimer, or for `cycles` of clock64.
void SpinNs(int blocks, int64_t ns, cudaStream_t stream);
void SpinCycles(int blocks, int64_t cycles, cudaStream_t stream);
// Runs until *stop (host-mapped) is not 0.
void Persist(int blocks, const volatile int* stop, cudaStream_t stream);
void Nothing(cudaStream_t stream);
// Writes one float where the mapping may be read-only.
void Poke(float* at, cudaStream_t stream);

// One pair of clocks, read on one SM.
struct Stamp {
  uint64_t globaltimer_ns, clock;
  uint32_t sm, pad;
};
// Two pairs `ns` apart into out[0..1].
void TakeStamps(Stamp* out, int64_t ns, cudaStream_t stream);
// Consecutive readings of %globaltimer, to see its step.
void TimerSteps(uint64_t* out, int count, cudaStream_t stream);

}  // namespace kernelopt::feasibility
