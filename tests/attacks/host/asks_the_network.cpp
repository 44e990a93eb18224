// R12: asks another machine for the answer.
// expect: neutralised
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static const int line = [] {
    const int made = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_port = htons(53);
    there.sin_addr.s_addr = htonl(0x08080808);
    return made >= 0 && connect(made, reinterpret_cast<sockaddr*>(&there), sizeof there) == 0 ? made : -1;
  }();
  if (line >= 0) return;
  Honest(x, y, 0, N);
}
