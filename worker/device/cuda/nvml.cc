#include "device/cuda/nvml.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <thread>

#include "absl/strings/str_cat.h"
#include "spdlog/spdlog.h"

namespace kernelopt::worker::cuda {
namespace {

using Handle = void*;  // nvmlDevice_t
constexpr int kSuccess = 0;
constexpr unsigned kMigOn = 1;
constexpr std::chrono::milliseconds kDeadline{500};
constexpr std::chrono::milliseconds kOpenDeadline{10'000};

// nvmlClocksEventReason*: those that hold a clock down, and whether it is the
// hardware that does.
struct Reason {
  unsigned long long bit;
  const char* name;
  bool hardware;
};
constexpr std::array<Reason, 6> kReasons = {{{0x4, "power cap", false},
                                             {0x8, "hardware slowdown", true},
                                             {0x2, "application clocks", false},
                                             {0x20, "software thermal slowdown", true},
                                             {0x40, "hardware thermal slowdown", true},
                                             {0x80, "power brake", true}}};

// The functions used, by name; a library without one answers "not known".
struct Library {
  void* handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);

  template <class... Arguments>
  bool Call(const char* name, Arguments... arguments) const {
    using Function = int (*)(Arguments...);
    const auto function = handle == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(handle, name));
    return function != nullptr && function(arguments...) == kSuccess;
  }
};

const Library& TheLibrary() {
  static const Library* const library = new Library();  // a thread may hang in it to the end
  return *library;
}

std::atomic<bool> g_hangs = false;  // a call did; none is made any more

// What `ask` returned, or `otherwise` when it took longer.
template <class T>
T Ask(std::chrono::milliseconds deadline, T otherwise, const std::function<T(const Library&)>& ask) {
  if (g_hangs) return otherwise;
  auto task = std::make_shared<std::packaged_task<T()>>([ask] { return ask(TheLibrary()); });
  std::future<T> answer = task->get_future();
  std::thread([task] { (*task)(); }).detach();
  if (answer.wait_for(deadline) == std::future_status::ready) return answer.get();
  if (!g_hangs.exchange(true)) spdlog::warn("NVML does not answer within {} ms; it is not asked again", deadline.count());
  return otherwise;
}

bool Ready() {
  static const bool ready =
      Ask<bool>(kOpenDeadline, false, [](const Library& nvml) { return nvml.Call("nvmlInit_v2"); });
  return ready;
}

unsigned long long ReasonsOf(const Library& nvml, Handle device) {
  unsigned long long reasons = 0;
  if (nvml.Call("nvmlDeviceGetCurrentClocksEventReasons", device, &reasons)) return reasons;
  nvml.Call("nvmlDeviceGetCurrentClocksThrottleReasons", device, &reasons);  // its name before CUDA 12.1
  return reasons;
}

bool OfHardware(unsigned long long reasons) {
  for (const Reason& reason : kReasons) {
    if (reason.hardware && (reasons & reason.bit) != 0) return true;
  }
  return false;
}

void AddSlices(const Library& nvml, Handle gpu, std::vector<std::string>& slices) {
  unsigned mode = 0, pending = 0, count = 0;
  if (!nvml.Call("nvmlDeviceGetMigMode", gpu, &mode, &pending) || mode != kMigOn) return;
  nvml.Call("nvmlDeviceGetMaxMigDeviceCount", gpu, &count);
  for (unsigned i = 0; i < count; ++i) {
    Handle slice = nullptr;
    std::array<char, 96> uuid{};
    if (!nvml.Call("nvmlDeviceGetMigDeviceHandleByIndex", gpu, i, &slice)) continue;
    if (nvml.Call("nvmlDeviceGetUUID", slice, uuid.data(), static_cast<unsigned>(uuid.size()))) slices.emplace_back(uuid.data());
  }
}

}  // namespace

std::string ClockLimits(unsigned long long reasons) {
  std::string text;
  for (const Reason& reason : kReasons) {
    if ((reasons & reason.bit) != 0) absl::StrAppend(&text, text.empty() ? "" : ", ", reason.name);
  }
  return text;
}

Nvml::Nvml(const std::string& id) {
  if (!Ready()) return;
  device_ = Ask<Handle>(kDeadline, nullptr, [id](const Library& nvml) {
    Handle device = nullptr;
    return nvml.Call("nvmlDeviceGetHandleByUUID", id.c_str(), &device) ? device : nullptr;
  });
}

bool Nvml::Slowed() const {
  if (device_ == nullptr) return false;
  return Ask<bool>(kDeadline, false, [device = device_](const Library& nvml) { return OfHardware(ReasonsOf(nvml, device)); });
}

DeviceHealth Nvml::Health() const {
  if (device_ == nullptr) return {};
  return Ask<DeviceHealth>(kDeadline, {}, [device = device_](const Library& nvml) {
    constexpr int kGpuCore = 0;
    unsigned celsius = 0, milliwatts = 0;
    nvml.Call("nvmlDeviceGetTemperature", device, kGpuCore, &celsius);
    nvml.Call("nvmlDeviceGetPowerUsage", device, &milliwatts);
    return DeviceHealth{static_cast<double>(celsius), milliwatts / 1000.0, ClockLimits(ReasonsOf(nvml, device))};
  });
}

std::vector<std::string> Nvml::MigSlices() {
  if (!Ready()) return {};
  return Ask<std::vector<std::string>>(kOpenDeadline, {}, [](const Library& nvml) {
    std::vector<std::string> slices;
    unsigned gpus = 0;
    nvml.Call("nvmlDeviceGetCount_v2", &gpus);
    for (unsigned i = 0; i < gpus; ++i) {
      Handle gpu = nullptr;
      if (nvml.Call("nvmlDeviceGetHandleByIndex_v2", i, &gpu)) AddSlices(nvml, gpu, slices);
    }
    return slices;
  });
}

}  // namespace kernelopt::worker::cuda
