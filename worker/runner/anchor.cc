#include "runner/anchor.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/wire.h"

namespace kernelopt::runner {

void Anchor() {
  using wire::kSocketFd;
  int status = 0;
  const bool said = write(kSocketFd, "here", 4) == 4;
  if (!said || read(kSocketFd, &status, sizeof status) != sizeof status) _exit(1);
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  _exit(1);
}

}  // namespace kernelopt::runner
