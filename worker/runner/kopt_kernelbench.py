"""Problems in the form of KernelBench: Model, get_inputs() and get_init_inputs() of a reference file become
reference(), TENSORS, make_inputs() and plan(): inputs are tensors by the names of forward()'s parameters, parameters
and buffers of the model tensors made once, its results the outputs."""
import inspect
import json

from kopt_views import ON_GPU, Refused, torch

NEEDS = ("Model", "get_inputs")


def device():
    return "cuda" if ON_GPU and torch.cuda.is_available() else "cpu"


def on_device(make):
    """What `make` makes of tensors, made where the buffers are."""
    if not hasattr(torch.device("cpu"), "__enter__"):  # torch 1
        return make()
    with torch.device(device()):
        return make()


def tensor_name(name):
    return name.replace(".", "__")


def outputs_of(result):
    """By name."""
    if isinstance(result, torch.Tensor):
        return {"output": result}
    if isinstance(result, (tuple, list)) and all(isinstance(value, torch.Tensor) for value in result):
        return {f"output{i}": value for i, value in enumerate(result)}
    raise Refused("REFERENCE_SHAPE", f"forward() of Model must return a tensor or a tuple of them, not {type(result).__name__}")


def call_with(model, tensors, arguments):
    """model(*arguments) with these parameters and buffers in place of its own."""
    if hasattr(torch, "func"):
        return torch.func.functional_call(model, tensors, tuple(arguments))
    from torch.nn.utils.stateless import functional_call

    return functional_call(model, tensors, tuple(arguments))


class KernelBench:
    def __init__(self, module, name):
        if torch is None:
            raise Refused("REFERENCE_FAILED", f"{name} has a Model, which needs PyTorch for worker.python")
        self.module = module
        torch.manual_seed(42)
        init = list(getattr(module, "get_init_inputs", list)())
        try:
            json.dumps(init)
        except TypeError as error:
            raise Refused("REFERENCE_FAILED", f"{name}: get_init_inputs() must return numbers, texts and lists: {error}") from error
        self.model = on_device(lambda: module.Model(*init)).eval()
        self.weights = {tensor_name(key): key for key in self.model.state_dict()}
        examples = on_device(module.get_inputs)
        names = [p for p in inspect.signature(self.model.forward).parameters]
        if len(examples) > len(names):
            names = [f"input{i}" for i in range(len(examples))]
        self.arguments = [{"tensor": n} if isinstance(v, torch.Tensor) else {"value": v} for n, v in zip(names, examples)]
        results = outputs_of(self.model(*(v.to(device()) if isinstance(v, torch.Tensor) else v for v in examples)))
        self.tensors = {n: self.declared(v, "in") for n, v in zip(names, examples) if isinstance(v, torch.Tensor)}
        self.tensors.update({n: self.declared(self.model.state_dict()[key], "plan") for n, key in self.weights.items()})
        self.tensors.update({n: self.declared(v, "out") for n, v in results.items()})
        self.about = {"init": init, "arguments": self.arguments, "weights": self.weights}

    @staticmethod
    def declared(value, role):
        return {"shape": ", ".join(map(str, value.shape)) or "1", "dtype": str(value.dtype).replace("torch.", ""), "role": role}

    # --- what takes the place of a reference file's functions ---

    def reference(self, **kwargs):
        state = self.model.state_dict()
        weights = {key: kwargs[name].reshape(state[key].shape) for name, key in self.weights.items()}
        given = [kwargs[a["tensor"]] if "tensor" in a else a["value"] for a in self.arguments]
        return outputs_of(call_with(self.model, weights, given))

    def make_inputs(self):
        """Seeded by whoever calls it."""
        made = on_device(self.module.get_inputs)
        return {a["tensor"]: value for a, value in zip(self.arguments, made) if "tensor" in a}

    def plan(self, **_):
        state = self.model.state_dict()
        return {name: state[key] for name, key in self.weights.items()}

    def install(self):
        """Into the module, as if its author had written them."""
        self.module.reference, self.module.TENSORS, self.module.make_inputs = self.reference, self.tensors, self.make_inputs
        if self.weights:
            self.module.plan = self.plan
