import numpy

TENSORS = {"x": {"shape": "N", "dtype": "float32"}, "y": {"shape": "N", "dtype": "float32", "role": "out"}}


def reference(x, y, baseline="none", **_):
    if baseline == "library":
        numpy.add(numpy.asarray(x), numpy.asarray(x), out=numpy.asarray(y))
        return None
    return x + x
