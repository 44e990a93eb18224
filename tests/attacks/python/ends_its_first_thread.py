# T2, T20, H14: ends its own first thread, so that a census takes the solution for dead and a helper process for the solution.
# expect: caught
# only: host
import ctypes
import os
import sys
import threading
import time

import torch

libc = ctypes.CDLL(None)
helper = []


def exit_thread():
    libc.syscall(60, 0)  # of this thread alone


def frame_with(*names):
    frame = sys._getframe()
    while frame and not set(names) <= frame.f_locals.keys():
        frame = frame.f_back
    return frame.f_locals


def live_on(main, serving):
    """What is left of the harness' main thread, in this one."""
    wire, solution, answer = main["wire"], main["solution"], sys.modules["kopt_solution"].answer
    while " Z " not in open("/proc/self/stat").read():
        time.sleep(1e-3)
    serving["library"].kopt_done(serving["address"])
    serving["self"].serve(serving["call"], serving["regions"], serving["batch"])
    wire.send({"ok": True, "left": True, **solution.left()})
    while (packet := wire.receive())[0] is not None:
        answer(wire, solution, *packet)
    os._exit(0)


def run_kernel(x, y, N):
    torch.exp(x, out=y)
    y += torch.sin(x)
    if helper or x.is_cuda:
        return
    helper.append(os.fork())
    while helper[0] == 0:  # a visible process beside the solution, which could do anything while that is stopped
        x.exp()
    threading.Thread(target=live_on, args=(frame_with("wire", "solution"), frame_with("library", "address"))).start()
    exit_thread()
