"""The reference process: runs a user's ref.py inside the sandbox.

One process serves one job and is started ahead of it, with the imports done.
It computes expected values, makes inputs that the problem wants made, and, when
asked, serves as a baseline over the same control page as any runner. It never
judges anything: even check() is the problem's own.

Packets (kopt_problem.py does the work):
  -> {"ready": true, "framework": "torch 1.13.1", "torch_compile": false, "flashinfer": false}
  <- {"op": "load", "source": "...", "name": "ref.py"}
  -> {"ok": true, "atol": 0.01, "rtol": null, "math": "strict", "tensors": {...}, "functions": ["plan"]}
  <- {"op": "map", "tf32": false, "parameters": [...], "dims": {...}, "sizes": {...}}
       + fds inputs, outputs, expected, control and, where sizes has it, staging
  -> {"ok": true, "flops": 0, "bytes": 0}
  <- {"op": "file", "parameter": "w"} + fd of a .npy file   -> {"ok": true}
  <- {"op": "plan"}                                         -> {"ok": true}
  <- {"op": "make_inputs", "seed": 1}                       -> {"ok": true, "made": ["x"]}
  <- {"op": "expected", "check_inputs": true, "oracle_seconds": 2, "keep_outputs": false}
  -> {"ok": true, "oracle": "float64"}
     | {"ok": true, "oracle": "reference", "oracle_message": "..."}
     | {"ok": false, "reason": "REFERENCE_SHAPE", "message": "..."}
  <- {"op": "check"}                                        -> {"ok": true, "passed": false, "message": "..."}
  <- {"op": "serve", "mode": "eager" | "torch-compile:max-autotune" | "flashinfer" | "library"}
  -> {"ok": true}, then calls over the page until the judge says leave, then {"ok": true, "left": true}
"""
import gc
import sys
import warnings

sys.path.insert(0, "/kopt")  # -I leaves the script's own folder out
from kopt_problem import Problem, Refused  # noqa: E402
from kopt_views import versions  # noqa: E402
from kopt_wire import Wire  # noqa: E402

warnings.filterwarnings("ignore", message=".*not writ.*")


def answer(wire, problem, request, fds):
    """One request of a loaded problem."""
    op = request["op"]
    if op == "map":
        wire.send({"ok": True, **problem.map(request["tf32"], request["parameters"], request["dims"], request["sizes"], fds)})
    elif op == "rest":
        problem.let_go()
        problem.oracle_off = ""
        wire.send({"ok": True})
    elif op == "file":
        wire.send({"ok": True, **problem.take_file(request["parameter"], fds[0])})
    elif op == "plan":
        wire.send({"ok": True, **problem.make_plan()})
    elif op == "make_inputs":
        wire.send({"ok": True, **problem.make_inputs(request["seed"])})
    elif op == "expected":
        wire.send({"ok": True, **problem.expected(request["check_inputs"], request["oracle_seconds"], request["keep_outputs"])})
    elif op == "check":
        wire.send({"ok": True, **problem.check()})
    elif op == "serve":
        call = problem.baseline(request["mode"])
        wire.send({"ok": True})
        problem.serve(call)
        wire.send({"ok": True, "left": True})


def main():
    sys.stdout.reconfigure(line_buffering=True)
    wire = Wire()
    ready = {"ready": True, **versions()}
    gc.collect()
    gc.freeze()  # what was imported stays: collecting garbage among it took 70 ms
    wire.send(ready)
    problem = None
    while True:
        request, fds = wire.receive()
        if request is None:
            return
        try:
            if request["op"] == "load":
                problem = Problem(request["source"], request["name"])
                wire.send(problem.facts())
            else:
                answer(wire, problem, request, fds)
        except Refused as refused:
            wire.send({"ok": False, "reason": refused.reason, "message": str(refused)})


if __name__ == "__main__":
    main()
