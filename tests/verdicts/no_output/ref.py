def reference(x, y, **kwargs):
    return None
