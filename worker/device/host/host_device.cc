#include "device/host/host_device.h"

#include <cpuid.h>
#include <immintrin.h>
#include <sched.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "device/host/host_ops.h"
#include "device/host/memfd.h"
#include "support/capability.h"

namespace kernelopt::worker {
namespace {

constexpr int64_t kLine = 64;

bool HasClflushopt() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_CLFLUSHOPT) != 0;
}

__attribute__((target("clflushopt"))) void FlushLines(char* data, int64_t size) {
  for (int64_t i = 0; i < size; i += kLine) _mm_clflushopt(data + i);
  _mm_sfence();
}

std::string CpuModel() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("model name", 0) == 0) {
      return std::string(absl::StripAsciiWhitespace(line.substr(line.find(':') + 1)));
    }
  }
  return "CPU";
}

std::vector<int> AllowedCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

class HostDevice final : public Device {
 public:
  explicit HostDevice(int64_t max_bytes)
      : model_(CpuModel()), flush_(HasClflushopt()), max_bytes_(max_bytes) {
    const std::vector<int> cpus = AllowedCpus();
    if (cpus.size() >= 2) {
      // The first CPU gets most interrupts; the kernel under test gets the last.
      runner_cpu_ = cpus.back();
      judge_cpu_ = cpus[cpus.size() - 2];
    }
  }

  std::string id() const override { return "host"; }
  std::string model() const override { return model_; }
  int runner_cpu() const override { return runner_cpu_; }
  int judge_cpu() const override { return judge_cpu_; }
  std::string arch() const override { return ""; }
  Clock clock() const override { return Clock::kJudge; }
  Reach reach() const override { return {}; }
  std::string ErrorName(int) const override { return ""; }
  absl::Status WaitQuiet(double) override { return absl::OkStatus(); }  // each call's witness says so
  double WriteBackUs(int64_t) const override { return 0; }
  std::string eviction() const override { return flush_ ? "clflushopt" : "cache-sized pass"; }

  std::vector<v1::Capability> Probe() const override {
    return {
        support::Capable("host.cpus", runner_cpu_ >= 0,
            runner_cpu_ >= 0 ? absl::StrCat("runner on CPU ", runner_cpu_, ", judge on CPU ", judge_cpu_)
                             : "only one CPU: judge and kernel share it, timings will be DISTURBED"),
        support::Capable("host.eviction", true, eviction()),
        support::Capable("host.memory", true, absl::StrFormat("%.1f GiB usable for buffers",
                                                 static_cast<double>(FreeBytes()) / (1 << 30))),
    };
  }

  absl::StatusOr<std::unique_ptr<SharedMemory>> Allocate(int64_t bytes, Access access) override {
    return MakeMemfd(bytes, access);
  }

  absl::StatusOr<std::unique_ptr<Memory>> AllocatePrivate(int64_t bytes) override {
    return std::unique_ptr<Memory>(std::make_unique<Heap>(bytes));
  }
  TensorOps& ops() override { return *ops_; }

  int64_t FreeBytes() const override {
    std::ifstream file("/proc/meminfo");
    std::string line;
    while (std::getline(file, line)) {
      long long kib = 0;
      if (sscanf(line.c_str(), "MemAvailable: %lld kB", &kib) != 1) continue;
      const int64_t free_bytes = kib * 1024 / 10 * 9;
      return max_bytes_ > 0 ? std::min(max_bytes_, free_bytes) : free_bytes;
    }
    return int64_t{1} << 30;
  }

  void Evict(std::initializer_list<SharedMemory*> memories) override {
    for (SharedMemory* memory : memories) {
      if (flush_) FlushLines(memory->data(), memory->size());
    }
    if (flush_) return;
    // Twice any last-level cache of today's machines.
    if (pass_.empty()) pass_.resize(256 << 20, 1);
    for (size_t i = 0; i < pass_.size(); i += kLine) ++pass_[i];
  }

 private:
  class Heap final : public Memory {
   public:
    explicit Heap(int64_t bytes) : data_(new char[static_cast<size_t>(bytes)]), size_(bytes) {}
    char* data() override { return data_.get(); }
    int64_t size() const override { return size_; }

   private:
    const std::unique_ptr<char[]> data_;  // not written: that would cost a pass
    const int64_t size_;
  };

  const std::string model_;
  const bool flush_;
  const int64_t max_bytes_;
  int runner_cpu_ = -1, judge_cpu_ = -1;
  std::vector<char> pass_;
  const std::unique_ptr<TensorOps> ops_ = MakeHostOps();
};

}  // namespace

std::unique_ptr<Device> MakeHostDevice(int64_t max_bytes) {
  return std::make_unique<HostDevice>(max_bytes);
}

}  // namespace kernelopt::worker
