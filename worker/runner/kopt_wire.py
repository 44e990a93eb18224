"""What every Python process of a worker does: packets with descriptors, and calls over a control page."""
import array
import ctypes
import json
import mmap
import os
import socket

from kopt_views import ON_GPU, settle

CONTROL_BYTES = 131072


class Wire:
    """JSON, one object a packet, over the socket at descriptor 3; descriptors come along as SCM_RIGHTS."""

    def __init__(self):
        self.socket = socket.socket(fileno=3)

    def send(self, message):
        settle()
        self.socket.send(json.dumps(message).encode())

    def receive(self):
        data, ancillary, _, _ = self.socket.recvmsg(192 << 10, socket.CMSG_SPACE(32))
        if not data:
            return None, []
        fds = array.array("i")
        for level, kind, payload in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                fds.frombytes(payload[: len(payload) - len(payload) % fds.itemsize])
        return json.loads(data), list(fds)


class Page:
    """The control page: its loop is libkopt_wire's, the same as that of kopt-runner."""

    def __init__(self, fd):
        self.memory = mmap.mmap(fd, CONTROL_BYTES)
        os.close(fd)
        self.library = ctypes.CDLL(os.environ["KOPT_WIRE_LIBRARY"])
        self.library.kopt_trouble.restype = ctypes.c_char_p
        self.address = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(self.memory)))

    def serve(self, call, regions, batch=None):
        """call() until the judge says leave; batch(calls, sets) where it asks for many behind each other.

        regions: inputs and outputs, whose pages a GPU has to look up."""
        library, address = self.library, self.address
        if ON_GPU:  # timed by events
            if library.kopt_use_gpu() != 0:
                raise RuntimeError(library.kopt_trouble().decode())
            for region in regions:
                library.kopt_know(ctypes.c_void_p(region.address), ctypes.c_uint64(region.size.value))
        calls, sets = ctypes.c_uint32(), ctypes.c_uint32()
        many = ctypes.byref(calls), ctypes.byref(sets)
        while library.kopt_next(address, *many):
            if calls.value and batch is not None:
                batch(calls.value, sets.value)
            else:
                call()
            library.kopt_done(address)
