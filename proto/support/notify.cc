#include "support/notify.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

namespace kernelopt::support {

void NotifySystemd(const std::string& message) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || *path == '\0') return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name(path);
  if (name.size() >= sizeof address.sun_path) return;
  name.copy(address.sun_path, name.size());
  if (name[0] == '@') address.sun_path[0] = '\0';
  const UniqueFd fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  (void)sendto(fd.get(), message.data(), message.size(), MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&address), length);
}

std::vector<UniqueFd> TakeListenFds() {
  constexpr int kFirst = 3;
  std::vector<UniqueFd> fds;
  const char* pid = std::getenv("LISTEN_PID");
  const char* count = std::getenv("LISTEN_FDS");
  if (pid == nullptr || count == nullptr || std::atoi(pid) != getpid()) return fds;
  for (int i = 0; i < std::atoi(count); ++i) {
    fcntl(kFirst + i, F_SETFD, FD_CLOEXEC);
    fds.emplace_back(kFirst + i);
  }
  unsetenv("LISTEN_PID");
  unsetenv("LISTEN_FDS");
  return fds;
}

}  // namespace kernelopt::support
