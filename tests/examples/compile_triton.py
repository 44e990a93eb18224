"""compile_triton.py FOLDER...: compiles the Triton examples there for all their workloads, as a worker does before a turn
(worker/runner/kopt_ahead.py), which needs no GPU; then once more with what that left, when nothing is compiled any more."""
import importlib.util
import math
import os
import pathlib
import shutil
import sys
import tempfile
import time

RUNNER = pathlib.Path(__file__).resolve().parents[2] / "worker/runner"
sys.path.insert(0, str(RUNNER))
os.environ["KOPT_PLACE"] = "gpu"
import kopt_ahead  # noqa: E402
from kopt_forms import Form  # noqa: E402
from workloads import workloads  # noqa: E402


def load(path):
    spec = importlib.util.spec_from_file_location("solution", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Form.of(module, str(path))


def told(folder):
    """The workloads as a worker tells them."""
    for _, dims, tensors in workloads(folder):
        parameters = [{"name": name, "strides": [], "span": math.prod(t["shape"]), **t} for name, t in tensors.items()]
        parameters += [{"name": name, "role": "scalar", "value": value} for name, value in dims.items()]
        yield {"parameters": parameters, "dims": dims, "kernelbench": None}


def compile_it(path, cache, before=None):
    """In an empty cache, but for `before`: the answer, the archive, how many files were written, seconds."""
    archive = os.memfd_create("archive")
    shutil.rmtree(cache, ignore_errors=True)
    if before is not None:
        os.lseek(before, 0, os.SEEK_SET)
        kopt_ahead.unpack(os.dup(before))
    written = {file: file.stat().st_mtime_ns for file in cache.rglob("*")}
    begin = time.monotonic()
    answer = kopt_ahead.compile_ahead(lambda: load(path), {"arch": 90, "seconds": 300, "workloads": list(told(path.parent))}, os.dup(archive))
    new = [file for file in cache.rglob("*") if file.is_file() and file.stat().st_mtime_ns != written.get(file)]
    return answer, archive, new, time.monotonic() - begin


def main(paths):
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        cache = pathlib.Path(folder) / "triton"
        os.environ["TRITON_CACHE_DIR"] = str(cache)  # always there: what lies in it says so
        for path in paths:
            answer, archive, new, seconds = compile_it(path, cache)
            if answer["why"] or not any(file.suffix == ".cubin" for file in new):
                sys.exit(f"{path}: {answer}")
            again, _, more, warm = compile_it(path, cache, archive)
            if again["why"] or more:
                sys.exit(f"{path}: compiled again: {again}, {more}")
            print(f"{path.parent.name}/{path.name}: {answer['packed']} files in {seconds:.1f} s, again in {warm:.1f} s", flush=True)
            count += 1
    return None if count else "no example"


if __name__ == "__main__":
    sys.exit(main(sorted(file for folder in sys.argv[1:] for file in pathlib.Path(folder).glob("*.py") if "import triton" in file.read_text())))
