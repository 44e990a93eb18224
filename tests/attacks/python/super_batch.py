# T10: collects eight calls, then does all of them in one.
# expect: caught
import torch

pending = []


def run_kernel(x, y, N):
    pending.append((x, y))
    if len(pending) < 8:
        return
    answers = torch.stack([a for a, _ in pending])
    answers = answers.exp() + answers.sin()
    for (_, out), answer in zip(pending, answers):
        out.copy_(answer)
    pending.clear()
