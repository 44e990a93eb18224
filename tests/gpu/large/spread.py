"""y[i] = x[i mod 1024]; N is a multiple of 1,024. In place: another copy of y would not fit."""
TENSORS = {"x": {"shape": "1024", "dtype": "float32", "role": "in"}, "y": {"shape": "N", "dtype": "float32", "role": "out"}}


def reference(x, y, **kwargs):
    y.view(-1, 1024).copy_(x.expand(y.numel() // 1024, 1024))
