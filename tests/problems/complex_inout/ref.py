"""z[i] = z[i] w[i] conj(w[(i + 1) mod N]), in place; w lies on the unit circle."""
import numpy

TENSORS = {
    "z": {"shape": "N", "dtype": "complex128", "role": "inout"},
    "w": {"shape": "N", "dtype": "complex64"},
}


def make_inputs(N, seed):
    angle = numpy.random.default_rng(seed).uniform(0, 2 * numpy.pi, N)
    return {"w": numpy.exp(1j * angle).astype(numpy.complex64)}


def reference(z, w, **_):
    w = numpy.asarray(w)
    z *= w * numpy.roll(w, -1).conj()
