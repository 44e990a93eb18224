// Keeps a sandbox for a process that moves in from outside (kopt_zygote.py).
#pragma once

namespace kernelopt::runner {

// Says that it is there over kSocketFd, reads there how that process ended (a wait
// status), and ends in the same way, so that bwrap reports it. Closed without a
// word: exits with 1.
[[noreturn]] void Anchor();

}  // namespace kernelopt::runner
