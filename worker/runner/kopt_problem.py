"""A loaded ref.py and, later, its views on the judge's memory."""
import gc
import json
import os
import random
import sys
import time
import types

import numpy

import kopt_kernelbench
from kopt_forms import parameters_of
from kopt_views import LASTING, WRITABLE, Refused, Views, assign, copy_of, is_float64, is_floating, is_tensor, same_bytes, to_float64, torch, trace_of, use_tf32
from kopt_wire import Page

FUNCTIONS = ("make_inputs", "check", "plan", "flops", "bytes")


def takes(function, name):
    parameters = parameters_of(function) or {}
    return name in parameters or any(p.kind == p.VAR_KEYWORD for p in parameters.values())


class Problem:
    def __init__(self, source, name):
        self.name = name
        self.regions = []
        self.names_flashinfer = "flashinfer" in source.lower()
        self.oracle_off = ""  # why expected values are not in double precision
        self.module = types.ModuleType("ref")
        self.module.__file__ = name
        sys.modules["ref"] = self.module
        try:
            exec(compile(source, name, "exec"), self.module.__dict__)
        except BaseException as error:  # SystemExit of a script counts as well
            raise Refused("REFERENCE_FAILED", f"importing the reference failed: {trace_of(error, name)}") from error
        self.kernelbench = None
        if not hasattr(self.module, "reference") and all(hasattr(self.module, needed) for needed in kopt_kernelbench.NEEDS):
            try:
                self.kernelbench = kopt_kernelbench.KernelBench(self.module, name)
            except Refused:
                raise
            except BaseException as error:
                raise Refused("REFERENCE_FAILED", f"making the Model failed: {trace_of(error, name)}") from error
            self.kernelbench.install()
        self.reference = getattr(self.module, "reference", None)
        if not callable(self.reference):
            raise Refused("REFERENCE_MISSING", f"{name} does not define reference(**kwargs), nor Model and get_inputs()")
        for other in FUNCTIONS:
            if hasattr(self.module, other) and not callable(getattr(self.module, other)):
                raise Refused("REFERENCE_FAILED", f"{name}: {other} must be a function")

    def facts(self):
        facts = {"ok": True, "tensors": {}, "order": [], "functions": [f for f in FUNCTIONS if hasattr(self.module, f)]}
        if "baseline" in (parameters_of(self.reference) or ()):  # **kwargs would take it, and perhaps never look at it
            facts["functions"].append("baseline")
        if self.names_flashinfer:  # or it would be eager under another name
            facts["functions"].append("flashinfer")
        for key in ("atol", "rtol"):
            value = getattr(self.module, key, None)
            if value is not None and not isinstance(value, (int, float)):
                raise Refused("REFERENCE_FAILED", f"{self.name}: {key} must be a number")
            facts[key] = value
        facts["math"] = getattr(self.module, "MATH", "strict")
        if facts["math"] not in ("strict", "tf32"):
            raise Refused("REFERENCE_FAILED", f'{self.name}: MATH must be "strict" or "tf32"')
        if self.kernelbench:
            facts["kernelbench"] = self.kernelbench.about
        tensors = getattr(self.module, "TENSORS", {})
        if not isinstance(tensors, dict):
            raise Refused("REFERENCE_FAILED", f"{self.name}: TENSORS must be a dict")
        for tensor, about in tensors.items():
            try:
                facts["tensors"][str(tensor)] = json.loads(json.dumps(about))
                facts["order"].append(str(tensor))
            except (TypeError, ValueError) as error:
                raise Refused("PROBLEM_FORMAT", f'{self.name}: TENSORS["{tensor}"] must hold texts and numbers') from error
        return facts

    def call(self, name, *arguments, **kwargs):
        """A function of the user's file; its errors are the author's."""
        try:
            return getattr(self.module, name)(*arguments, **kwargs)
        except BaseException as error:
            raise Refused("REFERENCE_FAILED", f"{name}() failed: {trace_of(error, self.name)}") from error

    # --- memory ---

    def map(self, tf32, parameters, dims, sizes, fds):
        self.let_go()
        self.tf32 = tf32
        views = Views(parameters, (fds[0], sizes["inputs"]), (fds[1], sizes["outputs"]))
        expected = views.region(fds[2], sizes["outputs"], True)
        self.page = Page(fds[3])
        staging = views.region(fds[4], sizes["staging"], True) if "staging" in sizes else None
        self.regions = [*views.regions, expected] + ([staging] if staging else [])
        self.dims, self.parameters, self.timed_kwargs = dims, views.parameters, views.kwargs
        self.expected_kwargs = {**views.kwargs, **{name: expected.view(p, p["offset"]) for name, p in self.parameters.items() if p["role"] in WRITABLE}}
        self.staged = {name: staging.view(p, p["staging"]) for name, p in self.parameters.items() if p["role"] != "scalar"} if staging else {}
        self.inputs = self.named("in", *LASTING)
        self.outputs = self.named("out", "inout")
        return {key: self.figure(key) for key in ("flops", "bytes")}

    def let_go(self):
        """Of the buffers of an earlier workload."""
        if not self.regions:
            return
        self.expected_kwargs, self.timed_kwargs, self.staged = {}, {}, {}
        gc.collect()
        for region in self.regions:
            region.close()
        self.regions = []

    def named(self, *roles):
        return [name for name, p in self.parameters.items() if p["role"] in roles]

    def figure(self, name):
        """flops(**dims) or bytes(**dims)."""
        if not hasattr(self.module, name):
            return 0
        value = self.call(name, **self.dims)
        try:
            value = float(value)
        except (TypeError, ValueError) as error:
            raise Refused("REFERENCE_FAILED", f"{self.name}: {name}() must return a number") from error
        if not 0 <= value < 1e300:
            raise Refused("REFERENCE_FAILED", f"{self.name}: {name}() returned {value}")
        return value

    # --- inputs that the problem makes ---

    def stage(self, name, value, maker):
        target = self.staged[name]
        have, want = tuple(numpy.shape(value)), tuple(target.shape)
        if int(numpy.prod(have)) != int(numpy.prod(want)):
            raise Refused("REFERENCE_SHAPE", f"{maker} gives {name} the shape {have}; it is declared as {want}")
        assign(target, value)

    def take_file(self, parameter, fd):
        path = self.parameters[parameter]["file"]
        try:
            with os.fdopen(fd, "rb") as file:
                value = numpy.load(file, allow_pickle=False)
        except (ValueError, OSError, EOFError) as error:
            raise Refused("PROBLEM_FORMAT", f"{path} is not a .npy file: {error}") from error
        self.stage(parameter, value, path)
        return {}

    def made(self, function, roles, **extra):
        """What make_inputs() or plan() returned, staged; the names."""
        value = self.call(function, **extra)
        if not isinstance(value, dict):
            raise Refused("REFERENCE_FAILED", f"{self.name}: {function}() must return a dict of arrays by name")
        allowed = self.named(*roles)
        for name, array in value.items():
            if name not in allowed:
                raise Refused("REFERENCE_FAILED", f"{self.name}: {function}() returned {name!r}; it may return {allowed}")
            self.stage(name, array, f"{function}()")
        return {"made": sorted(value)}

    def make_plan(self):
        static = {name: self.expected_kwargs[name] for name in self.named("static")}
        answer = self.made("plan", ["plan"], **self.dims, **static)
        missing = sorted(set(self.named("plan")) - set(answer["made"]))
        if missing:
            raise Refused("REFERENCE_FAILED", f"{self.name}: plan() did not return {missing}")
        return answer

    def make_inputs(self, seed):
        random.seed(seed)
        numpy.random.seed(seed % 2**32)
        if torch is not None:
            torch.manual_seed(seed)
        extra = {"seed": seed} if takes(self.module.make_inputs, "seed") and "seed" not in self.dims else {}
        return self.made("make_inputs", ["in", "inout"], **self.dims, **extra)

    # --- expected values ---

    def named_results(self, result):
        """What reference() returned, by output; empty when it wrote in place."""
        if result is None:
            return {}
        if isinstance(result, (tuple, list)):
            if len(result) != len(self.outputs):
                raise Refused("REFERENCE_SHAPE", f"reference returned {len(result)} tensors for the outputs {self.outputs}")
            return dict(zip(self.outputs, result))
        if not isinstance(result, dict):
            if len(self.outputs) != 1:
                raise Refused("REFERENCE_SHAPE", f"reference returned one tensor for the outputs {self.outputs}; return a dict or tuple")
            return {self.outputs[0]: result}
        for name in result:
            if name not in self.outputs:
                raise Refused("REFERENCE_SHAPE", f"reference returned {name!r}, which is not an output; outputs are {self.outputs}")
        return result

    def store(self, kwargs, result):
        """Puts what reference() returned into the output views; the results."""
        named = self.named_results(result)
        for name, value in named.items():
            target = kwargs[name]
            if value is target:
                continue
            value = value if is_tensor(value) else numpy.asarray(value)
            have = int(value.numel()) if is_tensor(value) else int(value.size)
            want = int(numpy.prod(tuple(target.shape)))
            if have != want:
                raise Refused("REFERENCE_SHAPE", f"reference returned {have} elements for {name}, whose buffer has {want}; "
                              "declare its shape in TENSORS or give --ptr-size")
            assign(target, value)
        return named

    def run(self, kwargs, extra=None):
        use_tf32(self.tf32)
        with numpy.errstate(all="ignore"):
            return self.store(kwargs, self.reference(**kwargs, **(extra or {})))

    def expected(self, check_inputs, oracle_seconds, keep_outputs):
        """In its own types into the subjects' outputs too (unless they are to be kept), before the oracle replaces them."""
        kwargs = dict(self.expected_kwargs)
        if check_inputs:
            for name in self.inputs:
                kwargs[name] = copy_of(kwargs[name])
        before = self.before_oracle(oracle_seconds)
        begin = time.monotonic()
        try:
            self.run(kwargs)
        except Refused:
            raise
        except BaseException as error:
            if "read-only" in str(error):
                raise Refused("REFERENCE_WROTE_INPUT", f"reference writes to an input: {trace_of(error, self.name)}") from error
            raise Refused("REFERENCE_FAILED", f"reference failed: {trace_of(error, self.name)}") from error
        seconds = time.monotonic() - begin
        if check_inputs:
            for name in self.inputs:
                if not same_bytes(kwargs[name], self.expected_kwargs[name]):
                    raise Refused("REFERENCE_WROTE_INPUT", f"reference changes its input {name}; work on a copy")
        for name in self.outputs if not keep_outputs else ():
            assign(self.timed_kwargs[name], self.expected_kwargs[name])
        return self.oracle(before, seconds, oracle_seconds)

    # --- the oracle: the same reference in double precision ---

    def before_oracle(self, limit):
        """Copies of everything in float64, or None where that is off or needless."""
        if limit <= 0 or self.oracle_off:
            return None
        if all(is_float64(v) for v in self.expected_kwargs.values() if is_floating(v)):
            return None
        written = self.outputs + self.named("scratch")
        try:
            return self.in_float64(written)
        except (MemoryError, RuntimeError) as error:  # torch's own is a RuntimeError
            self.oracle_off = f"no memory for copies in float64: {str(error)[:200]}"
            return None

    def in_float64(self, written):
        return {name: to_float64(value) if is_floating(value) else copy_of(value) if name in written else value
                for name, value in self.expected_kwargs.items()}

    def oracle(self, kwargs, own_seconds, limit):
        floating = [name for name in self.outputs if is_floating(self.expected_kwargs[name])]
        if limit <= 0:
            return {"oracle": "reference", "oracle_message": ""}
        if kwargs is None and not self.oracle_off:
            return {"oracle": "float64"}  # everything is, already
        if kwargs is not None and own_seconds > limit:
            self.oracle_off = f"the reference takes {own_seconds:.1f} s, the oracle may take {limit:g} s"
        if kwargs is not None and not self.oracle_off:
            self.run_oracle(kwargs, limit)
        if self.oracle_off:
            return {"oracle": "reference", "oracle_message": self.oracle_off[:500]}
        for name in floating:  # integers stay: at a near tie double precision decides otherwise
            with numpy.errstate(all="ignore"):
                assign(self.expected_kwargs[name], kwargs[name])
        return {"oracle": "float64"}

    def run_oracle(self, kwargs, limit):
        begin = time.monotonic()
        try:
            named = self.run(kwargs)
        except BaseException as error:
            self.oracle_off = f"the reference does not run on float64: {trace_of(error, self.name)}"
            return
        for name, value in named.items():
            if is_floating(kwargs[name]) and not (is_floating(value) and is_float64(value)):
                self.oracle_off = f"the reference returns {getattr(value, 'dtype', type(value).__name__)} for {name} when its inputs are float64"
        seconds = time.monotonic() - begin
        if seconds > limit:
            self.oracle_off = f"the reference takes {seconds:.1f} s on float64, the oracle may take {limit:g} s"

    # --- the problem's own judgement, and the baseline ---

    def check(self):
        outputs = {name: self.timed_kwargs[name] for name in self.outputs}
        expected = {name: self.expected_kwargs[name] for name in self.outputs}
        inputs = {name: self.expected_kwargs[name] for name in self.inputs}
        try:
            result = self.module.check(outputs, expected, inputs)
        except AssertionError as error:
            return {"passed": False, "message": str(error)[:1000] or "check() failed an assertion"}
        except BaseException as error:  # over outputs that it did not expect
            return {"passed": False, "message": f"check() failed: {trace_of(error, self.name)}"}
        message = ""
        if isinstance(result, (tuple, list)) and len(result) == 2:
            result, message = result
        if not isinstance(result, (bool, numpy.bool_)):
            raise Refused("REFERENCE_FAILED", f"{self.name}: check() must return True or False, or that and a message")
        return {"passed": bool(result), "message": str(message)[:1000]}

    def baseline(self, mode):
        """What one call of it does. Compilers and planners run here, on what the buffers hold."""
        use_tf32(self.tf32)
        mode, _, how = mode.partition(":")
        extra = {"baseline": mode} if mode in ("flashinfer", "library") else {}
        function = torch.compile(self.reference, dynamic=False, mode=how) if mode == "torch-compile" else self.reference
        kwargs = dict(self.timed_kwargs)

        def call():
            self.store(kwargs, function(**kwargs, **extra))

        if mode != "eager":
            try:
                call()
            except Refused:
                raise
            except BaseException as error:
                raise Refused("REFERENCE_FAILED", f"as {mode} the reference failed: {trace_of(error, self.name)}") from error
        return call

    def serve(self, call):
        self.page.serve(call, self.regions[:2])
