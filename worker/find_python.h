// Which Python interpreter references and Python solutions run on.
#pragma once

#include <string>
#include <vector>

#include "device/device.h"
#include "judge/python_process.h"

namespace kernelopt::worker {

struct FoundPython {
  std::string python;      // path
  PythonHost host;         // empty framework: none starts
  std::string trouble;     // then: why
  std::shared_ptr<Zygote> zygote;  // that forks its processes; null: none does
  std::string no_zygote;           // then: why
};

// The first of `configured` (if it is not empty, only that), $VIRTUAL_ENV/bin/python3,
// python3 on the PATH and /usr/bin/python3 that imports PyTorch inside the
// sandbox; where none does, or it is not wanted, the first that imports NumPy.
FoundPython FindPython(Device& device, const PythonOptions& options, const std::string& configured);

}  // namespace kernelopt::worker
