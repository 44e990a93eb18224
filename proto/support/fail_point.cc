#include "support/fail_point.h"

#ifdef KOPT_FAIL_POINTS
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

namespace kernelopt::support {

void PassFailPoint(const char* name) {
  static const std::string armed = [] {
    const char* text = std::getenv("FAIL_POINT");
    return std::string(text == nullptr ? "" : text);
  }();
  if (armed.empty()) return;
  static const size_t colon = armed.find(':');
  static std::atomic<int> left{colon == std::string::npos ? 1 : std::atoi(armed.c_str() + colon + 1)};
  if (armed.compare(0, colon, name) == 0 && --left == 0) kill(getpid(), SIGKILL);
}

}  // namespace kernelopt::support
#endif
