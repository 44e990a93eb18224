// kernelopt-worker: serves one device. See worker/README.md.
#include <signal.h>
#include <time.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "absl/strings/str_cat.h"
#include "agent/idle.h"
#include "agent/job_runner.h"
#include "agent/session.h"
#include "build/cutlass.h"
#include "device/last_words.h"
#include "device/open.h"
#include "device/self_test.h"
#include "sandbox/uid_pool.h"
#include "spdlog/spdlog.h"
#include "support/log.h"
#include "support/notify.h"
#include "support/ids.h"
#include "support/sha256.h"
#include "worker/describe.h"
#include "worker/find_python.h"
#include "worker/settings.h"

namespace {

using kernelopt::support::Config;
using namespace kernelopt::worker;  // NOLINT: this is the worker's main file
namespace v1 = kernelopt::v1;

struct Flags {
  std::string device = "host", socket, token_file, state, config;
  std::vector<std::string> set;
};

absl::Status Load(const Flags& flags, Config& config) {
  if (!flags.config.empty()) {
    if (absl::Status s = config.LoadFile(flags.config); !s.ok()) return s;
  }
  const std::vector<std::string> others = {"KOPT_SOCKET", "KOPT_CLIENT_", "KOPT_STATE_",
                                           "KOPT_SERVER_", "KOPT_AUTH_", "KOPT_QUEUE_",
                                           "KOPT_LIMITS_", "KOPT_BLOBS_", "KOPT_WORKERS_",
                                           "KOPT_LOG_"};
  if (absl::Status s = config.LoadEnvironment(environ, others); !s.ok()) return s;
  if (!flags.state.empty()) {
    if (absl::Status s = config.SetFlag("worker.state_directory=" + flags.state); !s.ok()) return s;
  }
  for (const std::string& assignment : flags.set) {
    if (absl::Status s = config.SetFlag(assignment); !s.ok()) return s;
  }
  return absl::OkStatus();
}

std::string CutlassPath(const Config& config, const std::string& python) {
  if (!config.Text("worker.cutlass").empty()) return config.Text("worker.cutlass");
  const char* path = std::getenv("CUTLASS_PATH");
  return path != nullptr ? path : PackagedCutlass(python);
}

CompilerOptions CompilerOptionsOf(const Config& config, const Device& device, const absl::StatusOr<Cutlass>& cutlass) {
  CompilerOptions options;
  if (!device.arch().empty()) {
    options.toolchain = CudaToolchain(config.Text("worker.nvcc"), device.arch(), config.Text("worker.host_compiler"));
    if (cutlass.ok()) AddCutlass(*cutlass, options.toolchain);
  }
  options.cache_directory = config.Text("worker.state_directory") + "/cache";
  options.work_directory = config.Text("worker.state_directory") + "/work";
  options.cache_bytes = config.Integer("worker.cache_bytes");
  options.address_bytes = config.Integer("worker.build_bytes");
  options.timeout = std::chrono::seconds(config.Integer("worker.build_seconds"));
  return options;
}

PythonOptions PythonOptionsOf(const Config& config) {
  const std::string here = kernelopt::support::ProgramDirectory();
  PythonOptions options;
  options.scripts = here;
  options.anchor = config.Text("worker.zygote") == "off" ? "" : here + "/kopt-runner";
  options.wire_library = here + "/libkopt_wire.so";
  options.host_compiler = config.Text("worker.host_compiler");
  options.torch = config.Text("worker.torch") != "off";
  options.call_timeout = std::chrono::seconds(config.Integer("worker.reference_seconds"));
  return options;
}

// What the judge goes by, as far as settings say.
void SetUp(const Config& config, Bench& bench) {
  bench.runner.program = kernelopt::support::ProgramDirectory() + "/kopt-runner";
  bench.runner.address_bytes = config.Integer("worker.kernel_bytes");
  bench.runner.workspace_bytes = config.Integer("worker.workspace_bytes");
  bench.runner_digest = kernelopt::support::Sha256Hex(kernelopt::support::ReadFile(bench.runner.program).value_or(""));
  bench.ahead.arch = bench.device.arch();
  bench.ahead.directory = config.Text("worker.state_directory") + "/ahead";
  std::error_code error;
  std::filesystem::create_directories(bench.ahead.directory, error);  // without it nothing is kept
  bench.ahead.max_bytes = config.Integer("worker.cache_bytes");
  bench.ahead.seconds = config.Integer("worker.ahead_seconds");
  bench.busy_seconds = config.Real("worker.busy_seconds");
  bench.oracle_seconds = config.Real("worker.oracle_seconds");
  bench.compare.same_within = config.Real("worker.same_within");
  const bool events = bench.device.clock() == Clock::kEvents;
  const std::string kind = events ? "worker.gpu_" : "worker.";
  bench.compare.assumed = {config.Real(kind + "noise_floor"), config.Real(kind + "process_noise"), 0};
  if (events) bench.compare.process_noise_us = config.Real("worker.gpu_process_noise_us");
}

sigset_t EndSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

SessionOptions SessionOptionsOf(const Flags& flags, const Config& config, v1::Device device) {
  SessionOptions options;
  options.socket = flags.socket;
  options.token_file = flags.token_file;
  options.device = std::move(device);
  options.orphan_seconds = config.Real("worker.exit_when_orphaned_seconds");
  return options;
}

absl::StatusOr<std::unique_ptr<Device>> OpenSound(const Flags& flags, const Config& config) {
  const std::string words_file = config.Text("worker.state_directory") + "/last_words";
  const std::string words = TakeLastWords(words_file);
  if (!words.empty()) return absl::InternalError(words);
  KeepLastWords(words_file);
  auto device = OpenDevice(flags.device, config.Integer("worker.max_buffer_bytes"));
  if (!device.ok()) return device;
  if (absl::Status s = SelfTest(**device); !s.ok()) return s;
  KeepLastWords("");  // from here on a new process is the cure
  return device;
}

// Nothing can be done here: the server is told why, so that people see it. Takes
// no jobs, and ends after a while: a new process looks again.
int TellFault(const Flags& flags, const Config& config, Spool spool, const absl::Status& status) {
  constexpr size_t kLongest = 400;
  const std::string said(status.message());
  const std::string why = kernelopt::support::ValidUtf8(said.substr(0, std::min(kLongest, said.find('\n'))));
  spdlog::error("{}: {}", flags.device, said);
  v1::Device device;
  device.set_name("devices/" + flags.device);
  device.set_fault(why);
  const Session session(SessionOptionsOf(flags, config, device), std::move(spool));
  kernelopt::support::NotifySystemd("READY=1");
  const double wait = config.Real("worker.retry_seconds");
  timespec time{};
  time.tv_sec = static_cast<time_t>(wait);
  time.tv_nsec = static_cast<long>((wait - static_cast<double>(time.tv_sec)) * 1e9);
  const sigset_t signals = EndSignals();
  return sigtimedwait(&signals, nullptr, &time) > 0 ? 0 : 1;
}

int Serve(const Flags& flags, const Config& config) {
  const std::string state = config.Text("worker.state_directory");
  const std::string locks = config.Text("worker.lock_directory");
  if (absl::Status s = kernelopt::support::MakeDirectories(locks, 0755); !s.ok()) {
    spdlog::error("{}", std::string(s.message()));
    return 1;
  }
  const auto lock = kernelopt::support::LockFile(
      absl::StrCat(locks, "/device-", flags.device, ".lock"),
      absl::StrCat("kernelopt-worker pid ", getpid()));
  if (!lock.ok()) {
    spdlog::error("{}", std::string(lock.status().message()));
    return 1;
  }
  auto spool = Spool::Open(state + "/spool");
  if (!spool.ok()) {
    spdlog::error("{}", std::string(spool.status().message()));
    return 1;
  }
  const auto opened = OpenSound(flags, config);
  if (!opened.ok()) return TellFault(flags, config, *std::move(spool), opened.status());
  Device* const device = opened->get();
  if (const int ended = EndOrphans(); ended > 0) spdlog::warn("{} processes of a worker that was killed were still there", ended);
  const SandboxReport sandbox = ProbeSandbox();
  PythonOptions options = PythonOptionsOf(config);
  FoundPython python;
  if (sandbox.level != SandboxLevel::kNone) {
    python = FindPython(*device, options, config.Text("worker.python"));
    options.python = python.python;
    options.zygote = python.zygote;
  }
  // Reads all of its headers, which only a GPU's solutions use.
  const auto cutlass = FindCutlass(device->arch().empty() ? "" : CutlassPath(config, options.python));
  const auto compiler = Compiler::Find(CompilerOptionsOf(config, *device, cutlass));
  if (!compiler.ok()) return TellFault(flags, config, *std::move(spool), compiler.status());
  Bench bench{*device, *compiler};
  SetUp(config, bench);
  bench.sandbox_level = std::string(SandboxLevelName(sandbox.level));
  bench.python = options;
  Spares spares(*device, bench.runner, bench.python, static_cast<int>(config.Integer("worker.spare_runners")));
  bench.spares = &spares;
  const std::string machine = absl::StrCat(device->id(), ": ", device->model());
  Idle idle(bench, state + "/noise.json", machine, config.Text("worker.measure_noise") != "off");

  Session session(SessionOptionsOf(flags, config, Describe(bench, sandbox, cutlass, python)), *std::move(spool));

  // A signal lets the present job finish; a second one does not wait.
  std::thread([&session] {
    const sigset_t signals = EndSignals();
    for (int received = 0, count = 0; sigwait(&signals, &received) == 0; ++count) {
      if (count > 0) _exit(1);
      spdlog::info("stopping after the present job (signal {})", received);
      session.Quit();
    }
  }).detach();

  // This thread spawns every sandbox, so it must outlive them all.
  JobRunner runner(session, bench, static_cast<size_t>(config.Integer("worker.warm_references")),
                   config.Text("worker.runner_reuse") == "same-run");
  runner.MakeSpares();
  kernelopt::support::NotifySystemd("READY=1");
  const auto patience = std::chrono::milliseconds(static_cast<int64_t>(config.Real("worker.idle_seconds") * 1e3));
  for (;;) {
    while (!session.WaitForLease(patience)) idle.Use([&session] { return session.LeaseWaits(); });
    const auto grant = session.NextLease();
    if (!grant) return 0;
    runner.Run(*grant);
    // The result is on disk and no lease is held: a new process hands it over, and
    // tells what is wrong, or finds that nothing is.
    if (absl::Status s = SelfTest(*device); !s.ok()) {
      spdlog::error("{}", std::string(s.message()));
      return 1;
    }
    runner.MakeSpares();
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"kernelopt-worker: runs the jobs of one device"};
  Flags flags;
  app.add_option("--device", flags.device, "device to serve: host, GPU-<uuid>");
  app.add_option("--socket", flags.socket, "socket of kernelopt-d")->required();
  app.add_option("--token-file", flags.token_file, "worker.token of the daemon")->required();
  app.add_option("--state", flags.state, "spool, cache and work folders");
  app.add_option("--config", flags.config, "TOML settings");
  app.add_option("--set", flags.set, "any setting, as key=value; may be repeated");
  app.set_version_flag("--version", KOPT_VERSION);
  CLI11_PARSE(app, argc, argv);

  kernelopt::support::StartLog("kernelopt-worker");
  Config config(WorkerSettings());
  if (absl::Status s = Load(flags, config); !s.ok()) {
    std::fprintf(stderr, "kernelopt-worker: %s\n", std::string(s.message()).c_str());
    return 2;
  }
  spdlog::set_level(spdlog::level::from_str(config.Text("worker.log_level")));
  if (absl::Status s = kernelopt::support::SetLogFormat(config.Text("worker.log_format")); !s.ok()) {
    std::fprintf(stderr, "kernelopt-worker: %s\n", std::string(s.message()).c_str());
    return 2;
  }
  umask(022);
  prctl(PR_SET_TIMERSLACK, 1000UL);
  signal(SIGPIPE, SIG_IGN);
  const sigset_t signals = EndSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return Serve(flags, config);
}
