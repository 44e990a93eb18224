# verdict: RUNTIME_ERROR SIGNAL
import ctypes


def run_kernel(x, y, N):
    ctypes.string_at(0)
