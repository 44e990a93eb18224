// The real kernelopt-d, worker and koptctl on a private state directory.
#pragma once

#include <sys/types.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kernelopt::test {

struct Ran {
  int exit = -1;
  std::string out, err;
  // `out` as JSON; discarded value when it is not.
  nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, false); }
};

// Runs a program to its end; killed after `timeout_s` (exit 124).
Ran RunProgram(const std::vector<std::string>& arguments, double timeout_s = 120);

class TestDaemon {
 public:
  // Starts it. `settings` are key=value for kernelopt-d. Workers use NumPy (fast to start)
  // unless `torch` is asked for.
  explicit TestDaemon(std::vector<std::string> settings = {}, std::string worker_toml = "");
  ~TestDaemon();

  // Again, after Stop() or Kill(). Waits until it answers, unless told not to.
  enum class Wait { kYes, kNo };
  void Start(Wait wait = Wait::kYes);
  bool Alive();             // the process, not yet killed by itself
  pid_t pid() const { return pid_; }
  // How often the present daemon's log tells of a worker that was killed.
  int SawWorkerDie() const;
  void Stop();              // SIGTERM, waits
  void Kill();              // SIGKILL, waits
  bool KillWorker() const;  // SIGKILL to all of its workers, gone when it returns; was there one?
  pid_t WorkerPid() const;  // 0 when none
  void WaitForWorker();

  // koptctl with this daemon's socket.
  Ran Koptctl(std::vector<std::string> arguments, double timeout_s = 120) const;

  // The same again and again, with growing pauses, until it is good or three
  // minutes have passed: machines are busy for a while.
  Ran Until(const std::vector<std::string>& arguments, const std::function<bool(const Ran&)>& good,
            double timeout_s = 120) const;
  // Until the machine was not too busy to measure (exit code 15: DISTURBED or
  // INCONCLUSIVE), for a job that is waited for.
  Ran Judged(const std::vector<std::string>& arguments, double timeout_s = 120) const;

  const std::string& directory() const { return directory_; }
  std::string socket() const { return directory_ + "/k.sock"; }

 private:
  std::vector<pid_t> Workers() const;

  std::vector<std::string> settings_;
  std::string directory_;
  pid_t pid_ = -1;
  size_t log_begin_ = 0;  // of the present daemon in daemon.log
};

// Some subject of the result (--json) is DISTURBED.
bool Disturbed(const Ran& ran);

// Folder of the built programs, and of this repository's tests.
std::string BinDirectory();
std::string TestsDirectory();
std::string ExamplesDirectory();

// Processes whose uid lies in the sandbox pool.
int PoolProcesses();

std::string ReadText(const std::string& path);
void WriteText(const std::string& path, const std::string& text);

}  // namespace kernelopt::test
