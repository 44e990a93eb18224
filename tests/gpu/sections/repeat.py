"""Twenty independent jobs, beside twenty processes of the plain recipe and twenty of do_bench."""
import os
import pickle

from kopt import SMOKE, benchmark, cv, kernel, median_us, on_all_gpus, plain_us, save_case, shared_object

RUNS, REPEATS = (5, 1) if SMOKE else (20, int(os.environ.get("REPEATS", 3)))
# Name: kernel, sizes, the goal's floor in per cent.
CASES = {
    "17 us": ("softmax", ({"N": 6 << 20}, 24 << 20, 24 << 20, "f", ()), 0.25),
    "0.74 ms, memory-bound": ("copy", ({"N": 360 << 20}, 1440 << 20, 1440 << 20, "f", ()), 0.03),
    "bf16 GEMM 8192": ("gemm_bf16", ({"N": 8192}, 256 << 20, 128 << 20, "h", ("-lcublas",)), 0.3),
}


def do_bench(name, sizes):
    """In a fork of this process, which has imported PyTorch and Triton but made no context."""
    import ctypes

    import torch
    import triton

    read, write = os.pipe()
    if os.fork() == 0:
        try:
            dims, input_bytes, output_bytes, kind, flags = sizes
            x = torch.randn(input_bytes // 4, device="cuda") if kind == "f" else torch.randn(input_bytes // 2, device="cuda", dtype=torch.bfloat16)
            y = torch.empty(output_bytes // 4, device="cuda")
            solve = ctypes.CDLL(str(shared_object(name, flags))).solve
            us = 1000 * triton.testing.do_bench(lambda: solve(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), dims["N"]), return_mode="median")
            os.write(write, pickle.dumps(us))
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        answer = pipe.read()
    os.wait()
    return pickle.loads(answer)


def one_repeat(case, device):
    """Twenty jobs and twenty processes of the plain recipe on one GPU, in turns."""
    name, sizes, floor = *CASES[case][:2], CASES[case][2]
    jobs, plain = [], []
    for _ in range(RUNS):
        jobs.append(median_us(benchmark(*kernel(name), dims=sizes[0], flags=sizes[4], device=device)))
        plain.append(plain_us(name, sizes=sizes, device=device))
    goal = max(1.3 * cv(plain), floor)
    return {"cv_percent": round(cv(jobs), 4), "plain_cv_percent": round(cv(plain), 4), "goal_percent": round(goal, 4), "met": cv(jobs) <= goal,
            "device": device, "median_us": [round(v, 3) for v in jobs], "plain_us": [round(v, 3) for v in plain]}


cases = {}
for case, (name, sizes, _) in CASES.items():
    shared_object(name, sizes[4])
    repeats = on_all_gpus(lambda device: one_repeat(case, device), REPEATS)
    bench = [do_bench(name, sizes) for _ in range(RUNS)]
    save_case("repeat", cases, case, {"repeats": repeats, "do_bench_cv_percent": round(cv(bench), 4), "do_bench_us": [round(v, 3) for v in bench]})
