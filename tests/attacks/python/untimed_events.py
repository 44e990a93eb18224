# T8: every CUDA event is made with timing disabled, old ones are made anew.
# expect: neutralised
import torch

Event = torch.cuda.Event


class Untimed(Event):
    def __new__(cls, *_, **named):
        return super().__new__(cls, **{**named, "enable_timing": False})

    def elapsed_time(self, other):
        return 0.0


torch.cuda.Event = torch.cuda.streams.Event = Untimed


def run_kernel(x, y, N):
    torch.exp(x, out=y)
    y += torch.sin(x)
