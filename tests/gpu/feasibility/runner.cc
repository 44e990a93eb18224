// The untrusted side: maps what it is given, and does as it is told when called.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <thread>

#include <sys/socket.h>

#include "kernels.h"
#include "shared.h"

namespace kernelopt::feasibility {
namespace {

constexpr int kFds = 3;  // control, inputs, outputs

struct Given {
  std::array<int, kFds> fds{};
  std::array<int64_t, kFds> bytes{};
};

Given Receive(int socket) {
  Given given;
  iovec vector{given.bytes.data(), sizeof given.bytes};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof given.fds)> space{};
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  message.msg_control = space.data();
  message.msg_controllen = space.size();
  if (recvmsg(socket, &message, 0) <= 0) throw Failure("no packet from the judge");
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr) throw Failure("no descriptors from the judge");
  std::memcpy(given.fds.data(), CMSG_DATA(header), sizeof given.fds);
  return given;
}

class Runner {
 public:
  Runner(Control* control, const Shared& inputs, const Shared& outputs)
      : control_(*control), inputs_(inputs), outputs_(outputs) {
    CHECK_CUDA(cudaEventCreate(&begin_));
    CHECK_CUDA(cudaEventCreate(&end_));
    CHECK_CUDA(cudaStreamCreateWithFlags(&aside_, cudaStreamNonBlocking));
    CHECK_CUDA(cudaHostAlloc(&stop_, sizeof *stop_, cudaHostAllocMapped));
    CHECK_CUDA(cudaHostRegister(control, sizeof *control, cudaHostRegisterMapped));
    // Everything loaded before the first call.
    Read(In(0), 4096, Out(), nullptr);
    SpinNs(1, 1, nullptr);
    Nothing(nullptr);
    CHECK_CUDA(cudaDeviceSynchronize());
    helper_ = std::thread([this] { Help(); });
    helper_.detach();
  }

  // Until told to leave.
  void Serve() {
    for (uint32_t call = 1;; ++call) {
      while (control_.armed.load(std::memory_order_acquire) != call) Pause();
      control_.ready.store(call, std::memory_order_release);
      while (control_.go.load(std::memory_order_acquire) != call) Pause();
      if (control_.what == Do::kLeave) _exit(0);
      if (control_.gated) cuStreamWaitValue32(nullptr, OnGpu(control_.gate), call, CU_STREAM_WAIT_VALUE_GEQ);
      cudaEventRecord(begin_);
      Solve();
      cudaEventRecord(end_);
      if (control_.gated) {
        cuStreamWriteValue32(nullptr, OnGpu(control_.finished), call, CU_STREAM_WRITE_VALUE_DEFAULT);
        control_.queued.store(call, std::memory_order_release);
      }
      control_.error = cudaDeviceSynchronize();
      control_.done.store(call, std::memory_order_release);
      float ms = 0;
      cudaEventElapsedTime(&ms, begin_, end_);
      control_.inner_us = static_cast<double>(ms) * 1e3;
      control_.ready.store(0, std::memory_order_release);
    }
  }

 private:
  const float* In(int64_t set) const {
    return reinterpret_cast<const float*>(inputs_.at + static_cast<CUdeviceptr>(set * control_.set_bytes));
  }
  float* Out() const { return reinterpret_cast<float*>(outputs_.at); }

  static CUdeviceptr OnGpu(std::atomic<uint32_t>& cell) {
    void* at = nullptr;
    CHECK_CUDA(cudaHostGetDevicePointer(&at, &cell, 0));
    return reinterpret_cast<CUdeviceptr>(at);
  }

  void Solve() {
    switch (control_.what) {
      case Do::kNullKernel: return Nothing(nullptr);
      case Do::kRead: return Read(In(0), control_.count, Out(), nullptr);
      case Do::kReadPrivate: return Read(In(0), control_.count, Out(), aside_);
      case Do::kSpin: return SpinNs(132, control_.ns, nullptr);
      case Do::kBatch:
        for (int i = 0; i < control_.calls; ++i) Read(In(i), control_.count, Out(), nullptr);
        return;
      case Do::kBatchSpin:
        for (int i = 0; i < control_.calls; ++i) SpinNs(132, control_.ns, nullptr);
        return;
      case Do::kPersist:
        *stop_ = 0;
        Persist(1, stop_, aside_);
        // Returns although its kernel runs: what an honest call never does.
        control_.done.store(control_.go, std::memory_order_release);
        return;
      case Do::kHang:
        *stop_ = 0;
        return Persist(132, stop_, nullptr);
      case Do::kPoke: return Poke(const_cast<float*>(In(0)), nullptr);
      case Do::kUpgradePoke: {
        CUmemAccessDesc access{};
        access.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
        access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        cuMemSetAccess(inputs_.at, static_cast<size_t>(inputs_.bytes), &access, 1);
        return Poke(const_cast<float*>(In(0)), nullptr);
      }
      case Do::kReset: cudaDeviceReset(); return;
      default: return;
    }
  }

  // The cheat's other thread: launches before the call is timed.
  void Help() {
    for (uint32_t seen = 0;;) {
      const uint32_t armed = control_.armed.load(std::memory_order_acquire);
      if (armed != seen && control_.what == Do::kReadThread) Read(In(0), control_.count, Out(), aside_);
      if (control_.what == Do::kStopPersist) *stop_ = 1;
      seen = armed;
      Pause();
    }
  }

  Control& control_;
  const Shared inputs_, outputs_;
  cudaEvent_t begin_{}, end_{};
  cudaStream_t aside_{};
  int* stop_ = nullptr;
  std::thread helper_;
};

}  // namespace

int RunnerMain() {
  try {
    const Given given = Receive(3);
    void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, given.fds[0], 0);
    if (page == MAP_FAILED) throw Failure("mmap of the control page");
    CHECK_CUDA(cudaFree(nullptr));  // the primary context
    Runner runner(static_cast<Control*>(page), MapShared(given.fds[1], given.bytes[1], false),
                  MapShared(given.fds[2], given.bytes[2], true));
    const char hello = 'r';
    if (write(3, &hello, 1) != 1) return 1;
    runner.Serve();
  } catch (const Failure& failure) {
    std::fprintf(stderr, "runner: %s\n", failure.what());
  }
  return 1;
}

}  // namespace kernelopt::feasibility
