"""Runs inside a sandbox and tries to get out of it: a line for each try, `NAME refused: why` or `NAME ESCAPED: what`.

  inside.py SECRET_FILE OUTSIDE_PID ABSTRACT_SOCKET UID
"""
import ctypes
import errno
import mmap
import os
import platform
import resource
import signal
import socket
import sys

secret, outside, abstract, uid = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
libc = ctypes.CDLL(None, use_errno=True)
NUMBERS = {  # x86-64
    "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "perf_event_open": 298, "bpf": 321, "userfaultfd": 323,
    "keyctl": 250, "add_key": 248, "request_key": 249, "io_uring_setup": 425, "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161,
    "unshare": 272, "setns": 308, "open_by_handle_at": 304, "name_to_handle_at": 303, "init_module": 175, "finit_module": 313, "kexec_load": 246,
    "reboot": 169, "swapon": 167, "sethostname": 170, "settimeofday": 164, "clock_settime": 227, "iopl": 172, "ioperm": 173, "syslog": 103,
    "acct": 163, "quotactl": 179, "mknod": 133, "pidfd_getfd": 438, "process_madvise": 440, "open_tree": 428, "move_mount": 429, "fsopen": 430,
    "fsmount": 432, "mount_setattr": 442, "memfd_secret": 447, "seccomp": 317, "personality": 135, "shmget": 29, "semget": 64, "msgget": 68,
    "sched_setaffinity": 203, "lookup_dcookie": 212, "vhangup": 153, "clone3": 435,
}
tried = 0


def report(name, escaped, why):
    global tried
    tried += 1
    print(f"{name} {'ESCAPED' if escaped else 'refused'}: {why}", flush=True)


def attempt(name, work, harmless=lambda result: False):
    """Escaped where it raises nothing and gives anything that is not harmless."""
    try:
        result = work()
    except (OSError, ValueError, PermissionError) as error:
        return report(name, False, error.strerror if isinstance(error, OSError) else str(error))
    report(name, not harmless(result), repr(result)[:100])


