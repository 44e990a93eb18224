"""How a solution file wants to be called: setup() and run_kernel(), run_kernel() alone, kernel_function(), or ModelNew.

To add a form: a class with `function`, and a line in FORMS.
"""
import inspect

from kopt_views import Refused, assign, is_array, is_plain_array, same_layout, trace_of

WRITTEN = ("out", "inout")


def parameters_of(function):
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return None


class Form:
    """One solution; `copied` are outputs that it returned instead of writing them."""

    function = None

    def __init__(self, module, path):
        self.module, self.path = module, path
        self.name = self.function
        self.entry = getattr(module, self.function)
        self.copied, self.given, self.own_weights = set(), {}, []

    @staticmethod
    def of(module, path):
        for form in FORMS:
            if callable(getattr(module, form.function, None)):
                return form(module, path)
        raise Refused("NO_ENTRY_POINT", f"{path} does not define run_kernel(**kwargs), kernel_function(...) or ModelNew")

    # --- what it takes ---

    def describe(self, dims, seed):
        raise Refused("NO_TENSORS", f"nothing declares the tensors: {self.path} has no setup(**kwargs), and the reference no TENSORS; "
                      "declare them in TENSORS of the reference or in problem.json")

    def prepare(self, parameters, kwargs, dims, seed, kernelbench):
        """Untimed: the contract's parameters by name, views on the first buffers; of a problem in the form of
        KernelBench also how its Model is made and called."""
        self.outputs = [name for name, p in parameters.items() if p["role"] in WRITTEN]

    def arguments(self, kwargs):
        """What one call is given, made once: positional, by name, and the outputs."""
        taken = parameters_of(self.entry)
        if taken is None or any(p.kind == p.VAR_KEYWORD for p in taken.values()):
            return (), {**self.given, **kwargs}, kwargs
        unknown = [name for name, p in taken.items() if p.default is p.empty and p.kind != p.VAR_POSITIONAL and name not in kwargs and name not in self.given]
        if unknown:
            raise Refused("CONTRACT_MISMATCH", f"{self.function}() takes {', '.join(unknown)}, which the problem does not have; it has {', '.join(kwargs)}")
        return (), {name: value for name, value in {**self.given, **kwargs}.items() if name in taken}, kwargs

    # --- a call ---

    def call(self, arguments):
        positional, named, kwargs = arguments
        try:
            result = self.entry(*positional, **named)
        except Refused:
            raise
        except SystemExit as error:
            raise Refused("EXCEPTION", f"{self.function}() called sys.exit({error.code if error.code is not None else ''})") from error
        except BaseException as error:
            raise Refused("EXCEPTION", f"{self.function}() raised {trace_of(error, self.module.__file__, self.path)}") from error
        if result is not None:
            self.take(result, kwargs)

    def take(self, result, kwargs):
        """Puts what was returned into the outputs, where that is not what they are."""
        if is_array(result):
            result = [result]
        if isinstance(result, dict):
            named = {name: value for name, value in result.items() if name in self.outputs}
        elif isinstance(result, (tuple, list)) and len(result) == len(self.outputs):
            named = dict(zip(self.outputs, result))
        elif isinstance(result, (tuple, list)) and any(map(is_array, result)):
            raise Refused("BAD_RETURN", f"{self.function}() returned {len(result)} tensors for the outputs {', '.join(self.outputs)}; write into them, or return one for each")
        else:
            return
        for name, value in named.items():
            if value is kwargs[name]:
                continue
            if not is_plain_array(value):
                raise Refused("BAD_RETURN", f"{self.function}() returned {type(value).__name__} for {name}; write into the tensor it is given, or return a plain torch.Tensor")
            target = kwargs[name]
            if not same_layout(value, target):
                raise Refused("BAD_RETURN", f"{self.function}() returned {tuple(value.shape)} of {value.dtype} for {name}, which is {tuple(target.shape)} of {target.dtype}")
            self.copied.add(name)
            assign(target, value)


