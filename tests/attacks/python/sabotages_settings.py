# T21: takes more threads, turns every switch of precision and determinism that the reference would suffer from.
# expect: neutralised
import torch


def turn():
    torch.set_num_threads(2)  # with 64 on one CPU a call takes longer than it may
    torch.set_flush_denormal(True)
    torch.set_float32_matmul_precision("medium")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = True
    torch.backends.cudnn.enabled = torch.backends.mkldnn.enabled = False
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.set_default_dtype(torch.float64)
    torch.autograd.set_detect_anomaly(True)
    torch.set_grad_enabled(True)


turn()


def run_kernel(x, y, N):
    torch.exp(x, out=y)
    y += torch.sin(x)
    turn()
