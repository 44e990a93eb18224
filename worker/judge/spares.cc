#include "judge/spares.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace kernelopt::worker {

bool Spares::Roomy() const { return 4 * device_.FreeBytes() > 3 * free_at_first_; }

void Spares::EndUsedBut(const std::string& run) {
  if (run.empty() || run != used_by_) used_.reset();
}

void Spares::Retire(std::unique_ptr<Runner> runner) {
  if (kept() && runner && Roomy()) retired_.push_back(std::move(runner));
}

void Spares::Retire(std::unique_ptr<PythonProcess> process) {
  if (kept() && process && Roomy()) python_retired_.push_back(std::move(process));
}

void Spares::Refill() {
  retired_.clear();
  python_retired_.clear();
  RefillPython();
  if (free_at_first_ == 0) free_at_first_ = device_.FreeBytes();
  while (kept() && static_cast<int>(ready_.size()) < count_) {
    // Making a context is work, and the CPU of the runners has other work now.
    auto runner = Runner::Start(device_, options_, 0, -1);
    if (!runner.ok() || !(*runner)->BeginWarm().ok()) return;  // Take says why
    ready_.push_back(*std::move(runner));
  }
}

void Spares::RefillPython() {
  if (python_taken_ > 0) python_wanted_ = std::min(std::exchange(python_taken_, 0), count_);
  std::erase_if(python_ready_, [](const auto& process) { return !process->Wake().ok(); });
  if (kept() && !Roomy()) return;  // a context is half a GiB
  while (static_cast<int>(python_ready_.size()) < python_wanted_) {
    auto process = PythonProcess::Start(device_, python_, PythonProcess::Kind::kSolution, -1);
    if (!process.ok()) return;  // TakePython says why
    python_ready_.push_back(*std::move(process));
  }
}

void Spares::SettlePython() {
  std::erase_if(python_ready_, [](const auto& process) { return !process->Pause().ok(); });
}

absl::StatusOr<std::unique_ptr<PythonProcess>> Spares::TakePython() {
  ++python_taken_;
  while (!python_ready_.empty()) {
    std::unique_ptr<PythonProcess> waiting = std::move(python_ready_.front());
    python_ready_.erase(python_ready_.begin());
    if (waiting->Wake().ok() && waiting->sandbox().PinTo(device_.runner_cpu()).ok()) return waiting;
  }
  return PythonProcess::Start(device_, python_, PythonProcess::Kind::kSolution, device_.runner_cpu());
}

void Spares::Settle() {
  SettlePython();
  std::erase_if(ready_, [](const auto& runner) { return !runner->AwaitWarm().ok(); });
}

absl::StatusOr<std::unique_ptr<Runner>> Spares::Take(int64_t buffer_bytes) {
  while (!ready_.empty()) {
    std::unique_ptr<Runner> runner = std::move(ready_.front());
    ready_.erase(ready_.begin());
    if (runner->AwaitWarm().ok() && runner->sandbox().PinTo(device_.runner_cpu()).ok()) return runner;
  }
  return Runner::Start(device_, options_, buffer_bytes, device_.runner_cpu());
}

std::unique_ptr<Runner> Spares::TakeUsed(const std::string& run, int64_t buffer_bytes) {
  if (run.empty() || run != used_by_ || !used_) return nullptr;
  if (device_.reach().address_limit && used_->buffer_bytes() < buffer_bytes) return nullptr;
  std::unique_ptr<Runner> runner = std::move(used_);
  return runner->Wake().ok() ? std::move(runner) : nullptr;
}

void Spares::KeepUsed(const std::string& run, std::unique_ptr<Runner> runner) {
  used_.reset();
  if (run.empty() || !runner->Rest().ok() || (kept() && !Roomy())) return;
  used_ = std::move(runner);
  used_by_ = run;
}

absl::StatusOr<std::unique_ptr<Runner>> Spares::TakeNull() {
  if (null_ && null_->sandbox().Alive()) return std::move(null_);
  auto runner = Runner::Start(device_, options_, 0, device_.runner_cpu());
  if (!runner.ok()) return runner.status();
  if (absl::Status s = (*runner)->LoadNull(); !s.ok()) {
    return absl::UnavailableError(absl::StrCat("kopt-runner: ", std::string(s.message())));
  }
  return runner;
}

void Spares::PutNull(std::unique_ptr<Runner> runner) {
  if (kept()) null_ = std::move(runner);
}

}  // namespace kernelopt::worker
