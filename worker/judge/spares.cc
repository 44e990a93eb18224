#include "judge/spares.h"

#include "absl/strings/str_cat.h"

namespace kernelopt::worker {

void Spares::Refill() {
  while (kept() && static_cast<int>(ready_.size()) < count_) {
    // Making a context is work, and the CPU of the runners has other work now.
    auto runner = Runner::Start(device_, options_, 0, -1);
    if (!runner.ok() || !(*runner)->BeginWarm().ok()) return;  // Take says why
    ready_.push_back(*std::move(runner));
  }
}

void Spares::Settle() {
  std::erase_if(ready_, [](const auto& runner) { return !runner->AwaitWarm().ok(); });
}

absl::StatusOr<std::unique_ptr<Runner>> Spares::Take(int64_t buffer_bytes) {
  while (!ready_.empty()) {
    std::unique_ptr<Runner> runner = std::move(ready_.front());
    ready_.erase(ready_.begin());
    if (runner->AwaitWarm().ok() && runner->PinTo(device_.runner_cpu()).ok()) return runner;
  }
  return Runner::Start(device_, options_, buffer_bytes, device_.runner_cpu());
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
