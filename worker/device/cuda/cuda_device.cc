#include "device/cuda/cuda_device.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <chrono>
#include <fstream>
#include <thread>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "device/cuda/cuda_ops.h"
#include "device/cuda/nvml.h"
#include "device/tensor_rate.h"
#include "support/capability.h"
#include "support/clock.h"

namespace kernelopt::worker {
namespace {

using cuda::CudaOps;
using cuda::Driver;

constexpr int64_t kLeastFlush = int64_t{256} << 20;
constexpr double kBusy = 2;  // times as long as an undisturbed flush: somebody else is at work
constexpr double kUsableShare = 0.9;  // of free memory; the rest is contexts and fragments

std::string IdOf(const CUuuid& uuid) {
  std::string id = "GPU-";
  for (size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) id += '-';
    absl::StrAppendFormat(&id, "%02x", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return id;
}

int Attribute(const Driver& cu, CUdevice device, CUdevice_attribute which) {
  int value = 0;
  cu.Must(cu.cuDeviceGetAttribute(&value, which, device), "an attribute of the device");
  return value;
}

GpuInfo InfoOf(const Driver& cu, CUdevice device) {
  CUuuid uuid{};
  std::array<char, 256> name{}, bus{};
  cu.Must(cu.cuDeviceGetUuid(&uuid, device), "the device's UUID");
  cu.Must(cu.cuDeviceGetName(name.data(), static_cast<int>(name.size()), device), "the device's name");
  cu.Must(cu.cuDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), device), "the device's bus");
  return {IdOf(uuid), name.data(), absl::AsciiStrToLower(bus.data())};
}

// CPUs of the device's NUMA node; empty: not known.
std::vector<int> NearCpus(const std::string& bus) {
  std::ifstream file(absl::StrCat("/sys/bus/pci/devices/", bus, "/local_cpulist"));
  std::vector<int> cpus;
  std::string part;
  while (std::getline(file, part, ',')) {
    int first = 0, last = 0;
    const int n = sscanf(part.c_str(), "%d-%d", &first, &last);
    for (int cpu = first; n > 0 && cpu <= (n == 2 ? last : first); ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

// /dev/nvidia<minor>, which need not be the driver's index.
std::string NodeOf(const std::string& bus) {
  std::ifstream file(absl::StrCat("/proc/driver/nvidia/gpus/", bus, "/information"));
  std::string line;
  int minor = 0;
  while (std::getline(file, line)) {
    if (sscanf(line.c_str(), "Device Minor: %d", &minor) == 1) break;
  }
  return absl::StrCat("/dev/nvidia", minor);
}

class CudaDevice final : public Device {
 public:
  CudaDevice(const Driver& cu, CUdevice device) : cu_(cu), device_(device), info_(InfoOf(cu, device)), nvml_(info_.id) { PickCpus(); }
  ~CudaDevice() override {
    ops_.reset();
    if (context_ != nullptr) cu_.cuDevicePrimaryCtxRelease(device_);
  }

  absl::Status Open() {
    if (absl::Status s = cu_.Check(cu_.cuDevicePrimaryCtxRetain(&context_, device_), "a context"); !s.ok()) return s;
    if (absl::Status s = cu_.Check(cu_.cuCtxSetCurrent(context_), "a context"); !s.ok()) return s;
    l2_bytes_ = Attribute(cu_, device_, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    const int sms = Attribute(cu_, device_, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    auto ops = CudaOps::Make(cu_, sms, std::max(kLeastFlush, 4 * l2_bytes_));
    if (!ops.ok()) return ops.status();
    ops_ = *std::move(ops);
    double flush_us = ops_->Flush();
    for (int i = 0; i < 5; ++i) flush_us = std::min(flush_us, ops_->Flush());
    flush_us_ = flush_us;
    bytes_per_us_ = 2 * static_cast<double>(std::max(kLeastFlush, 4 * l2_bytes_)) / flush_us;
    return absl::OkStatus();
  }

  std::string id() const override { return info_.id; }
  std::string model() const override { return info_.model; }
  int runner_cpu() const override { return runner_cpu_; }
  int judge_cpu() const override { return judge_cpu_; }
  TensorOps& ops() override { return *ops_; }
  double WriteBackUs(int64_t output_bytes) const override {
    return static_cast<double>(std::min(output_bytes, l2_bytes_)) / bytes_per_us_;
  }
  double FloorUs(int64_t input_bytes, int64_t output_bytes) const override {
    constexpr double kAtMost = 1.15;  // of the bandwidth that flushes show, which is less than the best there is
    const int64_t bytes = input_bytes + std::max<int64_t>(0, output_bytes - l2_bytes_);
    return static_cast<double>(bytes) / (kAtMost * bytes_per_us_);
  }
  double FlopsFloorUs(double flops, DType operand) const override {
    // Some cards run faster than they say.
    const double mhz = std::max(Attribute(cu_, device_, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000.0, clock_mhz());
    const double rate = TensorRate(arch(), operand) * Attribute(cu_, device_, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) * mhz;
    return rate > 0 ? flops / rate : 0;
  }
  double Sentinel() override { return ops_->Sentinel(); }
  double clock_mhz() const override { return ops_->clock_mhz(); }
  bool Slowed() override { return nvml_.Slowed(); }
  DeviceHealth Health() override { return nvml_.Health(); }
  std::string eviction() const override {
    return absl::StrFormat("write and read %d MiB each (L2 %d MiB)", std::max(kLeastFlush, 4 * l2_bytes_) >> 20,
                           l2_bytes_ >> 20);
  }

  std::vector<v1::Capability> Probe() const override {
    int version = 0;
    cu_.cuDriverGetVersion(&version);
    return {support::Capable("device.cuda", true,
                             absl::StrFormat("%s, CUDA %d.%d driver, %.1f GiB free", info_.model, version / 1000,
                                             version % 1000 / 10, static_cast<double>(FreeBytes()) / (1 << 30))),
            support::Capable("device.eviction", true, eviction())};
  }

  absl::StatusOr<std::unique_ptr<SharedMemory>> Allocate(int64_t bytes, Access access) override {
    return cuda::MakeSharedMemory(cu_, device_, bytes, access);
  }
  absl::StatusOr<std::unique_ptr<Memory>> AllocatePrivate(int64_t bytes) override {
    return cuda::MakePrivateMemory(cu_, bytes);
  }
  int64_t FreeBytes() const override {
    size_t free_bytes = 0, all = 0;
    cu_.Must(cu_.cuMemGetInfo(&free_bytes, &all), "free memory");
    return static_cast<int64_t>(static_cast<double>(free_bytes) * kUsableShare);
  }

  // A flush takes turns with whatever else runs there: 2.5 ms instead of 0.15
  // beside one persistent block.
  absl::Status WaitQuiet(double seconds) override {
    const double begin = support::MonotonicSeconds();
    for (double us = ops_->Flush(); us > kBusy * flush_us_; us = ops_->Flush()) {
      if (support::MonotonicSeconds() - begin > seconds) {
        return absl::UnavailableError(absl::StrFormat(
            "another process uses this GPU: emptying its cache takes %.0f us instead of %.0f; nvidia-smi names it", us, flush_us_));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return absl::OkStatus();
  }

  void Evict(std::initializer_list<SharedMemory*>) override { evicted_us_ = ops_->Flush(); }
  bool EvictedAlone() const override { return evicted_us_ <= kBusy * flush_us_; }
  std::string arch() const override {
    const int major = Attribute(cu_, device_, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    const int minor = Attribute(cu_, device_, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    return absl::StrCat(major, minor, major >= 9 ? "a" : "");  // with what only this kind has
  }
  Clock clock() const override { return Clock::kEvents; }

  // One GPU, and what all of them share; its libraries where the driver's own
  // are not on the usual path. The driver opens a socket when it starts (it has
  // no network to use it on), and reserves more address space than there is.
  Reach reach() const override {
    Reach reach{{NodeOf(info_.bus), "/dev/nvidiactl", "/dev/nvidia-uvm"}, {}, {"socket"}, false};
    if (const char* path = std::getenv("LD_LIBRARY_PATH")) reach.environment.emplace_back("LD_LIBRARY_PATH", path);
    return reach;
  }

  std::string ErrorName(int code) const override {
    const char* name = "unknown CUDA error";
    if (code != 0) cu_.cuGetErrorName(static_cast<CUresult>(code), &name);
    return code == 0 ? "" : name;
  }

 private:
  // Two near the GPU, of its own among those of the machine's GPUs, from the last:
  // the first ones get most interrupts.
  void PickCpus() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    std::vector<int> cpus;
    for (const int cpu : NearCpus(info_.bus)) {
      if (cpu < CPU_SETSIZE && CPU_ISSET(static_cast<size_t>(cpu), &allowed)) cpus.push_back(cpu);
    }
    for (int cpu = 0; cpus.empty() && cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(static_cast<size_t>(cpu), &allowed)) cpus.push_back(cpu);
    }
    if (cpus.size() < 2) return;
    const size_t pair = static_cast<size_t>(device_) % (cpus.size() / 2);  // the driver counts GPUs from 0
    runner_cpu_ = cpus[cpus.size() - 1 - 2 * pair];
    judge_cpu_ = cpus[cpus.size() - 2 - 2 * pair];
  }

  const Driver& cu_;
  const CUdevice device_;
  const GpuInfo info_;
  const cuda::Nvml nvml_;
  CUcontext context_ = nullptr;
  std::unique_ptr<CudaOps> ops_;
  int64_t l2_bytes_ = 0;
  double flush_us_ = 0;      // of an undisturbed flush
  double evicted_us_ = 0;    // of the last one
  double bytes_per_us_ = 1;  // of memory, as flushes show it
  int runner_cpu_ = -1, judge_cpu_ = -1;
};

}  // namespace

std::vector<std::string> ListMigSlices() { return cuda::Nvml::MigSlices(); }

absl::StatusOr<std::vector<GpuInfo>> ListGpus() {
  const auto driver = Driver::Get();
  if (!driver.ok()) return driver.status();
  const Driver& cu = **driver;
  int count = 0;
  if (absl::Status s = cu.Check(cu.cuDeviceGetCount(&count), "counting GPUs"); !s.ok()) return s;
  std::vector<GpuInfo> gpus;
  for (int i = 0; i < count; ++i) {
    CUdevice device = 0;
    cu.Must(cu.cuDeviceGet(&device, i), "a GPU");
    gpus.push_back(InfoOf(cu, device));
  }
  return gpus;
}

absl::StatusOr<std::unique_ptr<Device>> MakeCudaDevice(const std::string& id) {
  const auto gpus = ListGpus();
  if (!gpus.ok()) return gpus.status();
  const Driver& cu = **Driver::Get();
  for (size_t i = 0; i < gpus->size(); ++i) {
    if ((*gpus)[i].id != id) continue;
    CUdevice device = 0;
    cu.Must(cu.cuDeviceGet(&device, static_cast<int>(i)), "a GPU");
    auto made = std::make_unique<CudaDevice>(cu, device);
    if (absl::Status s = made->Open(); !s.ok()) return s;
    return std::unique_ptr<Device>(std::move(made));
  }
  return absl::NotFoundError(absl::StrCat("no GPU ", id, " here"));
}

}  // namespace kernelopt::worker
