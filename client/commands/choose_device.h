// --device, --gpu and --arch: which device they mean.
#pragma once

#include "client/commands/spec_options.h"

namespace kernelopt::client {

// As in JobSpec.device: "host" without any of the three; with --arch alone the
// first GPU of it that is online, else the first. INVALID_ARGUMENT says what
// there is instead.
absl::StatusOr<std::string> ChooseDevice(const SpecOptions& options, Context& context);

}  // namespace kernelopt::client
