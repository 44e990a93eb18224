// What systemd and its units hand to a program, without its library.
#pragma once

#include <string>
#include <vector>

#include "support/files.h"

namespace kernelopt::support {

// One datagram to $NOTIFY_SOCKET as sd_notify(3) describes it; nothing without.
void NotifySystemd(const std::string& message);

// Descriptors of socket units (sd_listen_fds(3)), once; none without.
std::vector<UniqueFd> TakeListenFds();

}  // namespace kernelopt::support
