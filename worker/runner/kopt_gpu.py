"""PyTorch views on memory of a GPU that the judge shares by a descriptor."""
import ctypes
import os

from kopt_views import RAW, Refused, as_declared, torch

_POSIX_FD = 1
_DEVICE = 1
_READ, _READWRITE = 1, 3


class _Location(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class _Access(ctypes.Structure):
    _fields_ = [("location", _Location), ("flags", ctypes.c_int)]


def _must(result, what):
    if result != 0:
        raise Refused("REFERENCE_FAILED", f"{what} on the GPU: CUDA driver error {result}")


class _Bytes:
    """What torch.as_tensor understands; integers of the element's size."""

    def __init__(self, address, count, size):
        self.__cuda_array_interface__ = {"shape": (count,), "typestr": f"|i{size}" if size == 1 else f"<i{size}",
                                         "data": (address, False), "version": 3}


class GpuRegion:
    """One memory object of the judge, imported and mapped until close()."""

    def __init__(self, fd, size, writable):
        if torch is None or not torch.cuda.is_available():
            raise Refused("REFERENCE_FAILED", "references of a GPU device need PyTorch with CUDA; install it for worker.python")
        torch.cuda.init()
        torch.cuda.current_stream()  # the primary context is current from here on
        torch.empty(1, device="cuda")
        driver = ctypes.CDLL("libcuda.so.1")
        handle, address = ctypes.c_uint64(), ctypes.c_uint64()
        size = ctypes.c_size_t(size)
        _must(driver.cuMemImportFromShareableHandle(ctypes.byref(handle), ctypes.c_void_p(fd), _POSIX_FD), "importing a buffer")
        os.close(fd)
        _must(driver.cuMemAddressReserve(ctypes.byref(address), size, ctypes.c_size_t(0), ctypes.c_uint64(0), ctypes.c_uint64(0)), "address space")
        _must(driver.cuMemMap(address, size, ctypes.c_size_t(0), handle, ctypes.c_uint64(0)), "mapping a buffer")
        access = _Access(_Location(_DEVICE, 0), _READWRITE if writable else _READ)
        _must(driver.cuMemSetAccess(address, size, ctypes.byref(access), ctypes.c_size_t(1)), "mapping a buffer")
        _must(driver.cuMemRelease(handle), "letting a buffer go")  # the mapping keeps it
        self.address, self.size = address.value, size

    def close(self):
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        driver, address = ctypes.CDLL("libcuda.so.1"), ctypes.c_uint64(self.address)
        _must(driver.cuMemUnmap(address, self.size), "unmapping a buffer")
        _must(driver.cuMemAddressFree(address, self.size), "unmapping a buffer")

    def view(self, parameter, offset):
        dtype = parameter["dtype"]
        native = getattr(torch, RAW.get(dtype, dtype), None)
        if dtype in ("uint16", "uint32", "uint64") or (native is None and dtype not in RAW):
            raise Refused("UNSUPPORTED_TYPE", f"{parameter['name']}: PyTorch has no {dtype}; use a signed type")
        if native is not None and native.is_complex:  # of its parts, real part first
            parts = {**parameter, "dtype": "float32" if native == torch.complex64 else "float64", "span": 2 * parameter["span"],
                     "shape": [parameter["span"], 2], "strides": []}
            return as_declared(torch.view_as_complex(self.view(parts, offset)), parameter)
        size = torch.empty(0, dtype=getattr(torch, dtype, native)).element_size()
        flat = torch.as_tensor(_Bytes(self.address + offset, parameter["span"], size), device="cuda")
        if dtype not in RAW:
            flat = flat.view(native)
        return as_declared(flat, parameter)
