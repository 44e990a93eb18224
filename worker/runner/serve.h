// The runner's side of the control page; also that of Python processes, by
// libkopt_wire.so (python.cc).
#pragma once

#include "runner/wire.h"

namespace kernelopt::wire {

// Sleeps until armed, answers ready, spins until go. True: call now; false:
// the judge wants the runner to leave.
bool WaitForGo(ControlPage* page);
// Stamps; call right before and right after the work.
uint64_t NowNs();
void Begin(ControlPage* page);
void Done(ControlPage* page);

}  // namespace kernelopt::wire
