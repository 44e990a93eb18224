"""What the sections share: jobs through koptctl, kernels and their sizes."""
import concurrent.futures
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
BIN, GPU, STATE = (os.environ[name] for name in ("BIN", "GPU", "STATE"))
GPUS = os.environ["GPUS"].split()  # all of this machine; GPU is the first
SMOKE = os.environ["SMOKE"] == "yes"
OUT = pathlib.Path(os.environ["OUT_FOLDER"])


def koptctl(*args, check=True, timeout=600):
    done = subprocess.run([f"{BIN}/koptctl", *map(str, args)], capture_output=True, text=True, timeout=timeout)
    if check and done.returncode not in (0, *range(10, 40)):
        raise RuntimeError(f"koptctl {args}: exit code {done.returncode}: {done.stdout[-500:]} {done.stderr[-1500:]}")
    return done


def arguments(solution, ref, baselines=(), flags=(), dims=None, device=GPU, **options):
    problem = "problem" if str(ref).endswith(".json") else "ref"
    args = [solution, f"--{problem}={ref}", f"--device={device}"]
    args.append("--baselines=" + (",".join(map(str, baselines)) or "none"))
    args += [f"--flag={flag}" for flag in flags]
    args += [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    return args + [f"--{name}={value}" for name, value in (dims or {}).items()]


one_saves = threading.Lock()
disturbed = 0  # jobs that were taken again


def benchmark(*positional, **named):
    """The result of one job; of at most three, where it was disturbed."""
    global disturbed
    for _ in range(3):
        result = benchmark_once(*positional, **named)
        if all(s["verdict"] != "VERDICT_DISTURBED" for s in result["subjects"]):
            return result
        disturbed += 1
    return result


def benchmark_once(*positional, **named):
    done = koptctl("--json", "benchmark", *arguments(*positional, **named))
    try:
        return json.loads(done.stdout)["result"]
    except (ValueError, KeyError):
        raise RuntimeError(f"no result: {done.stdout[-500:]} {done.stderr[-1500:]}") from None


def submit(*positional, **named):
    return json.loads(koptctl("--json", "submit", *arguments(*positional, **named)).stdout)["job"]["name"]


def result_of(job):
    koptctl("wait", job)
    return json.loads(koptctl("--json", "result", job).stdout)["result"]


def on_all_gpus(work, count, gpus=GPUS):
    """work(device) so many times, spread over the GPUs; what it returned."""
    turns, results = iter(range(count)), []

    def serve(device):
        for _ in turns:
            results.append(work(device))

    with concurrent.futures.ThreadPoolExecutor(len(gpus)) as pool:
        for served in [pool.submit(serve, device) for device in gpus]:
            served.result()
    return results


def verdict(subject):
    return subject["verdict"].replace("VERDICT_", "") + (f" {subject['reason']}" if subject["reason"] else "")


def median_us(result, index=0):
    subject = result["subjects"][index]
    if subject["verdict"] != "VERDICT_CORRECT":
        raise RuntimeError(f"{subject['label']}: {verdict(subject)}: {subject['message']} {subject['evidence']}")
    return subject["timing"]["median_us"]


def phase_seconds(result, *names):
    return sum(p["seconds"] for p in result["phases"] if not names or p["name"] in names)


# What comes before the turn, and inside it what calls and buffers of any size cost.
NOT_THE_TURN = ("prepare", "build", "build.ahead", "verify.reference", "verify.first calls", "time.fill", "time.calls", "evict")


def turn_seconds(result):
    return phase_seconds(result) - phase_seconds(result, *NOT_THE_TURN)


def beyond_calls_ms(result):
    return 1000 * (turn_seconds(result) - phase_seconds(result, "time.calls"))


def phase_medians_ms(results):
    phases = {}
    for result in results:
        for phase in result["phases"]:
            phases.setdefault(phase["name"], []).append(1000 * phase["seconds"])
    return {name: round(statistics.median(values), 2) for name, values in phases.items()}


def per_minute(jobs):
    """From the first lease to the last end, by the daemon's clock: asking for each result takes a client longer than the job."""
    def at(stamp):
        return datetime.datetime.fromisoformat(stamp).timestamp()

    times = [json.loads(koptctl("--json", "status", job).stdout)["job"] for job in jobs]
    return 60 * len(jobs) / (max(at(t["finish_time"]) for t in times) - min(at(t["lease_time"]) for t in times))


def turns():
    """How many turns there were, and how many of them overlap another on their device: by the event log."""
    done = subprocess.run([sys.executable, HERE.parent / "harness/turns.py", f"{STATE}/state/kernelopt.db"], capture_output=True, text=True, check=True)
    return list(map(int, done.stdout.split()))


# Name: dims, bytes of input and output, type of the input, compiler flags.
KERNELS = {
    "copy": ({"N": 16 << 20}, 64 << 20, 64 << 20, "f", ()),
    "softmax": ({"N": 4 << 20}, 16 << 20, 16 << 20, "f", ()),
    "reduction": ({"N": 64 << 20}, 256 << 20, 256 << 10, "f", ()),
    "gemm_f32": ({"N": 2048}, 32 << 20, 16 << 20, "f", ()),
    "gemm_bf16": ({"N": 4096}, 64 << 20, 32 << 20, "h", ("-lcublas",)),
    "histogram": ({"N": 16 << 20}, 64 << 20, 1024, "i", ()),
    "elementwise": ({"N": 256 << 10}, 1 << 20, 1 << 20, "f", ()),
    "multi_kernel": ({"N": 4 << 20}, 16 << 20, 16 << 20, "f", ()),
}


def kernel(name):
    return HERE / "kernels" / name / "kernel.cu", HERE / "kernels" / name / "ref.py"


def said_by(path, key):
    """What the file says of itself, if it does."""
    comment = "# " if path.suffix == ".py" else "// "
    lines = [line.split(f"{key}:")[1].strip() for line in path.read_text().splitlines() if line.startswith(f"{comment}{key}:")]
    return lines[0] if lines else None


def shared_object(name, flags=()):
    """The kernel compiled as the daemon does, for programs that load it themselves."""
    path = pathlib.Path(STATE) / f"{name}.so"
    if not path.exists():
        command = [os.environ["NVCC"], "-std=c++17", "-O3", "-shared", "-Xcompiler", "-fPIC", "-gencode",
                   "arch=compute_90a,code=sm_90a", *flags, "-o", str(path), str(kernel(name)[0])]
        if os.environ.get("HOST_COMPILER"):
            command += ["-ccbin", os.environ["HOST_COMPILER"]]
        subprocess.run(command, check=True)
    return path


def plain_us(name, clean=False, sizes=None, extra=(), device=GPU):
    """Median of one process that times the kernel itself."""
    dims, read, written, kind, flags = KERNELS.get(name, (None,) * 5)
    if sizes:
        dims, read, written, kind, flags = sizes
    command = [f"{BIN}/plain", shared_object(name, flags), dims["N"], read, written, kind]
    command += ["--clean"] * clean + list(extra)
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True, env={**os.environ, "CUDA_VISIBLE_DEVICES": device})
    return float(done.stdout)


def cv(values):
    """Coefficient of variation, per cent."""
    return 100 * statistics.stdev(values) / statistics.fmean(values)


def wanted(case):
    """Whether CASES=a,b asks for it, or is not given."""
    return case in os.environ.get("CASES", case).split(",")


def save_case(name, cases, case, found, device=GPU):
    """One of several that need not be of the same run: merge.py takes each by itself."""
    with one_saves:
        cases[case] = {**found, "run": conditions(device)}
        save(name, {"cases": cases})


def conditions(device=GPU):
    return {"gpu": device, "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                    "commit": (HERE / "../../COMMIT").read_text().strip(), "smoke": SMOKE}


def save(name, found):
    found["disturbed_jobs"] = disturbed
    found["run"] = conditions()
    (OUT / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1)[:4000])
