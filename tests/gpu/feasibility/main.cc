// What the CUDA half of the protocol rests on, tried on the GPU at hand. Each
// section prints what it found; README.md says what was concluded from it.
//
//   feasibility [SECTION...]      all of them without one
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>

#include "absl/strings/str_format.h"
#include "confine.h"
#include "judge.h"
#include "kernels.h"
#include "support/files.h"

namespace kernelopt::feasibility {
namespace {

constexpr int64_t kMi = 1 << 20;
constexpr int kCalls = 200;

template <class... A>
void Say(const absl::FormatSpec<A...>& format, const A&... values) {
  std::printf("%s\n", absl::StrFormat(format, values...).c_str());
  std::fflush(stdout);
}

void Row(const char* title, const Times& times) {
  std::vector<double> between;
  for (size_t i = 0; i < times.inner.size(); ++i) between.push_back(times.outer[i] - times.inner[i]);
  Say("  %-44s inner %s  outer %s  outer-inner %s  work %s", title, Spread(times.inner).c_str(),
      Spread(times.outer).c_str(), Spread(between).c_str(), Spread(times.work).c_str());
}

Judge& Shared16() {
  static Judge judge(1024 * kMi, 64 * kMi);
  return judge;
}

void Set(Judge& judge, Do what, int64_t mib, int64_t ns = 0, int calls = 1) {
  Control& control = judge.control();
  control.what = what;
  control.count = mib * kMi / 4;
  control.set_bytes = mib * kMi;
  control.ns = ns;
  control.calls = calls;
}

struct Call {
  const char* title;
  Do what;
  int64_t mib, us;
  int times;
};
constexpr Call kHandoverCalls[] = {
    {"null", Do::kNothing, 16, 0, kCalls},
    {"empty kernel", Do::kNullKernel, 16, 0, kCalls},
    {"reads 4 MiB", Do::kRead, 4, 0, kCalls},
    {"reads 16 MiB", Do::kRead, 16, 0, kCalls},
    {"16 MiB on a private stream", Do::kReadPrivate, 16, 0, kCalls},
    {"16 MiB by a thread that starts when armed", Do::kReadThread, 16, 0, kCalls},
    {"spins 5 us", Do::kSpin, 16, 5, kCalls / 2},
    {"spins 50 us", Do::kSpin, 16, 50, kCalls / 2},
    {"spins 500 us", Do::kSpin, 16, 500, kCalls / 2},
    {"reads 1 GiB", Do::kRead, 1024, 0, 50},
    {"1 GiB on a private stream", Do::kReadPrivate, 1024, 0, 50},
    {"1 GiB by a thread", Do::kReadThread, 1024, 0, 50},
};

void Handover() {
  Judge& judge = Shared16();
  judge.StartRunner();
  const std::map<Before, const char*> ways = {{Before::kWork, "runner free"},
                                              {Before::kNothing, "no work of the judge"},
                                              {Before::kFrozenWork, "stopped during fill and flush"},
                                              {Before::kFrozenFill, "stopped during the fill only"}};
  for (const auto& [before, title] : ways) {
    Say("%s", title);
    for (const Call& call : kHandoverCalls) {
      Set(judge, call.what, call.mib, call.us * 1000);
      Row(call.title, judge.Call(call.times, before));
    }
  }
  judge.KillRunner();
}

// Calls queued behind a value in memory that the judge sets when everything else
// is done, the process stopped meanwhile.
void Gate() {
  Judge& judge = Shared16();
  judge.StartRunner();
  for (const auto& [meanwhile, title] : {std::pair(Judge::While::kAwake, "runner free"),
                                         std::pair(Judge::While::kStopped, "runner stopped from queueing to the end")}) {
    Say("%s", title);
    for (const Call& call : kHandoverCalls) {
      Set(judge, call.what, call.mib, call.us * 1000);
      Row(call.title, judge.CallGated(call.times, meanwhile));
    }
  }
  judge.KillRunner();
}

// Is the switch paid however long ago the judge's last kernel was?
void Gap() {
  Judge& judge = Shared16();
  judge.StartRunner();
  Set(judge, Do::kRead, 16);
  for (const double gap_us : {0.0, 20.0, 50.0, 100.0, 200.0, 500.0, 2000.0}) {
    judge.before_go = [=] {
      const double until = NowUs() + gap_us;
      while (NowUs() < until) {
      }
    };
    Row(absl::StrFormat("go %.0f us after the judge's last kernel", gap_us).c_str(),
        judge.Call(100, Before::kWork));
  }
  judge.before_go = nullptr;
  judge.KillRunner();
}

// The bound nothing escapes: the slope between two batch lengths.
void Slope() {
  Judge& judge = Shared16();
  judge.StartRunner();
  for (const bool occupied : {false, true}) {
    judge.before_go = [=] {
      if (occupied) SpinNs(132, 1'500'000, nullptr);  // not waited for
    };
    for (const Do what : {Do::kBatch, Do::kBatchSpin}) {
      std::map<int, double> outer, inner;
      for (const int calls : {16, 32, 64}) {
        Set(judge, what, 16, 5000, calls);
        const Times times = judge.Call(60, Before::kWork);
        outer[calls] = Quantile(times.outer, 0.5);
        inner[calls] = Quantile(times.inner, 0.5);
        Row(absl::StrFormat("%s x %d%s", what == Do::kBatch ? "reads 16 MiB" : "spins 5 us", calls,
                            occupied ? ", behind a kernel of the judge" : "").c_str(), times);
      }
      Say("    slope 16-64: outer %.3f us, inner %.3f us a call", (outer[64] - outer[16]) / 48,
          (inner[64] - inner[16]) / 48);
    }
  }
  judge.before_go = nullptr;
  judge.KillRunner();
}

void Idle() {
  Judge& judge = Shared16();
  judge.StartRunner();
  Set(judge, Do::kNothing, 16);
  judge.Call(5, Before::kWork);
  std::vector<double> quiet, beside, flush_quiet, flush_beside;
  for (int i = 0; i < 50; ++i) quiet.push_back(judge.Sentinel(200));
  for (int i = 0; i < 50; ++i) flush_quiet.push_back(judge.Flush());
  Set(judge, Do::kPersist, 16);
  judge.CallOnce(Before::kWork);
  for (int i = 0; i < 50; ++i) beside.push_back(judge.Sentinel(200));
  for (int i = 0; i < 50; ++i) flush_beside.push_back(judge.Flush());
  judge.control().what = Do::kStopPersist;
  usleep(100'000);
  Say("  sentinel of 200 us: quiet %s, beside one persistent block %s", Spread(quiet).c_str(), Spread(beside).c_str());
  Say("  flush: quiet %s, beside it %s", Spread(flush_quiet).c_str(), Spread(flush_beside).c_str());
  judge.KillRunner();
}

void Stamps() {
  Stamp* stamps = nullptr;
  uint64_t* steps = nullptr;
  CHECK_CUDA(cudaMallocManaged(&stamps, sizeof(Stamp) * 2));
  CHECK_CUDA(cudaMallocManaged(&steps, sizeof(uint64_t) * 100'000));
  TimerSteps(steps, 100'000, nullptr);
  CHECK_CUDA(cudaDeviceSynchronize());
  std::map<uint64_t, int> differences;
  for (int i = 1; i < 100'000; ++i) ++differences[steps[i] - steps[i - 1]];
  for (const auto& [ns, times] : differences) {
    if (times > 50) Say("  %%globaltimer: consecutive readings differ by %d ns, %d times", ns, times);
  }
  for (const int64_t us : {2, 10, 50, 200}) {
    std::vector<double> mhz;
    for (int i = 0; i < 200; ++i) {
      TakeStamps(stamps, us * 1000, nullptr);
      CHECK_CUDA(cudaDeviceSynchronize());
      mhz.push_back(static_cast<double>(stamps[1].clock - stamps[0].clock) * 1e3 /
                    static_cast<double>(stamps[1].globaltimer_ns - stamps[0].globaltimer_ns));
    }
    Say("  SM clock from stamps %d us apart: %s MHz", us, Spread(mhz).c_str());
  }
  cudaEvent_t begin{}, end{};
  CHECK_CUDA(cudaEventCreate(&begin));
  CHECK_CUDA(cudaEventCreate(&end));
  const auto timed = [&](auto&& launch) {
    std::vector<double> us;
    for (int i = 0; i < 300; ++i) {
      SpinNs(132, 30'000, nullptr);  // everything is queued before it begins
      cudaEventRecord(begin);
      launch();
      cudaEventRecord(end);
      CHECK_CUDA(cudaDeviceSynchronize());
      float ms = 0;
      cudaEventElapsedTime(&ms, begin, end);
      us.push_back(static_cast<double>(ms) * 1e3);
    }
    return us;
  };
  Say("  event pair around nothing %s us, an empty kernel %s us", Spread(timed([] {})).c_str(),
      Spread(timed([] { Nothing(nullptr); })).c_str());
  std::map<double, int> values;
  for (const double us : timed([] { SpinNs(132, 5000, nullptr); })) ++values[us];
  std::string seen;
  for (const auto& [us, times] : values) seen += absl::StrFormat(" %.3f:%d", us, times);
  Say("  event values around a spin of 5 us:%s", seen);
  for (const int64_t us : {5, 20, 100, 1000, 10'000}) {
    const std::vector<double> spun = timed([=] { SpinNs(132, us * 1000, nullptr); });
    Say("  spin of %d us by %%globaltimer: %s us", us, Spread(spun).c_str());
  }
  for (const int64_t cycles : {10'000, 100'000, 1'000'000}) {
    const std::vector<double> spun = timed([=] { SpinCycles(132, cycles, nullptr); });
    Say("  spin of %d cycles: %s us, %.2f MHz", cycles, Spread(spun).c_str(),
        static_cast<double>(cycles) / Quantile(spun, 0.5));
  }
  cudaFree(stamps);
  cudaFree(steps);
}

// Seconds until `n` processes, `together` or one after the other, had a context
// and left.
double ContextLives(int n, bool together) {
  const std::string self = support::ProgramDirectory() + "/feasibility";
  const double begin = NowUs();
  for (int i = 0; i < n; ++i) {
    const pid_t pid = fork();
    if (pid == 0) {
      execl(self.c_str(), self.c_str(), "--context", nullptr);
      _exit(1);
    }
    if (!together) waitpid(pid, nullptr, 0);
  }
  while (together && waitpid(-1, nullptr, 0) > 0) {
  }
  return (NowUs() - begin) * 1e-6;
}

void Lives() {
  Say("  one process with a context: %.3f s; 8 in a row: %.3f s; 8 together: %.3f s", ContextLives(1, false),
      ContextLives(8, false), ContextLives(8, true));
  Judge& judge = Shared16();
  std::vector<double> starts, kills;
  for (int i = 0; i < 5; ++i) {
    const double begin = NowUs();
    judge.StartRunner();
    starts.push_back((NowUs() - begin) * 1e-3);
    Set(judge, Do::kRead, 16);
    judge.Call(3, Before::kWork);
    const double kill = NowUs();
    judge.KillRunner();
    kills.push_back((NowUs() - kill) * 1e-3);
  }
  Say("  a runner in its sandbox, until it is ready: %s ms; killed and gone: %s ms", Spread(starts).c_str(),
      Spread(kills).c_str());
  for (int i = 0; i < 3; ++i) {
    judge.StartRunner();
    Set(judge, Do::kHang, 16);
    const double outer = judge.CallOnce(Before::kWork, 50'000);
    const double kill = NowUs();
    judge.KillRunner();
    const double killed = NowUs();
    const double work = judge.Work();
    judge.StartRunner();
    const double ready = NowUs();
    Set(judge, Do::kRead, 16);
    judge.Call(1, Before::kWork);
    Say("  hung (%.0f): killed in %.0f ms, the judge's next work %.1f ms, a runner ready after %.0f ms, "
        "its first calls %.0f ms", outer, (killed - kill) * 1e-3, work * 1e-3, (ready - killed) * 1e-3,
        (NowUs() - ready) * 1e-3);
    judge.KillRunner();
  }
}

void Memory() {
  const double begin = NowUs();
  std::vector<Shared> many;
  for (int i = 0; i < 100; ++i) many.push_back(MakeShared(2 * kMi));
  const double made = NowUs();
  for (const Shared& one : many) {
    cuMemUnmap(one.at, static_cast<size_t>(one.bytes));
    close(one.fd);
  }
  Say("  100 shared objects of 2 MiB: %.1f us each to make", (made - begin) / 100);
  for (const int64_t gib : {1, 8, 32}) {
    const double start = NowUs();
    const Shared one = MakeShared(gib * 1024 * kMi);
    Say("  one of %d GiB: %.1f ms", gib, (NowUs() - start) * 1e-3);
    cuMemUnmap(one.at, static_cast<size_t>(one.bytes));
    close(one.fd);
  }
  Judge& judge = Shared16();
  for (const Do what : {Do::kPoke, Do::kUpgradePoke, Do::kReset}) {
    judge.StartRunner();
    Set(judge, what, 16);
    const double outer = judge.CallOnce(Before::kWork, 3e6);
    const char* title = what == Do::kPoke ? "writes to an input" : what == Do::kReset ? "resets the device"
                                                                    : "upgrades the mapping, then writes";
    Say("  runner %s: error %d (%s), %.0f us; the judge's work after it: %.0f us", title, judge.control().error,
        cudaGetErrorName(static_cast<cudaError_t>(judge.control().error)), outer, judge.Work());
    judge.KillRunner();
  }
}

// ncu around the runner, inside the sandbox, on memory that it imported.
void Ncu() {
  Judge& judge = Shared16();
  std::string ncu = std::getenv("NCU") != nullptr ? std::getenv("NCU") : "/usr/local/cuda/bin/ncu";
  ncu = std::filesystem::canonical(ncu).string();
  judge.StartRunner({ncu, "--clock-control", "none", "--launch-skip", "4", "--launch-count", "1", "--kernel-name",
                     "regex:Read", "--metrics", "dram__bytes_read.sum,gpu__time_duration.sum"});
  Set(judge, Do::kRead, 16);
  for (int i = 0; i < 8; ++i) judge.CallOnce(Before::kWork, 20e6);
  judge.control().what = Do::kLeave;
  const double begin = NowUs();
  judge.CallOnce(Before::kNothing, 3e6);
  Say("  left after %.1f s; it printed:\n%s", (NowUs() - begin) * 1e-6, judge.runner_log);
  judge.KillRunner();
}

const std::map<std::string, void (*)()> kSections = {
    {"handover", Handover}, {"gap", Gap},     {"gate", Gate}, {"slope", Slope},   {"idle", Idle},
    {"stamps", Stamps},     {"lives", Lives}, {"memory", Memory},
    {"ncu", Ncu},         {"confine", Confine},
};

int Main(const std::vector<std::string>& wanted) {
  CHECK_CUDA(cudaFree(nullptr));
  cudaDeviceProp device{};
  CHECK_CUDA(cudaGetDeviceProperties(&device, 0));
  int driver = 0;
  cudaDriverGetVersion(&driver);
  Say("%s, CUDA driver %d, %d SMs, L2 %d MiB; medians (p5-p95), us", device.name, driver, device.multiProcessorCount,
      device.l2CacheSize >> 20);
  for (const auto& [name, section] : kSections) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) continue;
    Say("%s", "== " + name);
    try {
      section();
    } catch (const Failure& failure) {
      Say("  FAILED: %s", failure.what());
    }
  }
  return 0;
}

}  // namespace
}  // namespace kernelopt::feasibility

int main(int argc, char** argv) {
  namespace f = kernelopt::feasibility;
  if (argc > 1 && std::strcmp(argv[1], "--runner") == 0) return f::RunnerMain();
  if (argc > 2 && std::strcmp(argv[1], "--confined") == 0) return f::ConfinedMain(argv[2]);
  if (argc > 1 && std::strcmp(argv[1], "--context") == 0) return cudaFree(nullptr) == cudaSuccess ? 0 : 1;
  return f::Main(std::vector<std::string>(argv + 1, argv + argc));
}
