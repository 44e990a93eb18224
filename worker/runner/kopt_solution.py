"""The process of a Python solution: imports it inside the sandbox and calls it when told.

Never trusted: what it says only makes a message friendlier, or harms its own result.

Packets (each answered by {"ok": true, ...} or {"ok": false, "reason": ..., "message": ...}):
  -> {"ready": true, "framework": "torch 2.11.0", ...}
  <- {"op": "file", "path": "kernel.py"} + fd of its content; each file
  <- {"op": "cache"} + fd: what was compiled ahead, into the cache of compilers
  <- {"op": "import", "path": "kernel.py"}                  -> {"form": "run_kernel"}
  <- {"op": "ahead", "path": "kernel.py", "arch": 90, "seconds": 30, "workloads": [{"parameters": [...], "dims": {...}}]}
       + fd for the archive, instead of importing: see kopt_ahead.py    -> {"packed": 9, "why": "", "state": "complete"}
  <- {"op": "describe", "dims": {...}, "seed": 42}          -> {"tensors": {...}, "order": ["x", "y"]}
       where nothing else declares the tensors: what setup() makes
  <- {"op": "map", "tf32": false, "parameters": [...], "dims": {...}, "seed": 42, "sizes": {...}}
       + fds inputs, outputs, control
  <- {"op": "sets", "sizes": {...}, "bytes": {...}} + fds inputs, outputs: further sets, for batches
  <- {"op": "serve"}, then calls over the page until the judge says leave   -> {"left": true, "copied": ["y"], "compiled": 3}
     a call that raises ends the process; its last packet says what happened
"""
import contextlib
import gc
import importlib
import importlib.util
import os
import sys
import warnings

sys.path.insert(0, "/kopt")  # -I leaves the script's own folder out
from kopt_ahead import compile_ahead, unpack  # noqa: E402
from kopt_forms import Form  # noqa: E402
from kopt_views import ON_GPU, Refused, Views, torch, trace_of, use_tf32, versions  # noqa: E402
from kopt_wire import Page, Wire  # noqa: E402

FOLDER = "/tmp/solution"
CACHES = ("TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR")
warnings.filterwarnings("ignore", message=".*not writ.*")


def compiled():
    """How many entries the caches of Triton and Inductor have."""
    return sum(len(os.listdir(folder)) for folder in map(os.environ.get, CACHES) if os.path.isdir(folder))


class Solution:
    def __init__(self):
        self.form = self.views = self.one = None
        self.sets = []

    def file(self, path, fd):
        target = os.path.join(FOLDER, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with os.fdopen(fd, "rb") as content, open(target, "wb") as file:
            file.write(content.read())
        return {}

    def load(self, path):
        """From a file: Triton reads the source of its kernels again."""
        target = os.path.join(FOLDER, path)
        sys.path.insert(0, os.path.dirname(target))
        spec = importlib.util.spec_from_file_location("solution", target)
        module = importlib.util.module_from_spec(spec)
        sys.modules["solution"] = module
        try:
            spec.loader.exec_module(module)
        except ImportError as error:
            raise Refused("MISSING_IMPORT", f"{trace_of(error, target, path)}; install it for worker.python, or take the import out") from error
        except BaseException as error:  # SystemExit of a script counts as well
            raise Refused("IMPORT_FAILED", f"importing the solution failed: {trace_of(error, target, path)}") from error
        self.form = Form.of(module, path)
        return {"form": self.form.name}

    def map(self, request, fds):
        use_tf32(request["tf32"])
        self.tf32 = request["tf32"]
        sizes = request["sizes"]
        self.views = Views(request["parameters"], (fds[0], sizes["inputs"]), (fds[1], sizes["outputs"]))
        self.page = Page(fds[2])
        self.form.prepare(self.views.parameters, self.views.kwargs, request["dims"], request["seed"], request["kernelbench"])
        self.one = self.form.arguments(self.views.kwargs)  # what does not fit is said here: in a call there is nobody else to blame
        return {"own_weights": self.form.own_weights}

    def take_sets(self, request, fds):
        """Tensors that last are those of the first buffers."""
        sizes, apart = request["sizes"], request["bytes"]
        regions = self.views.open((fds[0], sizes["inputs"]), (fds[1], sizes["outputs"]))
        self.sets = [self.form.arguments({**self.views.kwargs, **self.views.further(regions, apart, k)})
                     for k in range(sizes["inputs"] // apart["inputs"] if apart["inputs"] else sizes["outputs"] // apart["outputs"])]
        return {}

    def serve(self):
        use_tf32(self.tf32)
        one, call = self.one, self.form.call

        def batch(calls, sets):
            for k in range(calls):
                call(self.sets[k % sets])

        self.page.serve(lambda: call(one), self.views.regions, batch)

    def left(self):
        return {"copied": sorted(self.form.copied), "compiled": compiled()}


def answer(wire, solution, request, fds):
    op = request["op"]
    if op == "file":
        wire.send({"ok": True, **solution.file(request["path"], fds[0])})
    elif op == "cache":
        unpack(fds[0])
        wire.send({"ok": True})
    elif op == "import":
        wire.send({"ok": True, **solution.load(request["path"])})
    elif op == "ahead":
        wire.send({"ok": True, **compile_ahead(lambda: solution.load(request["path"]) and solution.form, request, fds[0])})
    elif op == "describe":
        wire.send({"ok": True, **solution.form.describe(request["dims"], request["seed"])})
    elif op == "map":
        wire.send({"ok": True, **solution.map(request, fds)})
    elif op == "sets":
        wire.send({"ok": True, **solution.take_sets(request, fds)})
    elif op == "serve":
        wire.send({"ok": True})
        solution.serve()
        wire.send({"ok": True, "left": True, **solution.left()})


def warm_up():
    """What takes long and is the same for every solution, but for CuTe DSL: a second that others have no use for."""
    with contextlib.suppress(Exception):
        importlib.import_module("triton")
    if ON_GPU and torch is not None and torch.cuda.is_available():
        torch.zeros(1, device="cuda")


def main():
    sys.stdout.reconfigure(line_buffering=True)
    wire = Wire()
    warm_up()
    ready = {"ready": True, **versions()}
    gc.collect()
    gc.freeze()
    wire.send(ready)
    solution = Solution()
    while True:
        request, fds = wire.receive()
        if request is None:
            return
        try:
            answer(wire, solution, request, fds)
        except Refused as refused:
            wire.send({"ok": False, "reason": refused.reason, "message": str(refused)})
            if request["op"] == "serve":
                os._exit(1)  # nobody waits at the socket; the judge sees the end, and reads that


if __name__ == "__main__":
    main()
