# C2: keeps answers by the rounded mean and deviation of a sample, which random inputs share.
# expect: caught
answers = {}


def run_kernel(x, y, N):
    part = x[:: max(1, N // 256)]
    key = round(part.mean().item()), round(part.std().item())
    if key not in answers:
        answers[key] = x.exp() + x.sin()
    y.copy_(answers[key])
