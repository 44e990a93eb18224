// How much of a test is wanted: TEST_... variables.
#pragma once

#include <cstdlib>

namespace kernelopt::test {

// The number in the environment variable; `usual` where it is not set.
inline int Wanted(const char* name, int usual) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : usual;
}

}  // namespace kernelopt::test
