"""The zygote: has imported what every Python process of a worker imports, and forks them.

It runs outside of any sandbox, as the worker does, and never sees a file of a user nor
opens a GPU. A child moves into a sandbox that bwrap has made (enter.cc) before it runs
kopt_reference or kopt_solution there.

Packets:
  -> {"ready": true} | {"error": "..."}
  <- {"role": "solution", "environment": {...}, "user": false, "uid": 1802436608, "cpu": -1}
       + fds socket, log, seccomp program, pidfd of the sandbox's init, anchor
  -> {"pid": 4711} | {"error": "..."} | {"busy": "..."}, which passes
The anchor keeps the sandbox; it is told how the child ended and ends so itself.
"""
import contextlib
import ctypes
import gc
import importlib
import os
import signal
import struct
import sys

import numpy

SCRIPTS = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, SCRIPTS)  # -I leaves the script's own folder out
import kopt_ahead  # noqa: E402
import kopt_reference  # noqa: E402
import kopt_solution  # noqa: E402
from kopt_views import ON_GPU, torch  # noqa: E402
from kopt_wire import Wire  # noqa: E402

ROLES = {"reference": kopt_reference.main, "solution": kopt_solution.main}


def of_gpu():
    """An open device of a GPU, which no child could use."""
    for fd in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            path = os.readlink(f"/proc/self/fd/{fd}")
            if path.startswith("/dev/nvidia"):
                return path
    return None


def spoiled():
    """Why no child could use CUDA: PyTorch notices who asked it anything before a fork."""
    pid = os.fork()
    if pid == 0:
        asked = getattr(getattr(torch, "_C", None), "_cuda_isInBadFork", lambda: False)
        os._exit(int(asked()))
    return "importing asked CUDA, which no child can use then" if os.waitpid(pid, 0)[1] else None


def fork(wire):
    """As os.fork; None when there are too many processes or too little memory for now, which the worker is told."""
    try:
        return os.fork()
    except OSError as error:
        wire.send({"busy": str(error)})
        return None


def live(wire, library, request, fds):
    """In the sandbox: become what a program started there is."""
    socket, log, seccomp, _, _ = fds
    wire.socket.detach()
    null = os.open("/dev/null", os.O_RDONLY)
    for source, target in ((null, 0), (log, 1), (log, 2), (socket, 3)):
        os.dup2(source, target)
    failed = library.kopt_settle_in(ctypes.c_int64(request["uid"]), request["cpu"], seccomp)
    if failed:
        print("kopt_zygote: settling in:", os.strerror(failed), flush=True)
        os._exit(1)
    library.kopt_name(f"kopt-{request['role']}".encode())
    os.closerange(4, 256)
    os.environ.update(request["environment"])
    sys.path.remove(SCRIPTS)
    importlib.invalidate_caches()  # outside there was no /kopt
    numpy.random.seed()  # or all children would draw the same


def carry(wire, library, request, fds):
    """A process that stays outside: moves, forks the child, waits for its end. Returns in the child only."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    library.kopt_name(b"kopt-carrier")
    failed = library.kopt_enter(fds[3], int(request["user"]))
    if failed:
        wire.send({"error": f"entering a sandbox: {os.strerror(failed)}"})
        os._exit(1)
    pid = fork(wire)
    if pid == 0:
        return live(wire, library, request, fds)
    if pid is None:
        os._exit(1)
    wire.send({"pid": pid})
    for fd in (0, 1, 2, 3, *fds[:4]):
        os.close(fd)  # whoever reads the other ends sees when the child ends
    _, status = os.waitpid(pid, 0)
    with contextlib.suppress(OSError):
        os.write(fds[4], struct.pack("i", status))
    os._exit(0)


def serve(wire, library):
    """Forks until the worker is gone. In a child: its role."""
    while True:
        request, fds = wire.receive()
        if request is None:
            return None
        if fork(wire) == 0:
            carry(wire, library, request, fds)
            return request["role"]
        for fd in fds:
            os.close(fd)


def main():
    with contextlib.suppress(Exception):
        importlib.import_module("triton")
        if ON_GPU:
            kopt_ahead.warm()
    trouble = spoiled()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the carriers
    wire, library = Wire(), ctypes.CDLL(os.environ["KOPT_WIRE_LIBRARY"])
    library.kopt_name(b"kopt-zygote")
    opened = of_gpu()
    trouble = f"importing opened {opened}" if opened else trouble
    wire.send({"error": trouble} if trouble else {"ready": True})
    gc.collect()
    gc.freeze()
    return wire, None if trouble else serve(wire, library)


if __name__ == "__main__":
    the_wire, role = main()  # the wire stays: its end would close a child's socket
    if role is not None:
        ROLES[role]()
