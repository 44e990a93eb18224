TENSORS = {"a": {"shape": "N"}, "b": {"shape": "N"}, "c": {"shape": "N"}}


def reference(a, b, **_):
    return a + b
