"""compile_cute.py FOLDER...: compiles the CuTe DSL examples there for all their workloads, which needs no GPU."""
import inspect
import os
import pathlib
import runpy
import sys
import time

os.environ["CUTE_DSL_ARCH"] = "sm_90a"
import cutlass.cute as cute  # noqa: E402
import torch  # noqa: E402
from workloads import workloads  # noqa: E402


class Compiled(Exception):
    pass


def compile_only(*arguments, compiler=cute.compile, **options):
    try:
        compiler(*arguments, **options)
    except RuntimeError as error:
        if not str(error).startswith("Unknown function"):  # machine code is made; what loads it is the driver's
            raise
    raise Compiled


cute.compile = compile_only
count = 0
for folder in map(pathlib.Path, sys.argv[1:]):
    for workload, dims, tensors in workloads(folder):
        begin = time.monotonic()
        run_kernel = runpy.run_path(str(folder / "cute.py"))["run_kernel"]
        given = {name: torch.zeros(tensor["shape"]) for name, tensor in tensors.items()}
        try:
            run_kernel(**{name: given.get(name, dims.get(name)) for name in inspect.signature(run_kernel).parameters})
            sys.exit(f"{folder.name}/cute.py compiles nothing")
        except Compiled:
            count += 1
            print(f"{folder.name}, {workload}: compiled in {time.monotonic() - begin:.1f} s", flush=True)
sys.exit(0 if count else "no example")
