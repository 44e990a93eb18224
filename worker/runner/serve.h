// The runner's side of the control page. Also built into libkopt_wire.so, which
// the Python runner calls through ctypes.
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

extern "C" {
// WaitForGo and Begin in one, so that what the interpreter does between them is
// inside both clocks.
int kopt_next(void* page);
void kopt_done(void* page);
}
