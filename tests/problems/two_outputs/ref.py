"""Two outputs: both are judged."""
import numpy

TENSORS = {"x": {"shape": "N"}, "y": {"shape": "N", "role": "out"}, "z": {"shape": "N", "role": "out"}}


def reference(x, **_):
    return {"y": 2 * numpy.asarray(x), "z": numpy.asarray(x) + 1}
