// Ten minutes of ten jobs a second through a real daemon: does it grow?
//
//   soak [--minutes=10] [--rate=10] [--warm=5000]
//
// Prints resident memory and open descriptors of the daemon each minute, after
// so many jobs at full speed: they fill SQLite's page caches, 2 MB for each of
// five connections, which is no growth that goes on.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "client/lib/client.h"
#include "harness/daemon.h"
#include "harness/fake_worker.h"
#include "harness/spec.h"
#include "support/clock.h"

namespace kernelopt::test {
namespace {

struct Size {
  long rss_kib = 0;
  int fds = 0;
};

Size SizeOf(pid_t pid) {
  Size size;
  const std::string status = ReadText("/proc/" + std::to_string(pid) + "/status");
  size.rss_kib = std::atol(status.c_str() + status.find("VmRSS:") + 6);
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd")) {
    size.fds += entry.path().empty() ? 0 : 1;
  }
  return size;
}

int Run(double minutes, double rate, int warm) {
  TestDaemon daemon({"workers.devices=", "limits.queued_jobs=0", "limits.submissions_per_minute=0"});
  client::Client client(daemon.socket());
  FakeWorker worker({.socket = daemon.socket(), .token_file = daemon.directory() + "/worker.token"});
  const v1::JobSpec spec = SmallSpec(client);
  int64_t made = 0;
  const auto job = [&] {
    if (Create(client, spec).ok()) ++made;
    // What people do meanwhile: look, and follow with a client of their own.
    if (made % 50 == 0) daemon.Koptctl({"status"});
    if (made % 70 == 0) daemon.Koptctl({"list"});
  };
  while (made < warm) job();
  while (worker.finished() < made) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const Size first = SizeOf(daemon.pid());
  const double begin = support::MonotonicSeconds();
  double told = 0;
  for (double now = 0; now < minutes * 60; now = support::MonotonicSeconds() - begin) {
    job();
    if (now - told >= 60) {
      told = now;
      std::printf("%.0f min: RSS %ld KiB\n", now / 60, SizeOf(daemon.pid()).rss_kib);
    }
    const double next = begin + static_cast<double>(made - warm) / rate;
    std::this_thread::sleep_for(std::chrono::duration<double>(std::max(0.0, next - support::MonotonicSeconds())));
  }
  const Size last = SizeOf(daemon.pid());
  std::printf("%.0f min after %d jobs: %lld jobs made, %lld finished: RSS %ld -> %ld KiB (%+.1f %%), descriptors %d -> %d\n",
              minutes, warm, static_cast<long long>(made), static_cast<long long>(worker.finished()), first.rss_kib,
              last.rss_kib, 100.0 * static_cast<double>(last.rss_kib - first.rss_kib) / static_cast<double>(first.rss_kib),
              first.fds, last.fds);
  return 0;
}

}  // namespace
}  // namespace kernelopt::test

int main(int argc, char** argv) {
  double minutes = 10, rate = 10;
  int warm = 5000;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--minutes=", 0) == 0) minutes = std::atof(argument.c_str() + 10);
    if (argument.rfind("--rate=", 0) == 0) rate = std::atof(argument.c_str() + 7);
    if (argument.rfind("--warm=", 0) == 0) warm = std::atoi(argument.c_str() + 7);
  }
  return kernelopt::test::Run(minutes, rate, warm);
}
