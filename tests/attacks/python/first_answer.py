# R4: gives the answer of its first call to all that follow.
# expect: caught
first = []


def run_kernel(x, y, N):
    if not first:
        first.append(x.exp() + x.sin())
    y.copy_(first[0])
