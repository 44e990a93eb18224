// Keeps a sandbox for a process that moves in from outside (kopt_zygote.py).
#pragma once

namespace kernelopt::runner {

// As the init of the sandbox's pid namespace: nobody inside can stop, kill or change
// it. Says that it is there over kSocketFd, reads there how the process ended (a wait
// status), and exits as a shell would, so that bwrap reports it. Closed without a
// word: exits with 1.
[[noreturn]] void Anchor();

}  // namespace kernelopt::runner
