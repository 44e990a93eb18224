// What a sandbox keeps in and out, looked at from inside and from outside.
#include "absl/strings/str_cat.h"
#include "sandbox/sandbox.h"

#include <gtest/gtest.h>

#include <optional>
#include <sys/wait.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mutex>
#include <thread>

#include "harness/soon.h"
#include "sandbox/uid_pool.h"
#include "support/clock.h"

namespace kernelopt::worker {
namespace {

struct Outcome {
  SandboxEnd end;
  std::string output;
  bool late = false;
};

Outcome RunShell(SandboxSpec spec, const std::string& script, double seconds = 20) {
  Outcome outcome;
  std::mutex mutex;
  spec.arguments = {"/bin/sh", "-c", script};
  spec.log = [&](std::string_view text) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (outcome.output.size() < 1 << 20) outcome.output.append(text);
  };
  auto sandbox = Sandbox::Spawn(spec);
  EXPECT_TRUE(sandbox.ok()) << sandbox.status();
  if (!sandbox.ok()) return outcome;
  const auto end = (*sandbox)->Wait(std::chrono::milliseconds(static_cast<int>(seconds * 1000)));
  outcome.late = !end.ok();
  if (end.ok()) outcome.end = *end;
  sandbox->reset();
  return outcome;
}

Outcome RunShell(const std::string& script, SeccompProfile profile = SeccompProfile::kCompiler,
                 SandboxLimits limits = {}, double seconds = 20) {
  SandboxSpec spec;
  spec.seccomp = profile;
  spec.limits = limits;
  return RunShell(std::move(spec), script, seconds);
}

TEST(Sandbox, HasNoCapabilityAFilterAndNoNewPrivileges) {
  const Outcome o = RunShell("grep -E '^(Cap...|Seccomp|NoNewPrivs):' /proc/self/status");
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    EXPECT_NE(o.output.find(std::string(set) + ":\t0000000000000000"), std::string::npos) << set << o.output;
  }
  EXPECT_NE(o.output.find("Seccomp:\t2"), std::string::npos);
  EXPECT_NE(o.output.find("NoNewPrivs:\t1"), std::string::npos);
}

TEST(Sandbox, SeesOnlyItsOwnProcesses) {
  const Outcome o = RunShell("ls -d /proc/[0-9]* | wc -l");
  EXPECT_LE(std::atoi(o.output.c_str()), 5) << o.output;
  EXPECT_EQ(RunShell("ls /proc/" + std::to_string(getpid()) + "/comm").output.find("test"), std::string::npos);
}

TEST(Sandbox, RunsUnderAUidOfItsOwnSeenFromOutside) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root for the uid pool";
  SandboxSpec spec;
  spec.arguments = {"/bin/sleep", "5"};
  spec.seccomp = SeccompProfile::kCompiler;
  auto a = Sandbox::Spawn(spec), b = Sandbox::Spawn(spec);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_GE((*a)->uid(), kUidPoolFirst);
  EXPECT_NE((*a)->uid(), (*b)->uid());
}

TEST(Sandbox, CannotWriteTheSystemNorReadWhatIsRoots) {
  EXPECT_NE(RunShell("touch /usr/x").end.code, 0);
  EXPECT_NE(RunShell("mount -o remount,rw /usr").end.code, 0);
  EXPECT_NE(RunShell("cat /etc/shadow /root/.bashrc").end.code, 0);
  EXPECT_NE(RunShell("ls /home /var /root").end.code, 0);
}

TEST(Sandbox, HasNoNetworkAndNoSockets) {
  const Outcome o = RunShell(
      "/usr/bin/python3 -c 'import socket\ntry:\n socket.socket()\n print(\"made\")\nexcept PermissionError: print(\"refused\")'");
  EXPECT_NE(o.output.find("refused"), std::string::npos) << o.output;
}

TEST(Sandbox, RefusesForksToARunner) {
  const Outcome o = RunShell("/bin/true; echo forked", SeccompProfile::kRunner);
  EXPECT_EQ(o.output.find("forked"), std::string::npos) << o.output;
}

TEST(Sandbox, AForkBombEndsAtItsOwnLimit) {
  if (geteuid() != 0) GTEST_SKIP() << "process limits need a uid of one's own";
  SandboxLimits limits;
  limits.processes = 40;
  const Outcome o = RunShell("bomb() { bomb | bomb & }; bomb; sleep 1; echo survived", SeccompProfile::kCompiler, limits, 8);
  SUCCEED() << o.output;
  EXPECT_EQ(RunShell("echo fine").output, "fine\n");
}