class RunKernel(Form):
    """run_kernel(**inputs), where setup(**dims) says what inputs there are."""

    function = "run_kernel"

    def setup(self, dims, seed):
        """Its inputs and outputs; None without setup()."""
        function = getattr(self.module, "setup", None)
        if function is None:
            return None
        taken = parameters_of(function) or {}
        extra = {} if "seed" in dims or "seed" not in taken and not any(p.kind == p.VAR_KEYWORD for p in taken.values()) else {"seed": seed}
        try:
            made = function(**dims, **extra)
        except BaseException as error:
            raise Refused("BAD_SETUP", f"setup() failed: {trace_of(error, self.module.__file__, self.path)}") from error
        if not isinstance(made, dict) or "inputs" not in made or "outputs" not in made:
            raise Refused("BAD_SETUP", 'setup() must return {"inputs": {...}, "outputs": [...]}')
        inputs, outputs = made["inputs"], made["outputs"]
        if not isinstance(inputs, dict):
            raise Refused("BAD_SETUP", f'setup(): "inputs" must be a dict of tensors and numbers by name, it is {type(inputs).__name__}')
        if not isinstance(outputs, (list, tuple)) or not all(isinstance(name, str) for name in outputs):
            raise Refused("BAD_SETUP", 'setup(): "outputs" must be a list of names')
        for name in outputs:
            if not is_array(inputs.get(name)):
                raise Refused("BAD_SETUP", f'setup(): the output {name!r} is not a tensor among "inputs", which are {", ".join(inputs)}; the kernel writes into it, so it must be there')
        return inputs, list(outputs)

    def describe(self, dims, seed):
        made = self.setup(dims, seed)
        if made is None:
            return super().describe(dims, seed)
        inputs, outputs = made
        tensors = {name: {"shape": ", ".join(map(str, value.shape)) or "1", "dtype": str(value.dtype).replace("torch.", ""),
                          "role": "out" if name in outputs else "in"} for name, value in inputs.items() if is_array(value)}
        first = [name for name in tensors if name not in outputs]
        return {"tensors": tensors, "order": first + outputs}

    def prepare(self, parameters, kwargs, dims, seed, kernelbench):
        super().prepare(parameters, kwargs, dims, seed, kernelbench)
        made = self.setup(dims, seed)
        if made is None:
            return
        inputs, outputs = made
        for name, value in inputs.items():
            if is_array(value):
                self.check(name, value, parameters.get(name), name in outputs, kwargs)
        # What the contract does not know is the solution's own: numbers, block sizes.
        self.given = {name: value for name, value in inputs.items() if name not in kwargs}

    def check(self, name, mine, parameter, output, kwargs):
        if parameter is None:
            raise Refused("CONTRACT_MISMATCH", f"setup() makes the tensor {name}, which the problem does not have; it has {', '.join(kwargs)}")
        have = kwargs[name]
        if tuple(mine.shape) != tuple(have.shape) or mine.dtype != have.dtype:
            raise Refused("CONTRACT_MISMATCH", f"setup() makes {name} {tuple(mine.shape)} of {mine.dtype}; the problem has {tuple(have.shape)} of {have.dtype}")
        if output != (parameter["role"] in WRITTEN):
            raise Refused("CONTRACT_MISMATCH", f"setup() says that {name} is {'an output' if output else 'no output'}; in the problem it has the role {parameter['role']}")


class KernelFunction(Form):
    """kernel_function(*inputs) returns the outputs; inputs by name where its parameters have those of the problem."""

    function = "kernel_function"

    def prepare(self, parameters, kwargs, dims, seed, kernelbench):
        super().prepare(parameters, kwargs, dims, seed, kernelbench)
        self.inputs = [name for name, p in parameters.items() if p["role"] not in ("out", "scratch", "scalar")]

    def arguments(self, kwargs):
        taken = parameters_of(self.entry) or {}
        if all(name in kwargs for name, p in taken.items() if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)) and taken:
            return super().arguments(kwargs)
        return tuple(kwargs[name] for name in self.inputs), {}, kwargs


class ModelNew(Form):
    """ModelNew(*get_init_inputs())(*inputs) of KernelBench. Parameters and buffers of the problem's Model are loaded
    where names and shapes agree; others are the solution's own, which is said."""

    function = "ModelNew"

    def prepare(self, parameters, kwargs, dims, seed, kernelbench):
        super().prepare(parameters, kwargs, dims, seed, kernelbench)
        if kernelbench is None:
            raise Refused("CONTRACT_MISMATCH", f"{self.path} defines ModelNew, which answers a problem with Model and get_inputs(); define run_kernel(**kwargs) for this one")
        self.order = kernelbench["arguments"]
        try:
            self.model = self.entry(*kernelbench["init"])
        except BaseException as error:
            raise Refused("BAD_SETUP", f"making ModelNew failed: {trace_of(error, self.module.__file__, self.path)}") from error
        if hasattr(self.model, "to"):
            first = next(value for value in kwargs.values() if is_array(value))
            self.model = self.model.to(first.device).eval()
        own = self.model.state_dict() if hasattr(self.model, "state_dict") else {}
        given = {key: kwargs[name].reshape(own[key].shape) for name, key in kernelbench["weights"].items()
                 if key in own and own[key].numel() == kwargs[name].numel()}
        for key, value in given.items():
            own[key].copy_(value)
        self.own_weights = sorted(set(own) - set(given))
        self.entry = self.model

    def arguments(self, kwargs):
        return tuple(kwargs[a["tensor"]] if "tensor" in a else a["value"] for a in self.order), {}, kwargs


FORMS = (RunKernel, KernelFunction, ModelNew)
