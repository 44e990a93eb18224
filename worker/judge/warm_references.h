// Reference processes kept for the next job of the same user on the same problem:
// importing PyTorch takes seconds. They stand still meanwhile, and hold no
// buffers. Used from the job thread, which outlives them.
#pragma once

#include <list>
#include <memory>
#include <string>

#include "judge/reference.h"

namespace kernelopt::worker {

class WarmReferences {
 public:
  explicit WarmReferences(size_t most) : most_(most) {}

  // Null when there is none.
  std::unique_ptr<Reference> Take(const std::string& key);
  // Kept if it comes to rest; the one not used for longest goes.
  void Park(const std::string& key, std::unique_ptr<Reference> reference);

 private:
  struct Parked {
    std::string key;
    std::unique_ptr<Reference> reference;
  };
  const size_t most_;
  std::list<Parked> parked_;  // last used first
};

}  // namespace kernelopt::worker
