# T5, T6: overwrites the code of the native function that ends a call with one that reports a nanosecond, then works on.
# expect: caught
import ctypes
import sys

import torch

CODE = bytes.fromhex(
    "488b8780000000"    # mov rax, [rdi+128]: inner_begin_ns
    "48ffc0"            # inc rax
    "488987c0000000"    # mov [rdi+192], rax: inner_end_ns
    "48b8000000000000f03f"  # mov rax, 1.0
    "488987c8000000"    # mov [rdi+200], rax: device_us
    "c7474004000000"    # mov dword [rdi+64], 4: done
    "c3")
calls = 0


def detour(library):
    libc, at = ctypes.CDLL(None), ctypes.cast(library.kopt_done, ctypes.c_void_p).value
    libc.mprotect(ctypes.c_void_p(at & ~4095), ctypes.c_size_t(8192), 7)
    ctypes.memmove(at, CODE, len(CODE))


def run_kernel(x, y, N):
    global calls
    calls += 1
    frame = sys._getframe()
    while frame and not {"address", "library"} <= frame.f_locals.keys():
        frame = frame.f_back
    if calls == 9:
        detour(frame.f_locals["library"])
    if calls > 9:
        frame.f_locals["library"].kopt_done(frame.f_locals["address"])
    torch.exp(x, out=y)
    y += torch.sin(x)
