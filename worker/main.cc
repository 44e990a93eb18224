// kernelopt-worker: serves one device. See worker/README.md.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <thread>

#include "absl/strings/str_cat.h"
#include "agent/idle.h"
#include "agent/job_runner.h"
#include "agent/session.h"
#include "device/open.h"
#include "spdlog/spdlog.h"
#include "support/capability.h"
#include "support/log.h"
#include "support/notify.h"
#include "support/ids.h"
#include "support/sha256.h"
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

// What the reference can do is asked of a process inside the sandbox, where it
// matters.
void ProbeReference(Bench& bench, v1::Device& device) {
  auto reference = Reference::Start(bench.device, bench.reference);
  const auto host = reference.ok() ? (*reference)->WaitReady()
                                   : absl::StatusOr<ReferenceHost>(reference.status());
  if (!host.ok()) {
    *device.add_capabilities() =
        kernelopt::support::Capable("reference.python", false,
            absl::StrCat(std::string(host.status().message()), "; apt-get install python3-numpy"));
    return;
  }
  const bool torch = host->framework.rfind("torch", 0) == 0;
  *device.add_capabilities() = kernelopt::support::Capable("reference.python", true, host->framework);
  *device.add_capabilities() =
      kernelopt::support::Capable("reference.torch", torch,
          torch ? host->framework : "not installed (apt-get install python3-torch) or switched off");
  *device.add_capabilities() =
      kernelopt::support::Capable("baseline.torch-compile", host->torch_compile,
          host->torch_compile ? "" : "needs PyTorch >= 2");
  *device.add_capabilities() = kernelopt::support::Capable("baseline.flashinfer", host->flashinfer,
                                   host->flashinfer ? "" : "FlashInfer is not installed");
}

v1::Device Describe(Bench& bench, const SandboxReport& sandbox) {
  v1::Device device;
  device.set_name("devices/" + bench.device.id());
  device.set_model(bench.device.model());
  *device.add_capabilities() =
      kernelopt::support::Capable("sandbox", sandbox.level != SandboxLevel::kNone,
          absl::StrCat(std::string(SandboxLevelName(sandbox.level)), ": ", sandbox.detail));
  for (const v1::Capability& capability : bench.device.Probe()) *device.add_capabilities() = capability;
  *device.add_capabilities() = kernelopt::support::Capable(bench.device.arch().empty() ? "compiler.cpp" : "compiler.cuda", true, bench.compiler.version());
  if (sandbox.level != SandboxLevel::kNone) ProbeReference(bench, device);
  if (bench.device.id() == "host") *device.add_capabilities() = CudaCapability();
  return device;
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
  const auto opened = OpenDevice(flags.device, config.Integer("worker.max_buffer_bytes"));
  if (!opened.ok()) {
    spdlog::error("{}: {}", flags.device, std::string(opened.status().message()));
    return 1;
  }
  Device* const device = opened->get();
  const SandboxReport sandbox = ProbeSandbox();
  CompilerOptions compiler_options;
  if (!device->arch().empty()) {
    compiler_options.toolchain =
        CudaToolchain(config.Text("worker.nvcc"), device->arch(), config.Text("worker.host_compiler"));
  }
  compiler_options.cache_directory = state + "/cache";
  compiler_options.work_directory = state + "/work";
  compiler_options.cache_bytes = config.Integer("worker.cache_bytes");
  compiler_options.address_bytes = config.Integer("worker.build_bytes");
  compiler_options.timeout = std::chrono::seconds(config.Integer("worker.build_seconds"));
  const auto compiler = Compiler::Find(compiler_options);
  auto spool = Spool::Open(state + "/spool");
  if (!compiler.ok() || !spool.ok()) {
    spdlog::error("{} {}", std::string(compiler.status().message()),
                  std::string(spool.status().message()));
    return 1;
  }
  const std::string here = kernelopt::support::ProgramDirectory();
  Bench bench{*device, *compiler};
  bench.runner.program = here + "/kopt-runner";
  bench.runner.address_bytes = config.Integer("worker.kernel_bytes");
  Spares spares(*device, bench.runner, static_cast<int>(config.Integer("worker.spare_runners")));
  bench.spares = &spares;
  bench.reference.python = config.Text("worker.python");
  bench.reference.scripts = here;
  bench.reference.wire_library = here + "/libkopt_wire.so";
  bench.reference.torch = config.Text("worker.torch") != "off";
  bench.reference.call_timeout = std::chrono::seconds(config.Integer("worker.reference_seconds"));
  bench.runner.workspace_bytes = config.Integer("worker.workspace_bytes");
  bench.busy_seconds = config.Real("worker.busy_seconds");
  bench.oracle_seconds = config.Real("worker.oracle_seconds");
  bench.compare.same_within = config.Real("worker.same_within");
  const std::string kind = device->clock() == Clock::kEvents ? "worker.gpu_" : "worker.";
  bench.compare.assumed = {config.Real(kind + "noise_floor"), config.Real(kind + "process_noise"), 0};
  if (device->clock() == Clock::kEvents) bench.compare.process_noise_us = config.Real("worker.gpu_process_noise_us");
  const std::string machine = absl::StrCat(device->id(), ": ", device->model());
  bench.sandbox_level = std::string(SandboxLevelName(sandbox.level));
  Idle idle(bench, state + "/noise.json", machine, config.Text("worker.measure_noise") != "off");
  bench.runner_digest = kernelopt::support::Sha256Hex(
      kernelopt::support::ReadFile(bench.runner.program).value_or(""));

  SessionOptions options;
  options.socket = flags.socket;
  options.token_file = flags.token_file;
  options.device = Describe(bench, sandbox);
  options.orphan_seconds = config.Real("worker.exit_when_orphaned_seconds");
  Session session(options, *std::move(spool));

  // A signal lets the present job finish; a second one does not wait.
  std::thread([&session] {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
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
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return Serve(flags, config);
}
