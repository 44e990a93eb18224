# T3: returns a subclass of Tensor that computes when somebody looks at it.
# expect: caught
import torch


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, arguments=(), named=None):
        ready = [a.source.exp() + a.source.sin() if isinstance(a, Lazy) and hasattr(a, "source") else a for a in arguments]
        return super().__torch_function__(function, types, ready, named or {})


def run_kernel(x, y, N):
    answer = torch.Tensor._make_subclass(Lazy, torch.empty_like(x))
    answer.source = x
    return answer
