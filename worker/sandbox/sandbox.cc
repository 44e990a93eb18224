#include "sandbox/sandbox.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "sandbox/seccomp.h"
#include "sandbox/uid_pool.h"

namespace kernelopt::worker {
namespace {

// Descriptors the payload's bwrap is started with.
constexpr int kSocketFd = 3;
constexpr int kSeccompFd = 4;
constexpr int kStatusFd = 5;

struct Pipe {
  support::UniqueFd read, write;
};

absl::StatusOr<Pipe> MakePipe() {
  std::array<int, 2> fds{};
  if (pipe2(fds.data(), O_CLOEXEC) != 0) return support::ErrnoStatus("pipe", "");
  return Pipe{support::UniqueFd(fds[0]), support::UniqueFd(fds[1])};
}

void Append(std::vector<std::string>& to, std::initializer_list<std::string> more) {
  to.insert(to.end(), more);
}

// Folders made on the way to a bind would be 0700, which the payload's uid
// cannot enter. One that is there already is left as it is.
void MakeParents(const std::string& path, std::vector<std::string>& to) {
  if (path.rfind("/usr/", 0) == 0) return;
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    Append(to, {"--perms", "0755", "--dir", path.substr(0, slash)});
  }
}

std::vector<std::string> CommandLine(const SandboxSpec& spec, const std::optional<uid_t>& uid) {
  std::vector<std::string> c;
  Append(c, {"bwrap", "--die-with-parent", "--new-session", "--clearenv"});
  if (spec.joined) Append(c, {"--as-pid-1"});
  if (uid) {
    Append(c, {"--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
               "--unshare-cgroup-try", "--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add",
               "CAP_SETGID", "--cap-add", "CAP_SETPCAP"});
  } else {
    // No cgroup namespace: the systemd unit forbids making one, and all it would
    // hide is the path in /proc/self/cgroup.
    Append(c, {"--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
               "--cap-drop", "ALL"});
  }
  Append(c, {"--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64",
             "/lib64", "--symlink", "usr/bin", "/bin", "--symlink", "usr/sbin", "/sbin"});
  MakeParents("/etc/ld.so.cache", c);
  for (const char* file : {"/etc/ld.so.cache", "/etc/alternatives", "/etc/ld.so.conf.d"}) {
    Append(c, {"--ro-bind-try", file, file});
  }
  Append(c, {"--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size",
             absl::StrCat(spec.limits.tmp_bytes), "--tmpfs", "/tmp", "--perms", "1777", "--size",
             absl::StrCat(spec.limits.tmp_bytes), "--tmpfs", "/dev/shm"});
  for (const auto& [outside, inside] : spec.read_only) {
    MakeParents(inside, c);
    Append(c, {"--ro-bind", outside, inside});
  }
  for (const auto& [outside, inside] : spec.writable) {
    MakeParents(inside, c);
    Append(c, {"--bind", outside, inside});
  }
  for (const std::string& node : spec.devices) Append(c, {"--dev-bind", node, node});
  Append(c, {"--setenv", "PATH", "/usr/bin:/bin", "--setenv", "LC_ALL", "C.UTF-8", "--setenv",
             "HOME", "/tmp", "--setenv", "TMPDIR", "/tmp"});
  for (const auto& [name, value] : spec.environment) Append(c, {"--setenv", name, value});
  Append(c, {"--chdir", spec.directory, "--seccomp", absl::StrCat(kSeccompFd), "--json-status-fd",
             absl::StrCat(kStatusFd), "--"});
  if (uid) {
    Append(c, {"setpriv", "--reuid", absl::StrCat(*uid), "--regid", absl::StrCat(*uid),
               "--clear-groups", "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"});
  }
  c.insert(c.end(), spec.arguments.begin(), spec.arguments.end());
  return c;
}

void Limit(__rlimit_resource resource, int64_t value) {
  const rlimit limit{static_cast<rlim_t>(value), static_cast<rlim_t>(value)};
  setrlimit(resource, &limit);
}

// What the child of fork does, async-signal-safe only, then exec.
struct ChildPlan {
  std::vector<char*> argv;
  std::array<int, 6> fds{};  // fd wanted at each number, -1: none
  const SandboxSpec* spec = nullptr;
  const char* bwrap = nullptr;
  bool pooled_uid = false;
  pid_t parent = 0;
  cpu_set_t cpus;
};

[[noreturn]] void RunChild(const ChildPlan& plan) {
  // bwrap asks for the same, but only after its exec: a worker killed before
  // that would leave it behind.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != plan.parent) _exit(127);
  // First above the wanted numbers, then down to them, so none overwrites one
  // still needed.
  std::array<int, 6> high{};
  for (size_t i = 0; i < plan.fds.size(); ++i) {
    high[i] = plan.fds[i] < 0 ? -1 : fcntl(plan.fds[i], F_DUPFD_CLOEXEC, 32);
  }
  for (size_t i = 0; i < high.size(); ++i) {
    // What is not asked for may be open here all the same, by whoever started the worker.
    if (high[i] >= 0) dup2(high[i], static_cast<int>(i)); else close(static_cast<int>(i));
  }
  // Other threads may have opened descriptors without CLOEXEC just now.
  constexpr unsigned kCloseOnExec = 4;  // CLOSE_RANGE_CLOEXEC
  syscall(SYS_close_range, 6U, ~0U, kCloseOnExec);
  const SandboxLimits& limits = plan.spec->limits;
  Limit(RLIMIT_CORE, 0);
  if (limits.file_bytes > 0) Limit(RLIMIT_FSIZE, limits.file_bytes);
  Limit(RLIMIT_NOFILE, 256);
  Limit(RLIMIT_STACK, 64 << 20);
  Limit(RLIMIT_MSGQUEUE, 0);
  if (limits.address_bytes > 0) Limit(RLIMIT_AS, limits.address_bytes);
  if (limits.cpu_seconds > 0) Limit(RLIMIT_CPU, limits.cpu_seconds);
  // Counted per uid; without a uid of its own it would count the user's other
  // processes (user namespaces count separately from Linux 5.14 on).
  if (plan.pooled_uid) Limit(RLIMIT_NPROC, limits.processes);
  if (plan.spec->cpu >= 0) sched_setaffinity(0, sizeof plan.cpus, &plan.cpus);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  execv(plan.bwrap, plan.argv.data());
  _exit(127);
}

// bwrap reports the pid of the namespace's init as the first JSON line.
absl::StatusOr<pid_t> ReadInitPid(int fd) {
  std::string text;
  while (text.find('\n') == std::string::npos) {
    std::array<char, 512> buffer{};
    pollfd wait{fd, POLLIN, 0};
    if (poll(&wait, 1, 5000) <= 0) return absl::DeadlineExceededError("bwrap did not start");
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n <= 0) return absl::UnavailableError("bwrap ended before it started anything");
    text.append(buffer.data(), static_cast<size_t>(n));
  }
  const auto json = nlohmann::json::parse(text.substr(0, text.find('\n')), nullptr, false);
  if (!json.is_object() || !json.contains("child-pid")) {
    return absl::InternalError(absl::StrCat("bwrap said: ", text));
  }
  return json["child-pid"].get<pid_t>();
}

}  // namespace

