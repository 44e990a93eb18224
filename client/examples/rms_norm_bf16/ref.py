"""y = x / sqrt(mean(x^2) + eps) * w per row, in bfloat16 as language models have it; PyTorch only."""
TENSORS = {
    "x": {"shape": "M,N", "dtype": "bfloat16", "role": "in"},
    "w": {"shape": "N", "dtype": "bfloat16", "role": "in"},
    "y": {"shape": "M,N", "dtype": "bfloat16", "role": "out"},
}


def reference(x, w, eps, baseline=None, **kwargs):
    if baseline == "flashinfer":
        import flashinfer

        return flashinfer.rmsnorm(x, w, eps)
    if baseline == "library":  # PyTorch's own, from 2.4 on
        import torch

        return torch.nn.functional.rms_norm(x, w.shape, w, eps)
    wide = x.float()
    return (wide * (wide * wide).mean(-1, keepdim=True).add(eps).rsqrt() * w.float()).to(x.dtype)
