TENSORS = {"x": {"shape": "N", "init": "uniform", "low": -3, "high": 3}, "y": {"shape": "N", "role": "out"}}


def reference(x, **_):
    return x.exp() + x.sin()