const std::string& BubblewrapPath() {
  static const std::string path = [] {
    const std::string own = support::ProgramDirectory() + "/bwrap";
    return access(own.c_str(), X_OK) == 0 ? own : std::string("/usr/bin/bwrap");
  }();
  return path;
}

std::string_view SandboxLevelName(SandboxLevel level) {
  switch (level) {
    case SandboxLevel::kFull:
      return "full";
    case SandboxLevel::kStandard:
      return "standard";
    case SandboxLevel::kNone:
      break;
  }
  return "none";
}

// Hands on what the sandbox prints, until every writer is gone. A process that
// cannot die (uninterruptible I/O) keeps its end open: a second after the kill
// nobody waits for it.
static void Drain(const support::UniqueFd& fd, const std::function<void(std::string_view)>& log,
                  const std::atomic<bool>& killed) {
  // Not on the CPU of the judge, whose thread this one comes from; the kernel
  // leaves out those that the machine does not have.
  cpu_set_t everywhere;
  std::memset(&everywhere, 0xff, sizeof everywhere);
  sched_setaffinity(0, sizeof everywhere, &everywhere);
  std::array<char, 65536> buffer{};
  for (int late = 0; late < 10; late += killed ? 1 : 0) {
    pollfd wait{fd.get(), POLLIN, 0};
    if (poll(&wait, 1, 100) == 0) continue;
    const ssize_t n = read(fd.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    if (log) log(std::string_view(buffer.data(), static_cast<size_t>(n)));
  }
}

struct Sandbox::Impl {
  std::optional<PooledUid> uid;
  pid_t bwrap = -1;
  pid_t init_pid = -1;
  support::UniqueFd init;    // pidfd of the namespace's init
  std::unique_ptr<Payload> payload;
  support::UniqueFd status_pipe;  // bwrap writes to it at the end too, and must not get SIGPIPE
  std::optional<SandboxEnd> end;
  std::thread log_thread;
  std::atomic<bool> killed{false};
  std::optional<SandboxDoor> door;

  bool Reap(int options);
};

Sandbox::Sandbox() : impl_(std::make_unique<Impl>()) {}

absl::StatusOr<std::unique_ptr<Sandbox>> Sandbox::Spawn(const SandboxSpec& spec) {
  std::unique_ptr<Sandbox> sandbox(new Sandbox());
  Impl& impl = *sandbox->impl_;
  if (geteuid() == 0) {
    auto uid = PooledUid::Take();
    if (!uid.ok()) return uid.status();
    impl.uid.emplace(*std::move(uid));
  }
  auto seccomp = SeccompProgram(spec.seccomp, spec.allowed_calls);
  if (!seccomp.ok()) return seccomp.status();
  auto status_pipe = MakePipe();
  auto log_pipe = MakePipe();
  if (!status_pipe.ok() || !log_pipe.ok()) return absl::InternalError("no pipes");
  const support::UniqueFd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  std::vector<std::string> command =
      CommandLine(spec, impl.uid ? std::optional<uid_t>(impl.uid->uid()) : std::nullopt);
  ChildPlan plan;
  for (std::string& argument : command) plan.argv.push_back(argument.data());
  plan.argv.push_back(nullptr);
  plan.fds = {null.get(), log_pipe->write.get(), log_pipe->write.get(), spec.socket_fd,
              seccomp->get(), status_pipe->write.get()};
  static_assert(kSocketFd == 3 && kSeccompFd == 4 && kStatusFd == 5);
  plan.spec = &spec;
  plan.bwrap = BubblewrapPath().c_str();
  plan.parent = getpid();
  plan.pooled_uid = impl.uid.has_value();
  CPU_ZERO(&plan.cpus);
  if (spec.cpu >= 0) CPU_SET(static_cast<size_t>(spec.cpu), &plan.cpus);
  impl.bwrap = fork();
  if (impl.bwrap < 0) return support::ErrnoStatus("fork", "bwrap");
  if (impl.bwrap == 0) RunChild(plan);
  status_pipe->write.Reset();
  if (spec.joined) impl.door = SandboxDoor{-1, std::move(log_pipe->write), *std::move(seccomp)};
  log_pipe->write.Reset();
  impl.log_thread = std::thread(Drain, std::move(log_pipe->read), spec.log, std::cref(impl.killed));
  const absl::StatusOr<pid_t> init = ReadInitPid(status_pipe->read.get());
  if (!init.ok()) return init.status();
  impl.init_pid = *init;
  impl.init.Reset(static_cast<int>(syscall(SYS_pidfd_open, *init, 0)));
  impl.status_pipe = std::move(status_pipe->read);
  return sandbox;
}

bool Sandbox::Impl::Reap(int options) {
  if (end) return true;
  int status = 0;
  const pid_t got = waitpid(bwrap, &status, options);
  if (got != bwrap) return false;
  SandboxEnd out;
  if (WIFSIGNALED(status)) {
    out = {true, WTERMSIG(status)};
  } else {
    // bwrap exits like a shell: 128 + n when the program died of signal n.
    const int code = WEXITSTATUS(status);
    out = code > 128 && code < 128 + 65 ? SandboxEnd{true, code - 128} : SandboxEnd{false, code};
  }
  end = out;
  return true;
}

bool Sandbox::Alive() { return !impl_->Reap(WNOHANG); }

absl::StatusOr<SandboxEnd> Sandbox::Wait(std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  const support::UniqueFd bwrap(static_cast<int>(syscall(SYS_pidfd_open, impl_->bwrap, 0)));
  while (!impl_->Reap(WNOHANG)) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return absl::DeadlineExceededError("still running");
    pollfd wait{bwrap.get(), POLLIN, 0};
    poll(&wait, 1, static_cast<int>(std::min<int64_t>(left.count(), 1000)));
  }
  return *impl_->end;
}

