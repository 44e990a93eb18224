"""The reference process: runs a user's ref.py inside the sandbox.

One process serves one job and is started ahead of it, with the imports done.
It speaks JSON, one object per packet, over the socket at descriptor 3; file
descriptors of the judge's memory come along as SCM_RIGHTS. It computes
expected values and, when asked, serves as the eager baseline over the same
control page as any runner. It never judges anything.

Packets:
  -> {"ready": true, "framework": "torch 1.13.1", "torch_compile": false, "flashinfer": false}
  <- {"op": "load", "source": "...", "name": "ref.py"}
  -> {"ok": true, "atol": 0.01, "rtol": null, "tensors": {...}}
  <- {"op": "map", "parameters": [...], "sizes": {...}} + fds inputs, outputs, expected, control
  -> {"ok": true}
  <- {"op": "expected", "check_inputs": true}
  -> {"ok": true} | {"ok": false, "reason": "REFERENCE_SHAPE", "message": "..."}
  <- {"op": "serve", "mode": "eager"}
  -> {"ok": true}, then calls over the page until the judge says leave, then {"left": true}
"""
import array
import ctypes
import json
import mmap
import os
import socket
import sys
import traceback
import types
import warnings

import numpy

WANT_TORCH = os.environ.get("KOPT_TORCH", "auto") != "off"
torch = None
if WANT_TORCH:
    try:
        import torch  # noqa: F811

        torch.set_num_threads(1)
        torch.set_grad_enabled(False)
    except ImportError:
        torch = None

warnings.filterwarnings("ignore", message=".*not writ.*")
CONTROL_BYTES = 16384
NOT_YET = ("make_inputs", "check", "plan")


class Refused(Exception):
    """The problem is broken: `reason` and a sentence for its author."""

    def __init__(self, reason, message):
        super().__init__(message)
        self.reason = reason