TEST(Sandbox, MemoryAndFileLimitsHold) {
  SandboxLimits limits;
  limits.address_bytes = 512 << 20;
  limits.file_bytes = 1 << 20;
  EXPECT_NE(RunShell("/usr/bin/python3 -c 'x = bytearray(1 << 30)'", SeccompProfile::kCompiler, limits).end.code, 0);
  EXPECT_NE(RunShell("head -c 2000000 /dev/zero > /tmp/big", SeccompProfile::kCompiler, limits).end.code, 0);
  EXPECT_EQ(RunShell("head -c 200000 /dev/zero > /tmp/small", SeccompProfile::kCompiler, limits).end.code, 0);
}

TEST(Sandbox, EndsAreTold) {
  EXPECT_EQ(RunShell("exit 7").end.code, 7);
  EXPECT_FALSE(RunShell("exit 7").end.signalled);
  const Outcome killed = RunShell("kill -SEGV $$");
  EXPECT_TRUE(killed.end.signalled);
  EXPECT_EQ(killed.end.code, SIGSEGV);
}

TEST(Sandbox, NothingSurvivesTheKillEvenWhenItHidesInItsOwnSession) {
  SandboxSpec spec;
  spec.arguments = {"/bin/sh", "-c", "setsid sleep 1234 & setsid sleep 1234 & trap '' TERM INT; sleep 1234"};
  spec.seccomp = SeccompProfile::kCompiler;
  auto sandbox = Sandbox::Spawn(spec);
  ASSERT_TRUE(sandbox.ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  (*sandbox)->Kill();
  EXPECT_FALSE((*sandbox)->Alive());
  EXPECT_NE(std::system("pgrep -x -f 'sleep 1234' > /dev/null"), 0);
}

// What a GPU's driver needs and nobody else gets.
TEST(Sandbox, LetsInNodesAndCallsOnlyWhereTheSpecSaysSo) {
  const std::string node = "/dev/loop-control", script = "test -e " + node + " && echo node; "
      "python3 -c 'import socket; socket.socket(socket.AF_UNIX); print(\"socket\")' 2>&1; "
      "python3 -c 'import os; os.memfd_create(\"x\"); print(\"memfd\")' 2>&1";
  SandboxSpec spec;
  spec.seccomp = SeccompProfile::kCompiler;
  const std::string closed = RunShell(spec, script).output;
  spec.allowed_calls = {"socket"};
  if (access(node.c_str(), F_OK) == 0) spec.devices = {node};
  const std::string open = RunShell(spec, script).output;
  EXPECT_EQ(closed.find("socket\n"), std::string::npos) << closed;
  EXPECT_EQ(closed.find("node\n"), std::string::npos) << closed;
  EXPECT_NE(open.find("socket\n"), std::string::npos) << open;
  EXPECT_EQ(open.find("memfd\n"), std::string::npos) << "only what was named: " << open;
  EXPECT_EQ(open.find("node\n") != std::string::npos, !spec.devices.empty()) << open;
}

TEST(Sandbox, AFloodOfOutputIsDrained) {
  const Outcome o = RunShell("head -c 50000000 /dev/zero", SeccompProfile::kCompiler, {}, 30);
  EXPECT_FALSE(o.late);
  EXPECT_EQ(o.end.code, 0);
}

TEST(Payload, IsPinned) {
  std::mutex mutex;
  std::string said;
  SandboxSpec spec;
  spec.arguments = {"/bin/sh", "-c", "while sleep 0.02; do grep Cpus_allowed_list /proc/self/status; done"};
  spec.seccomp = SeccompProfile::kCompiler;
  spec.log = [&](std::string_view text) {
    const std::lock_guard<std::mutex> lock(mutex);
    said = text;
  };
  auto sandbox = Sandbox::Spawn(spec);
  ASSERT_TRUE(sandbox.ok()) << sandbox.status();
  cpu_set_t mine;
  ASSERT_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
  size_t last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &mine)) --last;
  auto payload = (*sandbox)->payload();
  test::Soon([&] { return (payload = (*sandbox)->payload()).ok(); });
  ASSERT_TRUE(payload.ok()) << payload.status();
  ASSERT_TRUE((*payload)->PinTo(static_cast<int>(last)).ok());
  const std::string wanted = "Cpus_allowed_list:\t" + std::to_string(last) + "\n";
  EXPECT_TRUE(test::Soon([&] {
    const std::lock_guard<std::mutex> lock(mutex);
    return said.ends_with(wanted);
  })) << said;
}

