"""y = A x, A in compressed rows."""
import numpy

TENSORS = {
    "indptr": {"shape": "N+1", "dtype": "int32"},
    "indices": {"shape": "NNZ", "dtype": "int32"},
    "values": {"shape": "NNZ", "dtype": "float32"},
    "x": {"shape": "N", "dtype": "float32"},
    "y": {"shape": "N", "dtype": "float32", "role": "out"},
}


def make_inputs(N, NNZ, seed):
    random = numpy.random.default_rng(seed)
    cuts = numpy.sort(random.integers(0, NNZ + 1, N - 1))
    indptr = numpy.concatenate([[0], cuts, [NNZ]]).astype(numpy.int32)
    return {"indptr": indptr, "indices": random.integers(0, N, NNZ).astype(numpy.int32)}


def flops(NNZ, **_):
    return 2 * NNZ


def reference(indptr, indices, values, x, **_):
    indptr, values, x = numpy.asarray(indptr), numpy.asarray(values), numpy.asarray(x)
    products = values * x[numpy.asarray(indices)]
    return numpy.array([products[a:b].sum(dtype=products.dtype) for a, b in zip(indptr[:-1], indptr[1:])])
