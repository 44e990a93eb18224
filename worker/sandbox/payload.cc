#include "sandbox/payload.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "support/clock.h"
#include "support/patience.h"

namespace kernelopt::worker {
namespace {

constexpr double kStopSeconds = 2;
// For a kernel that does not tell where a thread sleeps (wchan reads 0).
constexpr double kLeaveCpuSeconds = 1e-3;

// Small files of /proc only.
std::string ReadAt(int folder, const char* name) {
  const support::UniqueFd fd(openat(folder, name, O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> buffer{};
  const ssize_t n = fd.valid() ? read(fd.get(), buffer.data(), buffer.size()) : -1;
  return n > 0 ? std::string(buffer.data(), static_cast<size_t>(n)) : "";
}

// Children that one thread made. Needs CONFIG_PROC_CHILDREN, which distributions
// have.
std::vector<pid_t> ChildrenOf(pid_t pid, const std::string& thread) {
  std::vector<pid_t> children;
  const std::string text =
      ReadAt(AT_FDCWD, absl::StrCat("/proc/", pid, "/task/", thread, "/children").c_str());
  for (const auto& word : absl::StrSplit(text, ' ', absl::SkipWhitespace())) {
    pid_t child = 0;
    if (absl::SimpleAtoi(word, &child)) children.push_back(child);
  }
  return children;
}

// Of the first thread: bwrap's init has no other.
std::vector<pid_t> ChildrenOf(pid_t pid) { return ChildrenOf(pid, absl::StrCat(pid)); }

// The letter after the name in /proc/<pid>/stat; the name may hold anything.
char StateIn(const std::string& stat) {
  const size_t paren = stat.rfind(')');
  return paren == std::string::npos || paren + 2 >= stat.size() ? 'X' : stat[paren + 2];
}

bool Gone(char state) { return std::strchr("ZXx", state) != nullptr; }

// A thread of it has not ended. Its first thread may have, and then the process
// looks like one that waits for its parent to ask, but others work on.
bool Lives(pid_t pid) {
  const std::string tasks = absl::StrCat("/proc/", pid, "/task");
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator(tasks, error)) {
    if (!Gone(StateIn(ReadAt(AT_FDCWD, (thread.path() / "stat").c_str())))) return true;
  }
  return false;
}

int Living(const std::vector<pid_t>& processes) {
  return static_cast<int>(std::count_if(processes.begin(), processes.end(), Lives));
}

// A thread is in state T a moment before it has left its CPU, and the time it
// ran since the last tick is booked only when it has; wchan is 0 until then.
// Some kernels show "0" for every thread; one that ever showed where a thread
// sleeps always does.
std::atomic<bool> g_kernel_tells{false};

bool OnCpu(int task, const char* thread) {
  const std::string where = ReadAt(task, absl::StrCat(thread, "/wchan").c_str());
  if (where.empty() || where == "0") return true;
  g_kernel_tells = true;
  return false;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Payload>> Payload::Hold(pid_t init, pid_t pid) {
  const absl::Status gone = absl::UnavailableError("the process is gone");
  std::unique_ptr<Payload> payload(new Payload());
  payload->init_ = init;
  payload->pid_ = pid;
  payload->pidfd_.Reset(static_cast<int>(syscall(SYS_pidfd_open, payload->pid_, 0)));
  payload->proc_.Reset(open(absl::StrCat("/proc/", payload->pid_).c_str(),
                            O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!payload->pidfd_.valid() || !payload->proc_.valid()) return gone;
  if (clock_getcpuclockid(payload->pid_, &payload->clock_) != 0) return gone;
  return payload;
}

absl::StatusOr<std::unique_ptr<Payload>> Payload::Of(pid_t init) {
  const std::vector<pid_t> children = ChildrenOf(init);
  if (children.size() != 1) return absl::UnavailableError("the process is gone");
  auto payload = Hold(init, children[0]);
  // Still the same child: the number was not handed to another process.
  if (ChildrenOf(init) != children) return absl::UnavailableError("the process is gone");
  return payload;
}

absl::StatusOr<std::unique_ptr<Payload>> Payload::Moved(pid_t init, pid_t pid) {
  auto payload = Hold(init, pid);
  std::error_code error;
  const auto space = [&](pid_t of) { return std::filesystem::read_symlink(absl::StrCat("/proc/", of, "/ns/pid"), error); };
  if (payload.ok() && (space(pid) != space(init) || error)) return absl::UnavailableError("the process is gone");
  if (payload.ok()) (*payload)->moved_ = true;
  return payload;
}

Payload::Folder Payload::OpenThreads() const {
  const int task = openat(proc_.get(), "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  Folder folder(task >= 0 ? fdopendir(task) : nullptr);
  if (folder == nullptr && task >= 0) close(task);
  return folder;
}

absl::StatusOr<std::string> Payload::RunningThread(bool believe_state) const {
  const Folder folder = OpenThreads();
  if (folder == nullptr) return absl::UnavailableError("the process is gone");
  const int task = dirfd(folder.get());
  std::string running;
  int threads = 0;
  while (const dirent* entry = readdir(folder.get())) {
    if (entry->d_name[0] == '.') continue;
    ++threads;
    const char state = StateIn(ReadAt(task, absl::StrCat(entry->d_name, "/stat").c_str()));
    const bool stopped = std::strchr("Tt", state) != nullptr;
    if (Gone(state) || (stopped && (believe_state || !OnCpu(task, entry->d_name)))) continue;
    running = std::string(1, state);
    break;
  }
  if (threads == 0) return absl::UnavailableError("the process is gone");
  return running;
}

absl::Status Payload::PinTo(int cpu) const {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<size_t>(cpu), &one);
  const Folder folder = OpenThreads();
  if (folder == nullptr) return absl::UnavailableError("the process is gone");
  absl::Status status;
  while (const dirent* entry = readdir(folder.get())) {
    if (entry->d_name[0] == '.' || sched_setaffinity(atoi(entry->d_name), sizeof one, &one) == 0 || errno == ESRCH) continue;
    status = support::ErrnoStatus("pinning a thread", entry->d_name);
  }
  return status;
}

absl::Status Payload::Freeze() {
  if (syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGSTOP, nullptr, 0) != 0) {
    return absl::UnavailableError("the process is gone");
  }
  support::Patience patience(kStopSeconds);
  double all_t = 0;  // since when every thread was in T; 0: not yet
  for (;;) {
    const double now = support::MonotonicSeconds();
    // Only where the kernel does not say: a virtual CPU can be taken away by its
    // host for milliseconds while a thread is about to leave it, and what that
    // cost is booked afterwards, as if the thread had worked while it stood still.
    const bool believe_state = !g_kernel_tells && all_t > 0 && now - all_t > kLeaveCpuSeconds;
    const absl::StatusOr<std::string> running = RunningThread(believe_state);
    if (!running.ok()) return running.status();
    if (running->empty()) return absl::OkStatus();
    if (*running != "T" && *running != "t") {
      all_t = 0;
    } else if (all_t == 0) {
      all_t = now;
    }
    if (patience.IsOver(now)) {
      return absl::DeadlineExceededError(absl::StrCat("a thread stays in state ", *running));
    }
  }
}

void Payload::Thaw() { syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGCONT, nullptr, 0); }

double Payload::CpuUs() const {
  timespec t{};
  if (clock_gettime(clock_, &t) != 0) return 0;
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
}

absl::StatusOr<Census> Payload::Count() const {
  Census census;
  census.processes = Living(ChildrenOf(init_)) + (moved_ ? Living({pid_}) : 0);
  const Folder folder = OpenThreads();
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
    if (entry->d_name[0] != '.') census.processes += Living(ChildrenOf(pid_, entry->d_name));
  }
  const std::string status = ReadAt(proc_.get(), "status");
  const size_t at = status.find("\nThreads:");
  if (at == std::string::npos) return absl::UnavailableError("the process is gone");
  census.threads = atoi(status.c_str() + at + 9);
  return census;
}

}  // namespace kernelopt::worker
