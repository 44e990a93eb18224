# T2, T7, H14: serves the control page itself, and says that it is ready when the work is already done.
# expect: neutralised
import ctypes
import sys
import time

import torch

IDLE, ARMED, READY, GO, DONE, LEAVE = range(6)
libc = ctypes.CDLL(None)


def work(x, y):
    torch.exp(x, out=y)
    y += torch.sin(x)
    if x.is_cuda:
        torch.cuda.synchronize()


def serve(x, y, page, library):
    phase, begin = ctypes.c_uint32.from_address(page.value + 64), ctypes.c_uint64.from_address(page.value + 128)
    end = (ctypes.c_uint64 * 4).from_address(page.value + 192)  # inner_end_ns, device_us, lead_us, returned_ns
    done = library.kopt_done
    done(page)
    while (now := phase.value) != LEAVE:
        if now != ARMED:
            libc.syscall(202, ctypes.c_void_p(page.value + 64), 0, now, None, None, 0)  # futex: sleep until it changes
            continue
        work(x, y)
        phase.value = READY
        while phase.value == READY:
            pass
        begin.value = time.monotonic_ns()
        end[:] = [time.monotonic_ns(), 0x3FF0000000000000, 0, time.monotonic_ns()]  # 1.0 us
        phase.value = DONE
    library.kopt_done = lambda _: setattr(library, "kopt_done", done)  # or the word would not say leave any more


def run_kernel(x, y, N):
    work(x, y)
    frame = sys._getframe()
    while frame and not {"address", "library"} <= frame.f_locals.keys():
        frame = frame.f_back
    serve(x, y, frame.f_locals["address"], frame.f_locals["library"])
