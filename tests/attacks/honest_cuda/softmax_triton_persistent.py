# ref: softmax
# dims: M=1000 N=4096
"""As many programs as there are multiprocessors, each of which takes every so many rows."""
import torch
import triton
import triton.language as tl

programs = 0


@triton.jit
def softmax(x, y, M, N, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    mask = columns < N
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        value = tl.load(x + row * N + columns, mask=mask, other=-float("inf"))
        value = tl.exp(value - tl.max(value, 0))
        tl.store(y + row * N + columns, value / tl.sum(value, 0), mask=mask)


def run_kernel(x, y, M, N):
    global programs
    if programs == 0:
        programs = torch.cuda.get_device_properties(x.device).multi_processor_count
    softmax[(programs,)](x, y, M, N, triton.next_power_of_2(N), num_warps=8)
