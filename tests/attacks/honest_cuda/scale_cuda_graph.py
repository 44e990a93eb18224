# ref: scale
# dims: N=4194304
"""A graph over buffers of its own, captured in the first call; each call copies in and out."""
import torch

graph = static_x = static_y = None


def capture(x):
    global graph, static_x, static_y
    static_x, static_y = torch.empty_like(x), torch.empty_like(x)
    static_x.copy_(x)
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        torch.mul(static_x, 2, out=static_y)
        static_y.add_(1)
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        torch.mul(static_x, 2, out=static_y)
        static_y.add_(1)


def run_kernel(x, y, N):
    if graph is None:
        capture(x)
    static_x.copy_(x)
    graph.replay()
    y.copy_(static_y)
