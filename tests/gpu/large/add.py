"""c = a + b."""
TENSORS = {"a": {"shape": "N", "dtype": "float32", "role": "in"}, "b": {"shape": "N", "dtype": "float32", "role": "in"},
           "c": {"shape": "N", "dtype": "float32", "role": "out"}}


def reference(a, b, c, **kwargs):
    import torch

    torch.add(a, b, out=c)
