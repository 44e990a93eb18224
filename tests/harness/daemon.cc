#include "harness/daemon.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace kernelopt::test {
namespace {

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Pause() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

pid_t Spawn(const std::vector<std::string>& arguments, int out, int err) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  posix_spawn_file_actions_adddup2(&actions, err, 2);
  pid_t pid = -1;
  if (posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ) != 0) pid = -1;
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

}  // namespace

std::string BinDirectory() { return KOPT_BIN_DIR; }
std::string TestsDirectory() { return KOPT_TESTS_DIR; }
std::string ExamplesDirectory() { return TestsDirectory() + "/../client/examples"; }

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void WriteText(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

Ran RunProgram(const std::vector<std::string>& arguments, double timeout_s) {
  std::array<int, 2> out{}, err{};
  if (pipe2(out.data(), O_CLOEXEC) != 0 || pipe2(err.data(), O_CLOEXEC) != 0) return {};
  const pid_t pid = Spawn(arguments, out[1], err[1]);
  close(out[1]);
  close(err[1]);
  Ran ran;
  const double deadline = Now() + timeout_s;
  std::array<pollfd, 2> fds = {{{out[0], POLLIN, 0}, {err[0], POLLIN, 0}}};
  bool late = false;
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    if (poll(fds.data(), 2, 200) < 0) break;
    if (Now() > deadline && !late) {
      late = true;
      kill(pid, SIGKILL);
    }
    for (size_t i = 0; i < 2; ++i) {
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      std::array<char, 65536> buffer{};
      const ssize_t n = read(fds[i].fd, buffer.data(), buffer.size());
      if (n <= 0) {
        fds[i].fd = -1;
      } else {
        (i == 0 ? ran.out : ran.err).append(buffer.data(), static_cast<size_t>(n));
      }
    }
  }
  close(out[0]);
  close(err[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  ran.exit = late ? 124 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

TestDaemon::TestDaemon(std::vector<std::string> settings, std::string worker_toml)
    : settings_(std::move(settings)) {
  std::string name = "/tmp/kopt-test-XXXXXX";
  directory_ = mkdtemp(name.data());
  if (worker_toml.find("torch") == std::string::npos) worker_toml += "torch = \"off\"\n";
  if (worker_toml.find("python") == std::string::npos) worker_toml += "python = \"/usr/bin/python3\"\n";
  // Other tests' jobs would wait for it to stop.
  if (worker_toml.find("measure_noise") == std::string::npos) worker_toml += "measure_noise = \"off\"\n";
  WriteText(directory_ + "/worker.toml", "[worker]\n" + worker_toml);
  Start();
}

TestDaemon::~TestDaemon() {
  Stop();
  for (int i = 0; i < 250 && WorkerPid() != 0; ++i) Pause();
  KillWorker();
  if (std::getenv("TEST_KEEP") != nullptr) return;
  std::error_code error;
  for (int i = 0; i < 250 && (std::filesystem::remove_all(directory_, error), error); ++i) Pause();
  if (error) std::fprintf(stderr, "%s stays: %s\n", directory_.c_str(), error.message().c_str());
}

void TestDaemon::Start(Wait wait) {
  // Bug: a second one refused to start, and nobody stopped the first.
  if (Alive()) {
    std::fprintf(stderr, "the test started a daemon that runs already\n");
    std::abort();
  }
  std::vector<std::string> arguments = {BinDirectory() + "/kernelopt-d",
                                        "--state",
                                        directory_,
                                        "--socket",
                                        socket(),
                                        "--set",
                                        "workers.lock_directory=" + directory_ + "/run",
                                        "--set",
                                        "workers.config=" + directory_ + "/worker.toml"};
  for (const std::string& setting : settings_) {
    arguments.insert(arguments.end(), {"--set", setting});
  }
  const int log = open((directory_ + "/daemon.log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  log_begin_ = ReadText(directory_ + "/daemon.log").size();
  pid_ = Spawn(arguments, log, log);
  close(log);
  if (wait == Wait::kNo) return;
  for (int i = 0; i < 500; ++i) {
    if (access(socket().c_str(), F_OK) == 0 && Koptctl({"version", "--json"}).out.find("0.") != std::string::npos) return;
    Pause();
  }
  std::fprintf(stderr, "daemon did not start:\n%s\n", ReadText(directory_ + "/daemon.log").c_str());
}

bool TestDaemon::Alive() {
  if (pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
  return pid_ > 0;
}

int TestDaemon::SawWorkerDie() const {
  const std::string log = ReadText(directory_ + "/daemon.log").substr(log_begin_);
  int count = 0;
  for (size_t at = log.find("ended with status 0x9"); at != std::string::npos;
       at = log.find("ended with status 0x9", at + 1)) {
    ++count;
  }
  return count;
}

void TestDaemon::Stop() {
  if (pid_ <= 0) return;
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void TestDaemon::Kill() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

std::vector<pid_t> TestDaemon::Workers() const {
  std::vector<pid_t> pids;
  DIR* proc = opendir("/proc");
  while (const dirent* entry = readdir(proc)) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    const std::string folder = std::string("/proc/") + entry->d_name;
    if (ReadText(folder + "/comm").rfind("kernelopt-worke", 0) != 0) continue;
    // Empty once it is dead, whether or not anybody has asked for its end.
    if (ReadText(folder + "/cmdline").find(directory_) != std::string::npos) pids.push_back(pid);
  }
  closedir(proc);
  return pids;
}

pid_t TestDaemon::WorkerPid() const {
  const std::vector<pid_t> pids = Workers();
  return pids.empty() ? 0 : pids.front();
}

bool TestDaemon::KillWorker() const {
  const std::vector<pid_t> pids = Workers();
  for (const pid_t pid : pids) kill(pid, SIGKILL);
  // Killed is not gone: it may be writing its last file.
  for (int i = 0; i < 500 && WorkerPid() != 0; ++i) Pause();
  return !pids.empty();
}

void TestDaemon::WaitForWorker() {
  for (int i = 0; i < 1500; ++i) {
    const Ran ran = Koptctl({"device", "list", "--json"});
    if (ran.out.find("\"online\":true") != std::string::npos) return;
    Pause();
  }
  std::fprintf(stderr, "no worker:\n%s\n%s\n", ReadText(directory_ + "/daemon.log").c_str(),
               ReadText(directory_ + "/logs/worker-host.log").c_str());
}

Ran TestDaemon::Koptctl(std::vector<std::string> arguments, double timeout_s) const {
  arguments.insert(arguments.begin(), {BinDirectory() + "/koptctl", "--socket", socket()});
  return RunProgram(arguments, timeout_s);
}

Ran TestDaemon::Until(const std::vector<std::string>& arguments, const std::function<bool(const Ran&)>& good,
                      double timeout_s) const {
  constexpr double kPatience = 180, kLongest = 15;
  const double begin = Now();
  double pause = 0.5;
  for (;;) {
    Ran ran = Koptctl(arguments, timeout_s);
    if (good(ran) || Now() - begin > kPatience) return ran;
    std::this_thread::sleep_for(std::chrono::duration<double>(pause));
    pause = std::min(2 * pause, kLongest);
  }
}

Ran TestDaemon::Judged(const std::vector<std::string>& arguments, double timeout_s) const {
  constexpr int kBusy = 15;
  return Until(arguments, [](const Ran& ran) { return ran.exit != kBusy; }, timeout_s);
}

bool Disturbed(const Ran& ran) {
  const nlohmann::json answer = ran.json();
  if (!answer.is_object() || !answer.contains("result")) return false;
  const nlohmann::json& subjects = answer["result"]["subjects"];
  return std::any_of(subjects.begin(), subjects.end(), [](const auto& s) { return s["verdict"] == "VERDICT_DISTURBED"; });
}

int PoolProcesses() {
  int count = 0;
  DIR* proc = opendir("/proc");
  while (const dirent* entry = readdir(proc)) {
    struct stat info {};
    const std::string path = std::string("/proc/") + entry->d_name;
    if (std::atoi(entry->d_name) <= 0 || stat(path.c_str(), &info) != 0) continue;
    if (info.st_uid >= 0x6b6f0000 && info.st_uid < 0x6b6f0000 + 256) ++count;
  }
  closedir(proc);
  return count;
}

}  // namespace kernelopt::test
