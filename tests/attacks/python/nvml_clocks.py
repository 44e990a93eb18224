# T19: asks NVML and nvidia-smi for the right to set power and clocks; writes back what is set, so that nobody's GPU changes.
# expect: neutralised
import ctypes
import subprocess

import torch


def ask():
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
        device, limit = ctypes.c_void_p(), ctypes.c_uint()
        nvml.nvmlInit_v2()
        nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device))
        if nvml.nvmlDeviceGetPowerManagementLimit(device, ctypes.byref(limit)) == 0:
            print("NVML: power limit", nvml.nvmlDeviceSetPowerManagementLimit(device, limit))
    except OSError as error:
        print("NVML:", error)
    try:
        said = subprocess.run(["nvidia-smi", "--query-gpu=power.limit", "--format=csv,noheader,nounits"], capture_output=True, text=True, timeout=10)
        watts = said.stdout.strip().splitlines()[0] if said.returncode == 0 else ""
        if watts.replace(".", "").isdigit():
            print("nvidia-smi:", subprocess.run(["nvidia-smi", "-pl", watts], capture_output=True, text=True, timeout=10).stdout)
    except OSError as error:
        print("nvidia-smi:", error)


ask()


def run_kernel(x, y, N):
    torch.exp(x, out=y)
    y += torch.sin(x)