void Sandbox::Kill() {
  if (impl_->bwrap <= 0) return;
  if (impl_->init.valid()) {
    syscall(SYS_pidfd_send_signal, impl_->init.get(), SIGKILL, nullptr, 0);
    // Readable once the init is dead; the kernel kills all others before.
    pollfd wait{impl_->init.get(), POLLIN, 0};
    poll(&wait, 1, 10'000);
    // bwrap waits for it and ends; killed, it would leave a zombie to whoever is init.
    constexpr std::chrono::milliseconds kToEnd{200};
    (void)Wait(kToEnd);
  }
  if (!impl_->end) kill(impl_->bwrap, SIGKILL);
  impl_->Reap(0);
}

Sandbox::~Sandbox() {
  Kill();
  impl_->door.reset();  // its end of the log
  impl_->killed = true;
  if (impl_->log_thread.joinable()) impl_->log_thread.join();
}

absl::Status Sandbox::Freeze() {
  const auto program = payload();
  return program.ok() ? (*program)->Freeze() : program.status();
}

absl::Status Sandbox::Thaw() {
  if (!Alive()) return absl::UnavailableError("the process is gone");
  const auto program = payload();
  if (program.ok()) (*program)->Thaw();
  return program.status();
}

absl::StatusOr<Payload*> Sandbox::payload() {
  if (!impl_->payload) {
    auto payload = Payload::Of(impl_->init_pid);
    if (!payload.ok()) return payload.status();
    impl_->payload = *std::move(payload);
  }
  return impl_->payload.get();
}

absl::Status Sandbox::PinTo(int cpu) {
  if (cpu < 0) return absl::OkStatus();
  const auto program = payload();
  return program.ok() ? (*program)->PinTo(cpu) : program.status();
}

absl::StatusOr<SandboxDoor> Sandbox::Open() {
  if (!impl_->door) return absl::FailedPreconditionError("nobody can move into this sandbox");
  SandboxDoor door = *std::exchange(impl_->door, std::nullopt);
  door.init = impl_->init.get();
  return door;
}

absl::Status Sandbox::Adopt(pid_t pid) {
  auto payload = Payload::Moved(impl_->init_pid, pid);
  if (!payload.ok()) return payload.status();
  impl_->payload = *std::move(payload);
  return absl::OkStatus();
}

uid_t Sandbox::uid() const { return impl_->uid ? impl_->uid->uid() : geteuid(); }

}  // namespace kernelopt::worker
