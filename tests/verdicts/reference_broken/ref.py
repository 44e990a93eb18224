TENSORS = {"x": {"shape": "N"}, "y": {"shape": "N"}}

def reference(x, **kwargs):
    return x + missing