// Bug: a process whose first thread has ended looks like one that waits for its parent to ask, and was not counted; a
// helper like that worked while the solution stood still.
TEST(Payload, CountsAProcessThatLooksLikeAZombie) {
  std::mutex mutex;
  std::string said;
  SandboxSpec spec;
  spec.arguments = {"/usr/bin/python3", "-c",
                    "import ctypes, os, threading, time\n"
                    "if os.fork() == 0:\n"
                    "    threading.Thread(target=lambda: time.sleep(60)).start()\n"
                    "    ctypes.CDLL(None).syscall(60, 0)\n"  // exit of this thread alone
                    "time.sleep(0.5)\n"
                    "print('there', flush=True)\n"
                    "time.sleep(60)\n"};
  spec.seccomp = SeccompProfile::kCompiler;
  spec.log = [&](std::string_view text) {
    const std::lock_guard<std::mutex> lock(mutex);
    said += text;
  };
  auto sandbox = Sandbox::Spawn(spec);
  ASSERT_TRUE(sandbox.ok()) << sandbox.status();
  ASSERT_TRUE(test::Soon([&] {
    const std::lock_guard<std::mutex> lock(mutex);
    return said.find("there") != std::string::npos;
  })) << said;
  const auto payload = (*sandbox)->payload();
  ASSERT_TRUE(payload.ok()) << payload.status();
  const auto census = (*payload)->Count();
  ASSERT_TRUE(census.ok()) << census.status();
  EXPECT_EQ(census->processes, 2);
}

// Bug: a thread shows state T a moment before it has left its CPU, and what it
// ran since the last tick was booked after the clock was read. Honest
// subjects were accused of having worked while they stood still. Bug again: where
// the host takes the virtual CPU away for more than a millisecond, the state was
// believed although the kernel said that the thread had not left its CPU.
TEST(Payload, ShowsNoCpuTimeBetweenFreezeAndThaw) {
  SandboxSpec spec;
  spec.arguments = {"/bin/sh", "-c", "exec dd if=/dev/zero of=/dev/null bs=64K 2>&1"};
  spec.seccomp = SeccompProfile::kCompiler;
  auto sandbox = Sandbox::Spawn(spec);
  ASSERT_TRUE(sandbox.ok()) << sandbox.status();
  auto payload = (*sandbox)->payload();
  test::Soon([&] { return (payload = (*sandbox)->payload()).ok(); });
  ASSERT_TRUE(payload.ok()) << payload.status();
  const double before_us = (*payload)->CpuUs();
  double worst_us = 0;
  // It gets as much of the CPU as other tests leave it.
  const double deadline = support::MonotonicSeconds() + 60;
  for (int i = 0; i < 300 || ((*payload)->CpuUs() - before_us < 100'000 && support::MonotonicSeconds() < deadline); ++i) {
    (*payload)->Thaw();
    const double until = support::MonotonicSeconds() + 1.5e-3;
    while (support::MonotonicSeconds() < until) {
    }
    ASSERT_TRUE((*payload)->Freeze().ok());
    const double frozen_us = (*payload)->CpuUs();
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    worst_us = std::max(worst_us, (*payload)->CpuUs() - frozen_us);
  }
  EXPECT_EQ(worst_us, 0);
  EXPECT_GT((*payload)->CpuUs() - before_us, 100'000) << "it ran at all";
}

TEST(Sandbox, TheProbeSaysStandard) {
  const SandboxReport report = ProbeSandbox();
  EXPECT_EQ(report.level, SandboxLevel::kStandard) << report.detail;
}

// Bug: a worker that was killed at the wrong moment left a runner behind.
TEST(UidPool, ProcessesOfAUidThatNobodyHasAreEnded) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  auto mine = PooledUid::Take();
  ASSERT_TRUE(mine.ok()) << mine.status();
  std::optional<PooledUid> held(*std::move(mine));
  const pid_t child = fork();
  if (child == 0) {
    for (int fd = 3; fd < 1024; ++fd) close(fd);  // the lock goes with them
    if (setuid(held->uid()) != 0) _exit(1);
    for (;;) pause();
  }
  usleep(200'000);  // it has its uid now
  EndOrphans();
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, WNOHANG), 0) << "somebody has its uid";
  held.reset();
  EXPECT_GE(EndOrphans(), 1);
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
}

}  // namespace
}  // namespace kernelopt::worker
