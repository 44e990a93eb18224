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
import types

from kopt_views import as_declared, torch

DEVICE = "cuda:0" if hasattr(torch, "compile") else "cpu"  # of tensors without content: before PyTorch 2 all of a GPU want one
# What tensors without content, and torch.compile, import when they are first used; torch._inductor asks CUDA.
LAZY = ("torch._subclasses.fake_tensor", "torch._dynamo")


def warm():
    """For the zygote: what is the same for every Triton process, and takes each of them seconds. Nothing here may ask CUDA
    anything, or no child could use it."""
    with contextlib.suppress(Exception):
        importlib.import_module("triton.compiler.compiler")
        importlib.import_module("triton.runtime.cache").triton_key()  # a hash of all files of Triton, in each key of its cache
        importlib.import_module("triton.experimental.gluon.nvidia.hopper")  # every process' first launch does, for 0.2 s
    ask_once(os.environ.get("KOPT_ARCH", ""))
    for name in LAZY if torch is not None else ():
        with contextlib.suppress(Exception):
            importlib.import_module(name)


def ask_once(arch):
    """What Triton asks other programs in its first launch, and remembers: `file`, `ldconfig`, `ptxas --version`."""
    for module, name, arguments in (("triton.runtime.build", "platform_key", ()), ("triton.backends.nvidia.driver", "library_dirs", ()),
                                    ("triton.backends.nvidia.compiler", "get_ptxas_version", (int(arch.rstrip("af") or 0),))):
        with contextlib.suppress(Exception):
            getattr(importlib.import_module(module), name)(*arguments)


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
        if isinstance(value, (tuple, list)):
            return type(value)(map(plain, value)) if type(value) in (tuple, list) else value
        if not isinstance(value, torch.Tensor):
            return value
        address = value.storage_offset() * value.element_size()  # the buffers themselves are aligned
        mock = jit.MockTensor(value.dtype)
        mock.data_ptr = lambda: address
        return mock

    def run(self, *arguments, grid, warmup, **named):
        kernel = launch(self, *map(plain, arguments), grid=grid, warmup=True, **{name: plain(value) for name, value in named.items()})
        with contextlib.suppress(Exception):  # what passes the arguments, compiled with gcc; nothing can load it here
            driver.own.CudaLauncher(kernel.src, kernel.metadata)
        return kernel

    def bench(self, *arguments, config, **named):
        try:
            self.fn.run(*arguments, **{**named, **config.all_kwargs()})
        except Exception:
            return [float("inf")] * 3
        return [0.0] * 3

    def tune(self, key, configs, benchmark):
        benchmark()
        return False

    jit.JITFunction.run = run
    tuner._bench = bench
    tuner.check_disk_cache = tune  # what it would write there is no measurement
    with contextlib.suppress(Exception):
        driver.own.CudaUtils()  # the module that talks to the driver, compiled with gcc
    cuda, stream = torch.cuda, types.SimpleNamespace(cuda_stream=0, synchronize=lambda: None)
    cuda.current_device, cuda.current_stream = lambda: 0, lambda device=None: stream
    cuda.device = lambda device: contextlib.nullcontext()
    cuda.synchronize = lambda device=None: None
    cuda.get_device_capability = driver.get_device_capability
    torch.nn.Module.to = lambda self, *arguments, **named: self


def fake_mode():
    mode = importlib.import_module("torch._subclasses.fake_tensor").FakeTensorMode
    try:
        return mode(allow_non_fake_inputs=True)
    except TypeError:
        return mode()


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


# --- the calls ---


class GaveUp(BaseException):
    """The time is over. No Exception: those may be caught by what is interrupted."""


@contextlib.contextmanager
def at_most(seconds):
    def give_up(*_):
        if seconds:
            raise GaveUp(f"compiling ahead took more than {seconds} s")

    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.2)  # again, where it was caught
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def compile_ahead(load, request, archive):
    """`load()` imports the solution and gives its Form. Packs what was compiled into the descriptor `archive`; the answer
    says how many files that are, why there may be more to compile, and whether another try would do as much."""
    troubles, complete = [], True
    try:
        with at_most(request["seconds"]):
            compile_instead(Driver(request["arch"]))
            mode, form = fake_mode(), load()
            for workload in request["workloads"]:
                try:
                    call_without_content(type(form)(form.module, form.path), workload, mode)
                except Exception as error:  # whatever the solution may do
                    troubles.append(error)
    except BaseException as error:
        troubles.append(error)
    for error in troubles:
        complete = complete and not isinstance(error, (GaveUp, OSError, MemoryError))
    why = f"{type(troubles[0]).__name__}: {troubles[0]}" if troubles else ""
    return {"packed": pack(archive), "why": why[:500], "state": "complete" if complete else "to be continued"}


def call_without_content(form, workload, mode):
    kwargs = tensors_of(workload["parameters"], mode)
    with mode, torch.device(DEVICE) if hasattr(torch.device, "__enter__") else contextlib.nullcontext():
        form.prepare({p["name"]: p for p in workload["parameters"]}, kwargs, workload["dims"], 0, workload["kernelbench"])
        positional, named, _ = form.arguments(kwargs)
        form.entry(*positional, **named)


# --- the archive ---


def pack(fd):
    """Triton's cache; how many files."""
    folder, count = os.environ["TRITON_CACHE_DIR"], 0
    with os.fdopen(fd, "wb") as file, tarfile.open(fileobj=file, mode="w") as tar:
        for base, _, files in os.walk(folder):
            for one in files:
                path = os.path.join(base, one)
                tar.add(path, os.path.relpath(path, folder))
                count += 1
    return count


def unpack(fd):
    """What is damaged is compiled again."""
    folder = os.path.realpath(os.environ["TRITON_CACHE_DIR"])
    with contextlib.suppress(tarfile.TarError, OSError), os.fdopen(fd, "rb") as file, tarfile.open(fileobj=io.BytesIO(file.read())) as tar:
        for member in tar.getmembers():
            target = os.path.realpath(os.path.join(folder, member.name))
            if member.isreg() and target.startswith(folder + "/"):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(target, "wb") as copy:
                    copy.write(tar.extractfile(member).read())
