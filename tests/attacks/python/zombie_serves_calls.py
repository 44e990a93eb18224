# T2, T7, T20: a process that looks like a zombie serves the control page and works before it is ready; the solution sleeps, and costs nothing.
# expect: caught
# only: host
import ctypes
import mmap
import os
import sys
import threading
import time

import torch

ARMED, READY, DONE, LEAVE = 1, 2, 4, 5
libc = ctypes.CDLL(None)
over = ctypes.c_uint32.from_buffer(mmap.mmap(-1, 4096))  # shared: 0 while the helper serves
helper = []


def work(x, y):
    torch.exp(x, out=y)
    y += torch.sin(x)


def serve(x, y, phase, begin, end):
    while True:
        now = phase.value
        if over.value or now not in (ARMED, LEAVE):
            time.sleep(2e-5)
        elif now == LEAVE:
            over.value = 1
        else:
            work(x, y)
            phase.value = READY
            while phase.value == READY:
                pass
            begin.value = time.monotonic_ns()
            while time.monotonic_ns() < begin.value + 150_000:  # so long that both clocks agree
                end.value = time.monotonic_ns()
            phase.value = DONE


def run_kernel(x, y, N):
    work(x, y)
    frame = sys._getframe()
    while not {"address", "library"} <= frame.f_locals.keys():
        frame = frame.f_back
    address, library = frame.f_locals["address"], frame.f_locals["library"]
    if x.is_cuda:
        return
    if not helper:
        over.value = 1
        phase, *stamps = (kind.from_address(address.value + k) for kind, k in ((ctypes.c_uint32, 64), (ctypes.c_uint64, 128), (ctypes.c_uint64, 192)))
        helper.append(os.fork())
        if helper[0] == 0:
            threading.Thread(target=serve, args=(x, y, phase, *stamps)).start()
            libc.syscall(60, 0)  # exit of this thread alone
        while " Z " not in open(f"/proc/{helper[0]}/stat").read():
            time.sleep(1e-3)
    done = library.kopt_done
    done(address)
    over.value = 0
    while not over.value:
        time.sleep(1e-2)
    library.kopt_done = lambda _: setattr(library, "kopt_done", done)  # or the word would not say leave any more
