// What a worker says of its device when it attaches.
#pragma once

#include "absl/status/statusor.h"
#include "build/cutlass.h"
#include "judge/bench.h"
#include "worker/find_python.h"
#include "kernelopt/v1/device_service.pb.h"
#include "sandbox/sandbox.h"

namespace kernelopt::worker {

// Asks every part of it, some in processes that take a second to start.
v1::Device Describe(Bench& bench, const SandboxReport& sandbox, const absl::StatusOr<Cutlass>& cutlass, const FoundPython& python);

}  // namespace kernelopt::worker
