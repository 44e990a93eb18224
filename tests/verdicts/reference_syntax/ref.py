def reference(x, **kwargs)
    return x
