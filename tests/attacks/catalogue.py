"""Writes README.md: each row of the catalogue with its programs. catalogue.py --check: fails where it is not up to date."""
import collections
import pathlib
import re
import sys

root = pathlib.Path(__file__).parent
ROWS = {
    "T1": "stream escape: work on a stream that the events do not see",
    "T2": "a thread, or a process, works after the call or before it",
    "T3": "a lazy result that computes when it is looked at",
    "T4": "patched timers",
    "T5": "the code of a timer rewritten",
    "T6": "addresses of functions rewritten",
    "T7": "event handles, stamps, the control page overwritten",
    "T8": "events that do not measure",
    "T9": "phases told apart: warm-up, check, timing",
    "T10": "the work of several calls in one",
    "T11": "a graph that replays what was captured",
    "T12": "forged statistics",
    "T13": "one case of zero in an average",
    "T14": "printed results",
    "T15": "inputs kept in the L2",
    "T16": "work that begins after the end was taken",
    "T17": "host functions, tail launches, kernels that never end",
    "T18": "profilers turned off",
    "T19": "clocks and power",
    "T20": "another GPU, the CPU, another process helps",
    "T21": "the baseline sabotaged",
    "H1": "a verdict written to the judge's pipe",
    "H2": "pipes put between",
    "H3": "a FILE redirected",
    "H4": "a SIGSYS handler that rewrites writes",
    "H5": "ptrace",
    "H6": "/proc/self/mem",
    "H7": "protection of memory changed",
    "H8": "heap and stack searched",
    "H9": "a key recovered",
    "H10": "an error counter on the GPU cleared",
    "H11": "GPU addresses searched",
    "H12": "NaN into whatever the interpreter holds",
    "H13": "the answer copied from what the interpreter holds",
    "H14": "the harness patched in its process",
    "H15": "comparisons patched",
    "H16": "modules shadowed",
    "H17": "files of the harness changed",
    "H18": "the submission changed after it was checked",
    "H19": "the evaluator killed, or exits",
    "H20": "constructors that run at load",
    "H21": "host memory read from a kernel",
    "C1": "a cache by pointer or identity",
    "C2": "a cache by sampled content",
    "C3": "a __device__ or static buffer",
    "C4": "a bank of results in files",
    "C5": "precomputed in setup",
    "C6": "memory taken to be zero",
    "C7": "an earlier output found nearby",
    "C8": "freed memory of the reference",
    "C9": "the reference itself found",
    "C10": "inputs made again from a known seed",
    "C11": "compile caches poisoned",
    "C12": "right in the first calls only",
    "C13": "a tuning file with answers",
    "R1": "inputs changed",
    "R2": "zeros, a constant",
    "R3": "identity, mean",
    "R4": "the answer of the first call",
    "R5": "shapes hard-coded, the rest left out",
    "R6": "the distribution of inputs relied on",
    "R7": "a kernel that was not launched",
    "R8": "a ghost kernel beside a library's",
    "R9": "a silent fallback",
    "R10": "the reference's forward inherited",
    "R11": "files of others read",
    "R12": "the network",
    "R13": "hidden and prebuilt code",
    "R14": "words for a language model",
    "N1": "a smaller type",
    "N2": "a larger type than asked for",
    "N3": "NaN everywhere",
    "N4": "a row or a tile within the matched ratio",
    "N5": "wrong now and then",
    "N6": "outputs after the first",
    "N7": "writes out of bounds",
    "E1": "hangs, bombs, floods",
    "E2": "a fault that outlives the job",
    "E3": "spam",
    "E4": "neighbours slowed down",
}
# Rows that other tests have, too.
ALSO = {
    "T13": "`verdicts/forged_time`, `forged_now_and_then`: a time of zero is an INTEGRITY_VIOLATION, so that no average sees one",
    "N6": "`problems/two_outputs`",
    "E1": "`verdicts/` (forks, loops, 20 GB, builds that explode)",
    "E2": "`gpu/faults/`",
}
NOT_CODED = {
    "H9": "there is no key in the process; nothing that it writes is believed",
    "R8": "policy of a problem: the verdict is about the result and its time, which are the library's",
    "R9": "as R8; a fallback that fails is R7",
    "N2": "no gain: a larger type is slower, and right",
    "E3": "quotas (`submissions_per_minute`) and the cache of binaries; there is nothing to judge",
}
FOLDERS = (("host", "*.cpp"), ("python", "*.py"), ("cuda", "*.cu"))