def trace_of(error, name):
    """The last lines of a traceback that lie in the user's file."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == name]
    where = f"{name}:{frames[-1].lineno}: " if frames else ""
    return f"{where}{type(error).__name__}: {error}"[:2000]


class Wire:
    """Packets with descriptors."""

    def __init__(self):
        self.socket = socket.socket(fileno=3)

    def send(self, message):
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


class Region:
    """One memory object of the judge."""

    def __init__(self, fd, size, writable):
        access = mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0)
        self.memory = mmap.mmap(fd, size, flags=mmap.MAP_SHARED, prot=access) if size else b""
        os.close(fd)

    def view(self, parameter):
        dtype = parameter["dtype"]
        raw = {"bfloat16": "uint16", "float8_e4m3fn": "uint8", "float8_e5m2": "uint8"}.get(dtype, dtype)
        flat = numpy.frombuffer(self.memory, dtype=raw, count=parameter["elements"], offset=parameter["offset"])
        shaped = flat.reshape(parameter["shape"])
        if torch is None:
            if raw != dtype:
                raise Refused("UNSUPPORTED_TYPE", f"{parameter['name']}: {dtype} needs PyTorch; NumPy has no such type")
            return shaped
        wide = {"uint16": numpy.int16, "uint32": numpy.int32, "uint64": numpy.int64}
        if raw in wide and raw == dtype:
            raise Refused("UNSUPPORTED_TYPE", f"{parameter['name']}: PyTorch has no {dtype}; use a signed type")
        tensor = torch.from_numpy(shaped.view(wide.get(raw, shaped.dtype)))
        if raw == dtype:
            return tensor
        if not hasattr(torch, dtype):
            raise Refused("UNSUPPORTED_TYPE", f"{parameter['name']}: this PyTorch ({torch.__version__}) has no {dtype}")
        return tensor.view(getattr(torch, dtype))


def bytes_of(value):
    if torch is not None and isinstance(value, torch.Tensor):
        value = value.contiguous().reshape(-1)
        return value.view(torch.uint8).numpy().tobytes() if value.numel() else b""
    return numpy.ascontiguousarray(value).tobytes()


def copy_of(value):
    return value.clone() if torch is not None and isinstance(value, torch.Tensor) else numpy.array(value)


class Problem:
    """A loaded ref.py and, later, its views on the judge's memory."""

    def __init__(self, source, name):
        self.name = name
        self.module = types.ModuleType("ref")
        self.module.__file__ = name
        sys.modules["ref"] = self.module
        try:
            exec(compile(source, name, "exec"), self.module.__dict__)
        except BaseException as error:  # SystemExit of a script counts as well
            raise Refused("REFERENCE_FAILED", f"importing the reference failed: {trace_of(error, name)}") from error
        self.reference = getattr(self.module, "reference", None)
        if not callable(self.reference):
            raise Refused("REFERENCE_MISSING", f"{name} does not define reference(**kwargs)")
        for other in NOT_YET:
            if hasattr(self.module, other):
                raise Refused("REFERENCE_FAILED", f"{name} defines {other}(), which this version does not use yet; take it out")

    def facts(self):
        number = (int, float)
        facts = {"ok": True, "tensors": {}}
        for key in ("atol", "rtol"):
            value = getattr(self.module, key, None)
            if value is not None and not isinstance(value, number):
                raise Refused("REFERENCE_FAILED", f"{self.name}: {key} must be a number")
            facts[key] = value
        tensors = getattr(self.module, "TENSORS", {})
        if not isinstance(tensors, dict):
            raise Refused("REFERENCE_FAILED", f"{self.name}: TENSORS must be a dict")
        for tensor, about in tensors.items():
            try:
                facts["tensors"][str(tensor)] = json.loads(json.dumps(about))
            except (TypeError, ValueError) as error:
                raise Refused("PROBLEM_FORMAT", f'{self.name}: TENSORS["{tensor}"] must hold texts and numbers') from error
        return facts

    def map(self, parameters, sizes, fds):
        inputs = Region(fds[0], sizes["inputs"], False)
        outputs = Region(fds[1], sizes["outputs"], True)
        expected = Region(fds[2], sizes["outputs"], True)
        self.control = mmap.mmap(fds[3], CONTROL_BYTES)
        self.expected_kwargs, self.timed_kwargs, self.inputs, self.outputs = {}, {}, [], []
        for parameter in parameters:
            name = parameter["name"]
            if parameter["role"] == "scalar":
                value = parameter["value"]
                self.expected_kwargs[name] = self.timed_kwargs[name] = value
            elif parameter["role"] == "in":
                self.inputs.append(name)
                self.expected_kwargs[name] = self.timed_kwargs[name] = inputs.view(parameter)
            else:
                self.outputs.append(name)
                self.expected_kwargs[name] = expected.view(parameter)
                self.timed_kwargs[name] = outputs.view(parameter)

    def store(self, kwargs, result):
        """Puts what reference() returned into the output views."""
        if result is None:
            return
        if isinstance(result, dict):
            named = result
        elif isinstance(result, (tuple, list)):
            if len(result) != len(self.outputs):
                raise Refused("REFERENCE_SHAPE", f"reference returned {len(result)} tensors for the outputs {self.outputs}")
            named = dict(zip(self.outputs, result))
        elif len(self.outputs) == 1:
            named = {self.outputs[0]: result}
        else:
            raise Refused("REFERENCE_SHAPE", f"reference returned one tensor for the outputs {self.outputs}; return a dict or tuple")
        for name, value in named.items():
            if name not in self.outputs:
                raise Refused("REFERENCE_SHAPE", f"reference returned {name!r}, which is not an output; outputs are {self.outputs}")
            self.store_one(kwargs[name], name, value)

    def store_one(self, target, name, value):
        if value is target:
            return
        is_tensor = torch is not None and isinstance(value, torch.Tensor)
        if not is_tensor:
            value = numpy.asarray(value)
        have = int(value.numel()) if is_tensor else int(value.size)
        want = int(numpy.prod(tuple(target.shape)))
        if have != want:
            raise Refused("REFERENCE_SHAPE", f"reference returned {have} elements for {name}, whose buffer has {want}; "
                          "declare its shape in TENSORS or give --ptr-size")
        if torch is None:
            numpy.copyto(target, value.reshape(target.shape), casting="unsafe")
        else:
            if not is_tensor:
                value = torch.from_numpy(numpy.ascontiguousarray(value))
            target.copy_(value.reshape(target.shape))

    def run(self, kwargs, extra=None):
        with numpy.errstate(all="ignore"):
            self.store(kwargs, self.reference(**kwargs, **(extra or {})))

    def expected(self, check_inputs):
        kwargs = dict(self.expected_kwargs)
        if check_inputs:
            for name in self.inputs:
                kwargs[name] = copy_of(kwargs[name])
        try:
            self.run(kwargs)
        except Refused:
            raise
        except BaseException as error:
            if "read-only" in str(error):
                raise Refused("REFERENCE_WROTE_INPUT", f"reference writes to an input: {trace_of(error, self.name)}") from error
            raise Refused("REFERENCE_FAILED", f"reference failed: {trace_of(error, self.name)}") from error
        if check_inputs:
            for name in self.inputs:
                if bytes_of(kwargs[name]) != bytes_of(self.expected_kwargs[name]):
                    raise Refused("REFERENCE_WROTE_INPUT", f"reference changes its input {name}; work on a copy")

    def serve(self, mode):
        extra = {}
        call = self.reference
        if mode == "torch-compile":
            call = torch.compile(self.reference, dynamic=False)
        elif mode == "flashinfer":
            extra["baseline"] = "flashinfer"
        kwargs = dict(self.timed_kwargs)
        library = ctypes.CDLL(os.environ["KOPT_WIRE_LIBRARY"])
        page = ctypes.addressof(ctypes.c_char.from_buffer(self.control))
        argument = ctypes.c_void_p(page)
        while library.kopt_next(argument):
            self.store(kwargs, call(**kwargs, **extra))
            library.kopt_done(argument)


def versions():
    if torch is None:
        return {"framework": f"numpy {numpy.__version__}", "torch_compile": False, "flashinfer": False}
    try:
        import flashinfer  # noqa: F401
        has_flashinfer = True
    except ImportError:
        has_flashinfer = False
    return {"framework": f"torch {torch.__version__}", "torch_compile": hasattr(torch, "compile"), "flashinfer": has_flashinfer}


def main():
    sys.stdout.reconfigure(line_buffering=True)
    wire = Wire()
    wire.send({"ready": True, **versions()})
    problem = None
    while True:
        request, fds = wire.receive()
        if request is None:
            return
        try:
            if request["op"] == "load":
                problem = Problem(request["source"], request["name"])
                wire.send(problem.facts())
            elif request["op"] == "map":
                problem.map(request["parameters"], request["sizes"], fds)
                wire.send({"ok": True})
            elif request["op"] == "expected":
                problem.expected(request.get("check_inputs", False))
                wire.send({"ok": True})
            elif request["op"] == "serve":
                wire.send({"ok": True})
                problem.serve(request["mode"])
                wire.send({"left": True})
        except Refused as refused:
            wire.send({"ok": False, "reason": refused.reason, "message": str(refused)})


if __name__ == "__main__":
    main()
