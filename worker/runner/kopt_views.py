"""NumPy or PyTorch views on the judge's memory."""
import importlib.metadata
import importlib.util
import mmap
import os
import traceback
import warnings

import numpy

ON_GPU = os.environ.get("KOPT_PLACE") == "gpu"  # where the judge's memory is
WANT_TORCH = os.environ.get("KOPT_TORCH", "auto") != "off"
torch = None
if WANT_TORCH:
    try:
        import torch  # noqa: F811

        torch.set_num_threads(1)
        torch.set_grad_enabled(False)
    except ImportError:
        torch = None

# Types NumPy has not, by the type that has their bits.
RAW = {"bfloat16": "uint16", "float8_e4m3fn": "uint8", "float8_e5m2": "uint8"}


WRITABLE = ("out", "inout", "scratch")
LASTING = ("static", "plan")


class Refused(Exception):
    """The problem or the solution is broken: `reason` and a sentence for its author."""

    def __init__(self, reason, message):
        super().__init__(message)
        self.reason = reason


def version_of(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def versions():
    """What there is for people's files to use."""
    languages = {"triton": version_of("triton"), "cute_dsl": version_of("nvidia-cutlass-dsl")}
    if torch is None:
        return {"framework": f"numpy {numpy.__version__}", "torch_compile": False, "flashinfer": False, **languages}
    return {"framework": f"torch {torch.__version__}", "torch_compile": hasattr(torch, "compile"),
            "flashinfer": importlib.util.find_spec("flashinfer") is not None, **languages}


def trace_of(error, file, name=None):
    """The error, and where in the user's `file` (shown as `name`) it came from."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
    where = f"{name or file}:{frames[-1].lineno}: " if frames else ""
    return f"{where}{type(error).__name__}: {error}"[:2000]


def settle():
    """What was asked of a GPU has been done."""
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.synchronize()


def use_tf32(allowed):
    """Whether products of float32 are those of TF32; convolutions are, unless told not to."""
    if torch is None:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer names for these two; torch.compile reads the old ones
        torch.backends.cuda.matmul.allow_tf32 = allowed
        torch.backends.cudnn.allow_tf32 = allowed


class Region:
    """One memory object of the judge."""

    def __init__(self, fd, size, writable):
        access = mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0)
        self.memory = mmap.mmap(fd, size, flags=mmap.MAP_SHARED, prot=access) if size else b""
        os.close(fd)

    def close(self):
        self.memory = b""  # unmapped when the last view on it is gone

    def view(self, parameter, offset):
        """Strides are in elements, the span counts the gaps between them."""
        dtype = parameter["dtype"]
        raw = RAW.get(dtype, dtype)
        flat = numpy.frombuffer(self.memory, dtype=raw, count=parameter["span"], offset=offset)
        if torch is None:
            if raw != dtype:
                raise Refused("UNSUPPORTED_TYPE", f"{parameter['name']}: {dtype} needs PyTorch; NumPy has no such type")
            return shaped(flat, parameter)
        wide = {"uint16": numpy.int16, "uint32": numpy.int32, "uint64": numpy.int64}
        if raw in wide and raw == dtype:
            raise Refused("UNSUPPORTED_TYPE", f"{parameter['name']}: PyTorch has no {dtype}; use a signed type")
        return as_declared(torch.from_numpy(flat.view(wide.get(raw, flat.dtype))), parameter)


class Views:
    """A problem's parameters by name: views on the judge's inputs and outputs, each a descriptor and its bytes."""

    def __init__(self, parameters, inputs, outputs):
        self.parameters = {p["name"]: p for p in parameters}
        self.regions = self.open(inputs, outputs)
        self.kwargs = {name: p["value"] if p["role"] == "scalar" else self.of(self.regions, p, p["offset"]) for name, p in self.parameters.items()}

    def region(self, fd, size, writable):
        if ON_GPU:
            from kopt_gpu import GpuRegion

            return GpuRegion(fd, size, writable)
        return Region(fd, size, writable)

    def open(self, inputs, outputs):
        return [self.region(*inputs, False), self.region(*outputs, True)]

    def of(self, regions, parameter, offset):
        return regions[parameter["role"] in WRITABLE].view(parameter, offset)

    def further(self, regions, apart, index):
        """Views on a further set; `apart`: bytes from one set to the next. What lasts has no copies there."""
        return {name: self.of(regions, p, p["offset"] + index * apart["outputs" if p["role"] in WRITABLE else "inputs"])
                for name, p in self.parameters.items() if p["role"] not in ("scalar", *LASTING)}


def as_declared(tensor, parameter):
    """A flat tensor of the right bits, as type and shape of the parameter."""
    dtype = parameter["dtype"]
    if dtype in RAW:
        if not hasattr(torch, dtype):
            raise Refused("UNSUPPORTED_TYPE", f"{parameter['name']}: this PyTorch ({torch.__version__}) has no {dtype}")
        tensor = tensor.view(getattr(torch, dtype))
    if parameter["strides"]:
        return tensor.as_strided(parameter["shape"], parameter["strides"])
    return tensor.reshape(parameter["shape"])


def shaped(flat, parameter):
    if not parameter["strides"]:
        return flat.reshape(parameter["shape"])
    strides = [stride * flat.itemsize for stride in parameter["strides"]]
    return numpy.lib.stride_tricks.as_strided(flat, parameter["shape"], strides)


def is_tensor(value):
    return torch is not None and isinstance(value, torch.Tensor)


def is_array(value):
    return is_tensor(value) or isinstance(value, numpy.ndarray)


def is_plain_array(value):
    """No subclass, which may compute when it is looked at."""
    return type(value) is (numpy.ndarray if torch is None else torch.Tensor)


def same_layout(a, b):
    """As many elements of one type."""
    return numpy.prod(tuple(a.shape)) == numpy.prod(tuple(b.shape)) and a.dtype == b.dtype


def bytes_of(value):
    if is_tensor(value):
        value = value.contiguous().reshape(-1)
        return value.view(torch.uint8).cpu().numpy().tobytes() if value.numel() else b""
    return numpy.ascontiguousarray(value).tobytes()


def same_bytes(a, b):
    """Of two tensors or arrays of one type; a GPU's stay there."""
    if not (is_tensor(a) and a.is_cuda):
        return bytes_of(a) == bytes_of(b)
    a, b = (v.contiguous().reshape(-1).view(torch.uint8) for v in (a, b))
    step = 256 << 20
    return all(torch.equal(a[i : i + step], b[i : i + step]) for i in range(0, a.numel(), step))


def copy_of(value):
    return value.clone() if is_tensor(value) else numpy.array(value)


def is_floating(value):
    """Real or complex."""
    if is_tensor(value):
        return value.is_floating_point() or value.is_complex()
    return isinstance(value, numpy.ndarray) and value.dtype.kind in "fc"


def is_float64(value):
    return value.dtype in ((torch.float64, torch.complex128) if is_tensor(value) else (numpy.float64, numpy.complex128))


def to_float64(value):
    """A copy in double precision; what is not floating stays."""
    if not is_floating(value):
        return value
    if is_tensor(value):
        return value.to(torch.complex128 if value.is_complex() else torch.float64, copy=True)
    return numpy.array(value, dtype=numpy.complex128 if value.dtype.kind == "c" else numpy.float64)


def assign(target, value):
    """`value` in the type and shape of `target`, into it; the sizes agree."""
    if torch is None:
        numpy.copyto(target, numpy.asarray(value).reshape(target.shape), casting="unsafe")
        return
    if not is_tensor(value):
        value = torch.from_numpy(numpy.ascontiguousarray(value)).to(target.device)
    target.copy_(value.reshape(target.shape))
