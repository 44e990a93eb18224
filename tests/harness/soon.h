// Waits for what other processes bring about.
#pragma once

#include <chrono>
#include <thread>

namespace kernelopt::test {

// `what()` became true within `seconds`.
template <class What>
bool Soon(What what, double seconds = 10) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!what()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace kernelopt::test
