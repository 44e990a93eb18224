#include "judge/warm_references.h"

#include <algorithm>

namespace kernelopt::worker {

std::unique_ptr<Reference> WarmReferences::Take(const std::string& key) {
  const auto found = std::find_if(parked_.begin(), parked_.end(), [&](const Parked& p) { return p.key == key; });
  if (found == parked_.end()) return nullptr;
  std::unique_ptr<Reference> reference = std::move(found->reference);
  parked_.erase(found);
  return reference->Wake().ok() ? std::move(reference) : nullptr;
}

void WarmReferences::Park(const std::string& key, std::unique_ptr<Reference> reference) {
  if (most_ == 0 || !reference->Rest().ok()) return;
  parked_.push_front({key, std::move(reference)});
  if (parked_.size() > most_) parked_.pop_back();
}

}  // namespace kernelopt::worker
