// One line of `koptctl doctor`.
#pragma once

#include <string>

#include "kernelopt/v1/device_service.pb.h"

namespace kernelopt::support {

inline v1::Capability Capable(const std::string& name, bool available, const std::string& detail) {
  v1::Capability capability;
  capability.set_name(name);
  capability.set_available(available);
  capability.set_detail(detail);
  return capability;
}

}  // namespace kernelopt::support