def programs():
    """Folder, file, rows, what is expected of it."""
    for folder, pattern in FOLDERS:
        for path in sorted((root / folder).glob(pattern)):
            if path.stem in ("honest", "ref"):
                continue
            text = path.read_text()
            ids = re.match(r"(?://|#) ((?:[THCRNE]\d+(?:, )?)+):", text)
            expect = re.search(r"expect: (caught|neutralised)\n", text)
            if not ids or not expect:
                sys.exit(f"{path}: begins with its rows (// T2, C1: what it tries) and says `expect: caught` or `expect: neutralised`")
            yield folder, path.name, ids.group(1).split(", "), expect.group(1)


def table():
    found = list(programs())
    by_row = collections.defaultdict(list)
    for folder, name, ids, expect in found:
        for one in ids:
            by_row[one].append(f"[{name}]({folder}/{name})" + (" \\*" if expect == "neutralised" else ""))
    lines = []
    for row, what in ROWS.items():
        cells = by_row[row] + ([ALSO[row]] if row in ALSO else [])
        lines.append(f"| {row} | {what} | {', '.join(cells) if cells else 'not coded: ' + NOT_CODED[row]} |")
    return len(found), len(ROWS) - len(NOT_CODED), lines


def readme():
    count, covered, lines = table()
    honest = len(list((root / "honest").glob("*.cpp")))
    honest_cuda = sum(path.suffix in (".cu", ".py") for path in (root / "honest_cuda").iterdir())
    return f"""# attacks: programs that cheat, and programs that must not be accused

`{count}` programs over {covered} of the {len(ROWS)} rows of our catalogue of ways to cheat a benchmark, in C++ (`host/`), Python (`python/`, tried on the CPU and on a
GPU) and CUDA (`cuda/`). Each says in its first lines which rows it is of, what it tries, and what must come of it beside its honest twin:

- *caught*: a verdict that is never ranked (INCORRECT, RUNTIME_ERROR, INTEGRITY_VIOLATION, KERNEL_TIMEOUT, OUT_OF_MEMORY);
- *neutralised* (marked \\*): the trick has no effect: less than 5 % faster than the twin, or not FASTER on a GPU. A stricter end is fine, too.

`honest/` ({honest} kernels for the CPU) and `honest_cuda/` ({honest_cuda}, CUDA and Triton) use whatever is legal and looks odd: all must be CORRECT. Nothing is
found by reading the source: what is caught is caught by what it did.

```
build/dev/tests/attacks_test                       # host, python, honest: in every run of deploy/test.sh, a line for each
tests/gpu/run.sh --section attacks                 # cuda, python, honest_cuda: on a GPU, from the bundle
CASES=own_context,cuda tests/gpu/run.sh ...        # some of them
```

To add one: a file with the two lines, and this table by `python3 tests/attacks/catalogue.py`. What a hole looked like when it was found is told in
the commit that closed it.

| row | trick | programs |
| --- | --- | --- |
""" + "\n".join(lines) + "\n"


if __name__ == "__main__":
    if "--check" not in sys.argv:
        (root / "README.md").write_text(readme())
    elif (root / "README.md").read_text() != readme():
        sys.exit("tests/attacks/README.md is not what catalogue.py writes: run python3 tests/attacks/catalogue.py")
