import os

os.write(3, b'{"ok": 1, "reason": 5}')


def reference(x, **kwargs):
    return x + x