def call(name, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(NUMBERS[name], *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def files():
    for path in (secret, "/etc/shadow", "/root/.bashrc", "/proc/kcore", "/proc/1/environ", "/proc/1/mem", "/proc/sys/kernel/core_pattern", "/dev/mem", "/dev/kmsg"):
        attempt(f"read {path}", lambda path=path: open(path, "rb").read(16), lambda content: path.endswith("core_pattern"))
    for path in ("/usr/x", "/etc/x", "/bin/x", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/sys/x", "/kopt/x", secret, "/proc/self/oom_score_adj.x"):
        attempt(f"write {path}", lambda path=path: open(path, "wb"))
    attempt("lower my oom_score_adj", lambda: open("/proc/self/oom_score_adj", "w").write("-1000") and open("/proc/self/oom_score_adj").read(), lambda got: got != "-1000\n")
    for folder in ("/home", "/var", "/root", "/srv", "/run", "/sys", "/boot"):
        attempt(f"list {folder}", lambda folder=folder: os.listdir(folder), lambda names: not names)
    attempt("a link to a file outside", lambda: (os.symlink(secret, "/tmp/link"), open("/tmp/link", "rb").read(1)))
    attempt("a hard link to a program", lambda: os.link("/usr/bin/su", "/tmp/su"))
    attempt("the root of another process", lambda: os.listdir("/proc/1/root/home"), lambda names: not names)
    attempt("a folder that is open above", lambda: [os.listdir(f"/proc/self/fd/{fd}/..") for fd in os.listdir("/proc/self/fd") if os.path.isdir(f"/proc/self/fd/{fd}")],
            lambda seen: not any("home" in names and "root" in names and names.count("kopt") == 0 for names in seen if "etc" in names and os.path.exists(secret)))
    attempt("descriptors that were left open", lambda: [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{fd}")],
            lambda links: all(link.startswith(("/dev/null", "pipe:", "/proc/", "socket:", "/tmp/")) for link in links))


def devices():
    here = set(os.listdir("/dev"))
    report("device nodes", bool(here - {"console", "core", "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout", "tty", "urandom", "zero"}), sorted(here))
    for name in ("/dev/nvidia0", "/dev/nvidia1", "/dev/nvidiactl", "/dev/nvidia-uvm-tools", "/dev/kvm", "/dev/fuse", "/dev/loop-control", "/dev/sda", "/dev/vda"):
        attempt(f"open {name}", lambda name=name: os.open(name, os.O_RDWR))
    attempt("make a node", lambda: os.mknod("/tmp/mem", 0o600 | 0o020000, os.makedev(1, 1)))


def network():
    for family, name in ((socket.AF_INET, "IPv4"), (socket.AF_INET6, "IPv6"), (socket.AF_UNIX, "unix"), (16, "netlink"), (17, "packet"), (40, "vsock")):
        attempt(f"socket {name}", lambda family=family: socket.socket(family, socket.SOCK_STREAM if family not in (16, 17) else socket.SOCK_RAW))
    attempt("abstract socket of the outside", lambda: socket.socket(socket.AF_UNIX).connect("\0" + abstract))
    attempt("a pair of sockets", socket.socketpair)
    attempt("interfaces", lambda: [line.split(":")[0].strip() for line in open("/proc/net/dev").readlines()[2:]], lambda names: names == ["lo"])


def processes():
    attempt("see a process outside", lambda: open(f"/proc/{outside}/comm").read())
    attempt("more processes than mine", lambda: [int(p) for p in os.listdir("/proc") if p.isdigit()], lambda pids: len(pids) <= 5)
    attempt("signal a process outside", lambda: os.kill(outside, 0))
    attempt("ptrace a process outside", lambda: call("ptrace", 16, outside, 0, 0))
    attempt("ptrace myself", lambda: call("ptrace", 0, 0, 0, 0))
    attempt("raise my limits", lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)))
    attempt("limits of the outside", lambda: resource.prlimit(outside, resource.RLIMIT_CPU))
    attempt("core dumps", lambda: resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20)))
    attempt("real-time priority", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
    attempt("a nicer nice", lambda: os.nice(-5))
    attempt("another uid", lambda: os.setuid(0), lambda _: os.geteuid() == uid)
    attempt("another group", lambda: os.setgroups([0]))
    attempt("setuid programs", lambda: [path for path in ("/usr/bin/su", "/usr/bin/passwd", "/usr/bin/mount") if os.path.exists(path) and os.stat(path).st_mode & 0o4000 and not no_new_privs()],
            lambda found: not found)
    status = open("/proc/self/status").read()
    for line in ("CapInh:\t0000000000000000", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "CapAmb:\t0000000000000000",
                 "NoNewPrivs:\t1", "Seccomp:\t2"):
        report(f"not {line.split(':')[0]}", line not in status, line)


def no_new_privs():
    return "NoNewPrivs:\t1" in open("/proc/self/status").read()


def calls():
    room = mmap.mmap(-1, 4096)
    address = ctypes.addressof(ctypes.c_char.from_buffer(room))
    arguments = {
        "process_vm_readv": (outside, address, 1, address, 1, 0), "process_vm_writev": (outside, address, 1, address, 1, 0), "kcmp": (os.getpid(), os.getpid(), 0, 0, 0),
        "perf_event_open": (address, 0, -1, -1, 0), "bpf": (0, address, 128), "userfaultfd": (1,), "keyctl": (0, -3, 1), "add_key": (b"user", b"x", b"y", 1, -3),
        "request_key": (b"user", b"x", None, -3), "io_uring_setup": (4, address), "mount": (b"none", b"/tmp", b"tmpfs", 0, None), "umount2": (b"/tmp", 2),
        "pivot_root": (b"/tmp", b"/tmp"), "chroot": (b"/tmp",), "unshare": (0x10000000,), "setns": (0, 0), "open_by_handle_at": (0, address, 0),
        "name_to_handle_at": (-100, b"/tmp", address, address + 512, 0), "kexec_load": (0, 0, 0, 0), "reboot": (0xfee1dead, 672274793, 0x89abcdef, 0),
        "swapon": (b"/tmp/x", 0), "sethostname": (b"x", 1), "settimeofday": (address, None), "clock_settime": (0, address), "iopl": (3,), "ioperm": (0x378, 1, 1),
        "syslog": (3, address, 100), "acct": (b"/tmp/x",), "mknod": (b"/tmp/n", 0o020600, 0x101), "pidfd_getfd": (0, 0, 0), "open_tree": (-100, b"/", 1),
        "fsopen": (b"tmpfs", 0), "memfd_secret": (0,), "seccomp": (1, 0, address), "shmget": (0, 4096, 0o1600), "semget": (0, 1, 0o1600), "msgget": (0, 0o1600),
        "sched_setaffinity": (0, 8, address), "clone3": (address, 88),
    }
    for name in NUMBERS:
        if name not in ("ptrace",):
            attempt(name, lambda name=name: call(name, *arguments.get(name, (0, 0, 0, 0, 0, 0))))
    attempt("a filter of my own", lambda: libc.prctl(22, 2, address, 0, 0) == 0 or (_ for _ in ()).throw(OSError(ctypes.get_errno(), "prctl")))
    attempt("io priority", lambda: libc.syscall(251, 1, 0, 1 << 13) == 0 or (_ for _ in ()).throw(OSError(errno.EPERM, "refused")))


if platform.machine() == "x86_64":
    signal.signal(signal.SIGSYS, signal.SIG_DFL)
    files()
    devices()
    network()
    processes()
    calls()
print(f"tried {tried}", flush=True)
