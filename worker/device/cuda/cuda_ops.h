// TensorOps by kernels, bit for bit what the host's do (tests/gpu/ops). Dense
// tensors, whatever their type, stay on the device; what is rare (permutations,
// sorted or statistical comparison, gaps of strided outputs) is brought to the
// host and done there.
#pragma once

#include <memory>

#include "device/cuda/cuda_memory.h"
#include "device/cuda/driver.h"
#include "device/cuda/kernels.h"
#include "device/tensor_ops.h"

namespace kernelopt::worker::cuda {

class CudaOps final : public TensorOps {
 public:
  // The context of the device is current; `cu` outlives this.
  static absl::StatusOr<std::unique_ptr<CudaOps>> Make(const Driver& cu, int multiprocessors, int64_t flush_bytes);
  ~CudaOps() override;

  void Fill(const Parameter& p, const Content& content, uint64_t gaps, char* to) override;
  void FillFrom(const Parameter& p, const char* from, uint64_t gaps, char* to) override;
  void Prefill(const Parameter& p, const Content& content, bool other, char* to) override;
  void Poison(const Parameter& p, uint64_t nonce, char* to) override;
  bool GapsHold(const Parameter& p, uint64_t nonce, const char* at) override;
  void FillWords(std::span<const Range> ranges, uint64_t word) override;
  int64_t FindBroken(std::span<const Range> ranges, uint64_t word) override;
  uint64_t Digest(const char* at, int64_t bytes, uint64_t key) override;
  CheckFigures Check(const Parameter& p, const char* got, const char* expected, std::span<const double> errors,
                     uint64_t poison_nonce) override;
  std::vector<double> Errors(const Parameter& p, const char* own, const char* oracle) override;
  void Glance(std::span<const char* const> places, uint8_t* out) override;
  void Read(const char* from, int64_t bytes, void* to) override;
  void Write(const void* from, int64_t bytes, char* to) override;
  void Copy(const char* from, int64_t bytes, char* to) override;
  void Settle() override { Wait(); }

  // Writes more than the L2 holds, then reads as much that is clean: nothing of
  // a job is left in it, and nothing dirty. Wall microseconds; on a GPU that
  // another process uses too, many times the usual.
  double Flush();
  // A kernel that does nothing; wall microseconds until it has ended.
  double Sentinel();
  // Of one multiprocessor while the last Flush read; MHz.
  double clock_mhz() const { return clock_mhz_; }

 private:
  struct Kernels;
  CudaOps(const Driver& cu, int multiprocessors);
  absl::Status Load(int64_t flush_bytes);
  // One argument struct, `blocks` blocks; does not wait.
  template <class Args>
  void Launch(CUfunction kernel, Args args, int64_t blocks, CUdeviceptr extra = 0);
  int64_t BlocksFor(int64_t count) const;
  void Wait();
  // Room for `bytes` in memory that both sides reach: for kernels to read.
  Mailbox& Box(int64_t bytes);
  const RangeArg* SendRanges(std::span<const Range> ranges);
  // A value on the device for kernels to add to; after the launch, what it is.
  template <class T>
  T* PutAnswer(const T& before);
  template <class T>
  T TakeAnswer();

  const Driver& cu_;
  const int multiprocessors_;
  std::unique_ptr<Kernels> kernels_;
  std::unique_ptr<Mailbox> box_, stamps_;
  std::unique_ptr<Memory> flush_, clean_, answer_;
  std::unique_ptr<TensorOps> host_;
  uint32_t flushes_ = 0;
  double clock_mhz_ = 0;
};

}  // namespace kernelopt::worker::cuda
