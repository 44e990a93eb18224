# C1: keeps answers by address, id, version and shape of the input.
# expect: caught
answers = {}


def run_kernel(x, y, N):
    key = x.data_ptr(), id(x), x._version, tuple(x.shape)
    if key not in answers:
        answers[key] = x.exp() + x.sin()
    y.copy_(answers[key])
