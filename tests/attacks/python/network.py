# R12: asks for help by sockets of every kind, by HTTP and by installing a package, from addresses that nobody has.
# expect: neutralised
import socket
import subprocess
import sys
import urllib.request

import torch

for family, kind, where in ((socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 9)), (socket.AF_INET, socket.SOCK_DGRAM, ("192.0.2.1", 9)),
                            (socket.AF_INET6, socket.SOCK_STREAM, ("::1", 9)), (socket.AF_UNIX, socket.SOCK_STREAM, "\0kernelopt")):
    try:
        with socket.socket(family, kind) as one:
            one.settimeout(0.2)
            one.connect(where)
            print("connected", where)
    except OSError as error:
        print(where, error)
try:
    urllib.request.urlopen("http://192.0.2.1/answers", timeout=0.2)
except OSError as error:
    print("http", error)
said = subprocess.run([sys.executable, "-m", "pip", "install", "--index-url", "http://192.0.2.1/", "--retries", "0", "--timeout", "1",
                       "--target", "/tmp/more", "fast-kernels"], capture_output=True, text=True, timeout=20)
print("pip", said.returncode, said.stderr[-200:])


def run_kernel(x, y, N):
    torch.exp(x, out=y)
    y += torch.sin(x)
