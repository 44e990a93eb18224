def refrence(x, **kwargs):
    return x + x
