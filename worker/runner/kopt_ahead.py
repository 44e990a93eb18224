"""Compiles the Triton kernels of a solution before its turn, in a process that has no GPU and none of the job's data.

The solution is called with tensors that have a type, a shape and no content; what would launch a kernel compiles it. What
the compilers leave in their cache is packed, and unpacked where the solution runs. Where a solution does what cannot be
done without content or a GPU, the rest is compiled in its first call, as ever.
"""
import contextlib
import importlib
import io
import os
import signal
import tarfile
import tempfile

from kopt_views import Refused, as_declared, torch

FOLDERS = {"triton": "TRITON_CACHE_DIR"}
DEVICE = "cuda:0" if hasattr(torch, "compile") else "cpu"  # of tensors without content: before PyTorch 2 all of a GPU want one


def warm():
    """For the zygote: what is the same for every Triton process, and takes each of them seconds."""
    importlib.import_module("triton.compiler.compiler")
    with contextlib.suppress(Exception):
        importlib.import_module("triton.runtime.cache").triton_key()  # of all files of Triton, which its cache's keys begin with
    with contextlib.suppress(Exception):
        tensors_of([{"name": "x", "role": "in", "dtype": "float32", "shape": [1], "strides": [], "span": 1}], fake_mode())
    with contextlib.suppress(Exception):
        share_utilities()


def share_utilities():
    """The module through which Triton talks to the driver is compiled once, with gcc, and stays; as are those that launch
    kernels, within a process."""
    driver = importlib.import_module("triton.backends.nvidia.driver")
    compile_module, known = driver.compile_module_from_src, {}

    def once(*arguments, **named):
        key = repr((arguments, sorted(named.items())))
        if key not in known:
            known[key] = compile_module(*arguments, **named)
        return known[key]

    elsewhere = os.environ["TRITON_CACHE_DIR"]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRITON_CACHE_DIR"] = folder
        try:
            driver.compile_module_from_src = once
            driver.CudaUtils()
        finally:
            os.environ["TRITON_CACHE_DIR"] = elsewhere


# --- what stands in for a GPU ---


class Driver:
    """Of Triton, as far as compiling asks for one."""

    def __init__(self, arch):
        self.target = importlib.import_module("triton.backends.compiler").GPUTarget("cuda", arch, 32)
        self.own = importlib.import_module("triton.backends.nvidia.driver")

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device):
        return 0

    def get_current_target(self):
        return self.target

    def get_device_capability(self, device=0):
        return divmod(self.target.arch, 10)

    def get_active_torch_device(self):
        return torch.device(DEVICE)

    def get_benchmarker(self):
        return lambda *arguments, **named: [0.0, 0.0, 0.0]

    def map_python_to_cpp_type(self, name):
        return self.own.ty_to_cpp(name)


def compile_instead(driver):
    """From here on a launch compiles, and does no more."""
    jit = importlib.import_module("triton.runtime.jit")
    tuner = importlib.import_module("triton.runtime.autotuner").Autotuner
    importlib.import_module("triton.runtime").driver.set_active(driver)
    launch = jit.JITFunction.run

    def plain(value):
        return jit.MockTensor(value.dtype) if isinstance(value, torch.Tensor) else value

    def run(self, *arguments, grid, warmup, **named):
        kernel = launch(self, *map(plain, arguments), grid=grid, warmup=True, **{name: plain(value) for name, value in named.items()})
        with contextlib.suppress(Exception):  # what passes the arguments, compiled with gcc
            driver.own.CudaLauncher(kernel.src, kernel.metadata)
        return kernel

    def bench(self, *arguments, config, **named):
        self.fn.run(*arguments, **{**named, **config.all_kwargs()})
        return [0.0, 0.0, 0.0]

    jit.JITFunction.run = run
    tuner._bench = bench
    torch.cuda.current_device = lambda: 0
    torch.cuda.device = lambda device: contextlib.nullcontext()
    torch.cuda.synchronize = lambda device=None: None
    torch.cuda.get_device_capability = driver.get_device_capability


def fake_mode():
    return importlib.import_module("torch._subclasses.fake_tensor").FakeTensorMode()


def tensors_of(parameters, mode):
    """The contract's parameters by name: tensors without content, and scalars."""
    kwargs = {}
    with mode:
        for p in parameters:
            if p["role"] == "scalar":
                kwargs[p["name"]] = p["value"]
                continue
            flat = torch.empty(p["span"], dtype=getattr(torch, p["dtype"]), device=DEVICE)
            kwargs[p["name"]] = as_declared(flat, {**p, "dtype": ""})
    return kwargs


# --- the call ---


def compile_ahead(load, request, archive):
    """`load()` imports the solution and gives its Form. Packs what was compiled into the descriptor `archive`; the answer
    says how many files that are, why there may be more to compile, and whether another try would do as much."""
    why, gave_up = "", []

    def give_up(*_):
        gave_up.append(True)
        raise TimeoutError("compiling ahead took too long")

    try:
        if torch is not None:
            compile_instead(Driver(request["arch"]))
        signal.signal(signal.SIGALRM, give_up)
        signal.alarm(request["seconds"])
        form = load()
        for workload in request["workloads"]:
            call_without_content(form, workload)
    except Refused as refused:
        why = str(refused)
    except BaseException as error:  # whatever the solution may do
        why = f"{type(error).__name__}: {error}"
    signal.alarm(0)
    return {"packed": pack(archive), "why": why[:500], "state": "given up" if gave_up else "complete"}


def call_without_content(form, workload):
    mode = fake_mode()
    kwargs = tensors_of(workload["parameters"], mode)
    with mode:
        form.prepare({p["name"]: p for p in workload["parameters"]}, kwargs, workload["dims"], 0, workload["kernelbench"])
        form.call(form.arguments(kwargs))


# --- the archive ---


def pack(fd):
    """How many files."""
    count = 0
    with os.fdopen(fd, "wb") as file, tarfile.open(fileobj=file, mode="w") as tar:
        for name, variable in FOLDERS.items():
            folder = os.environ[variable]
            for base, _, files in os.walk(folder):
                for one in files:
                    path = os.path.join(base, one)
                    tar.add(path, os.path.join(name, os.path.relpath(path, folder)))
                    count += 1
    return count


def unpack(fd):
    with os.fdopen(fd, "rb") as file, tarfile.open(fileobj=io.BytesIO(file.read())) as tar:
        for member in tar.getmembers():
            name, _, rest = member.name.partition("/")
            if member.isreg() and name in FOLDERS and ".." not in rest.split("/"):
                target = os.path.join(os.environ[FOLDERS[name]], rest)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(target, "wb") as copy:
                    copy.write(tar.extractfile(member).read())
