import os

os.write(3, b'{"ok": true, "tensors": {"a": 1, "b": {"range": "x"}}}')


def reference(x, **kwargs):
    return x + x
