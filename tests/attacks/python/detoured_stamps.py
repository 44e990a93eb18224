# T5, T6: overwrites the code of the native function that ends a call with one that reports a nanosecond and one microsecond of the GPU.
# expect: neutralised
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
patched = []


def run_kernel(x, y, N):
    if not patched:
        frame = sys._getframe()
        while frame and "library" not in frame.f_locals:
            frame = frame.f_back
        at = ctypes.cast(frame.f_locals["library"].kopt_done, ctypes.c_void_p).value
        patched.append(ctypes.CDLL(None).mprotect(ctypes.c_void_p(at & ~4095), ctypes.c_size_t(8192), 7))
        ctypes.memmove(at, CODE, len(CODE))
    torch.exp(x, out=y)
    y += torch.sin(x)
    if x.is_cuda:
        torch.cuda.synchronize()
