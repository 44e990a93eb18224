"""results/results.json as Markdown: tests/gpu/table.py > tests/gpu/results/README.md; table.py attacks > tests/gpu/results/attacks.md"""
import json
import pathlib
import sys

results = json.loads((pathlib.Path(__file__).parent / "results/results.json").read_text())
sections = results["sections"]


def met(value):
    return "met" if value else "**missed**"


def cases(section):
    return sections.get(section, {}).get("cases", {})


CLASSES = {"T": "timing", "H": "the judge's memory, files and pipes", "C": "caching and replay", "R": "answers read, work skipped", "N": "numerics", "E": "environment"}


def red_team():
    """By class of the catalogue (tests/attacks/README.md)."""
    attacks = {name: found for name, found in cases("attacks").items() if not name.startswith(("honest/", "audits/"))}
    for name, found in cases("attacks").items():
        if name.startswith("audits/"):
            yield ("attacks", f"checking, of the turn of a kernel of {found['median_us']} us against itself: <= 25 % from 1 ms on", f"{found['audit_ms']} of {found['turn_ms']} ms, {100 * found['share']:.0f} %", found["met"])
    for letter, what in CLASSES.items():
        mine = [found for found in attacks.values() if found.get("rows", "").startswith(letter)]
        caught = sum(not found["verdict"].startswith("CORRECT") for found in mine)
        if mine:
            yield ("attacks", f"{what}: caught, or no better than the honest twin ([each](attacks.md))", f"{caught} caught, {len(mine) - caught} without gain, of {len(mine)}", all(f["met"] for f in mine))
    fair = [found for name, found in cases("attacks").items() if name.startswith("honest/")]
    if fair:
        yield ("attacks", "honest kernels: none accused", f"{sum(not f['met'] for f in fair)} of {len(fair)}", all(f["met"] for f in fair))


def rows():
    truth = sections.get("truth")
    if truth:
        yield ("truth", "spin kernels of 5 us to 10 ms: slope within 0.3 %, intercept <= 3 us, sd <= 0.1 us",
               f"slope {truth['slope']}, intercept {truth['intercept_us']} us, sd {truth['over_sd_us']} us"
               + (f" (intercept of a loop in one process {truth['plain_intercept_us']} us, with cold code {truth['plain_cold_code_intercept_us']} us)" if "plain_intercept_us" in truth else ""), truth["met"])
        yield ("truth", "published, never subtracted", f"two events around nothing: {truth['event_pair_us']:.2f} us", True)
    for name, found in sections.get("agreement", {}).items():
        if isinstance(found, dict) and "in_process_us" in found:
            yield ("agreement", f"{name}: <= 1 % or 0.3 us of a loop in one process",
                   f"{found['median_us']:.2f} us against {found['in_process_us']:.2f} us ({found['difference_us']:+.2f} us)"
                   + (f"; {found['in_process_cold_code_us']:.2f} us in that loop with code that is not cached" if "in_process_cold_code_us" in found else ""), found["met"])
            if found.get("flops_floor_us"):
                share = found["flops_floor_us"] / found["median_us"]
                yield ("agreement", f"{name}: the floor from flops() is half of that time or more, and not all of it", f"{found['flops_floor_us']:.2f} us", 0.5 < share < 1)
    for case, all_of_it in cases("repeat").items():
        for found in all_of_it["repeats"]:
            yield ("repeat", f"{case}: CV of {len(found['median_us'])} jobs <= {found['goal_percent']:.2f} %",
                   f"{found['cv_percent']:.2f} % (plain recipe {found['plain_cv_percent']:.2f} %, do_bench {all_of_it['do_bench_cv_percent']:.2f} %)", found["met"])
    for band, found in cases("equal").items():
        yield ("equal", f"equal kernels, {band}: <= 1 % false verdicts", f"{found['false_verdicts']} of {found['runs']}", found["false_verdicts"] <= found["runs"] / 100)
    for length, found in cases("planted").items():
        if length != "20 us":
            yield ("planted", f"1 % of {length}: found in >= 95 %", f"{found['found']} of {found['runs']}", found["found"] >= 0.95 * found["runs"])
            yield ("planted", f"1 % of {length}: turn <= 2 s", f"p50 {found['turn_s_p50']} s, at most {found['turn_s_max']} s", found["turn_s_p50"] <= 2)
        else:
            yield ("planted", f"1 % of {length}: below what two processes allow to tell", f"{found['found']} of {found['runs']}", True)
    speed = sections.get("throughput")
    if speed:
        fresh, run = speed["fresh"], speed["same_run"]
        yield ("throughput", "fresh runners: >= 150 jobs a minute", f"{fresh['jobs_per_minute']} ({fresh['correct']} of {fresh['jobs']} CORRECT)", fresh["jobs_per_minute"] >= 150)
        yield ("throughput", "p50 of the turn beyond calls <= 150 ms, jobs one behind the other", f"{fresh['beyond_calls_ms_p50']} ms; {run['beyond_calls_ms_p50']} ms where a run shares a process", fresh["beyond_calls_ms_p50"] <= 150)
        if "paced" in speed:
            yield ("throughput", "the same, a job every second", f"{speed['paced']['beyond_calls_ms_p50']} ms", speed["paced"]["beyond_calls_ms_p50"] <= 150)
        yield ("throughput", "runner_reuse = same-run: >= 400 jobs a minute", f"{run['jobs_per_minute']} ({run['correct']} of {run['jobs']} CORRECT)", run["jobs_per_minute"] >= 400)
        if "linear" in speed:
            yield ("throughput", f"same-run on {speed['gpus']} GPUs: >= 0.9 of linear", f"{speed['same_run_all']['jobs_per_minute']} a minute, {speed['linear']}", speed["linear"] >= 0.9)
    for size, found in sections.get("scale", {}).get("sizes", {}).items():
        yield ("scale", f"{sections['scale']['gpus']} GPUs at work, {size}: shift <= {found['allowed_percent']} %", f"{found['shift_percent']:+.2f} %", found["met"])
    for name, found in sections.get("features", {}).get("kernels", {}).items():
        yield ("features", name.replace("_", " "), found["verdict"], found["right"])
    faults = sections.get("faults")
    if faults:
        wrong = [name for name, f in faults["faults"].items() if not f["right"]]
        yield ("faults", f"{len(faults['faults'])} ways to fail: the right verdict", f"{len(wrong)} wrong {' '.join(wrong)}".strip(), not wrong)
        slowest = max(f["next_job_s"] for f in faults["faults"].values())
        yield ("faults", "next job: submitted to answered", f"{slowest} s at most, its median {faults['after_shift_percent']:+.2f} %", slowest <= 1)
        mixed = faults["mixed"]
        yield ("faults", f"{mixed['jobs']} mixed jobs: none of the good ones off by more than 2 %", f"{mixed['contaminated']} of {mixed['good']}", mixed["contaminated"] == 0)
        yield ("faults", "two racing clients: the median of one alone", ", ".join(f"{f['shift_percent']:+.2f} %" for f in faults["racing"].values()), all(abs(f["shift_percent"]) <= 1 for f in faults["racing"].values()))
        if "turns" in faults:
            yield ("faults", "event log: no two turns of one GPU overlap", f"{faults['overlapping']} of {faults['turns']}", faults["overlapping"] == 0)
    yield from red_team()
    for case, found in sections.get("large", {}).items():
        if isinstance(found, dict) and "subjects" in found:
            first = found["subjects"][0]
            right = all(s["verdict"] == "CORRECT" for s in found["subjects"]) != (case == "more than the card has")
            yield ("large", case, f"{first['verdict']}, {found['wall_s']} s", right)
    for name, one in sorted(cases("languages").items()):
        said = "; ".join(f"{label} {' / '.join(map(str, s['median_us']))} us" if s["verdict"] == "CORRECT" else f"{label} {s['verdict']}" for label, s in one["subjects"].items())
        yield ("languages", f"{name}: every subject CORRECT", said, not one["wrong"])
    warm = sections.get("warm")
    if warm:
        yield ("warm", "Triton: p50 of the turn beyond calls <= 400 ms", f"{warm['beyond_calls_ms_p50']} ms", warm["beyond_calls_ms_p50"] <= 400)
        yield ("warm", "Triton: >= 90 jobs a minute", f"{warm['jobs_per_minute']} ({warm['correct']} of {warm['jobs']} CORRECT)", warm["jobs_per_minute"] >= 90)
        yield ("warm", "Triton, the first job: <= 8 s", f"{warm['cold_first_job_s']} s", warm["cold_first_job_s"] <= 8)
    for name, one in sorted(cases("ratios").items()):
        yield ("ratios", f"{name}: ratios of ten jobs within 0.5 %", f"{one['ratio']}, strays by {one['strays_percent']} %", one["met"])
        for file in ("optimised.py", "naive.py"):
            yield ("ratios", f"{name}, {file}: <= 1 % or 0.3 us of a loop in one process", f"{one[file]['median_us']} us against {one[file]['in_process_us']} us", one[file]["met"])
    mixed = sections.get("mixed")
    if mixed:
        yield ("mixed", f"{mixed['jobs']} jobs of all languages: the right verdict each", f"{mixed['wrong_count']} wrong", mixed["wrong_count"] == 0)
        yield ("mixed", "good ones off by more than 2 %: none", f"{mixed['contaminated']} of {mixed['good']}", mixed["contaminated"] == 0)
        yield ("mixed", "nothing is left behind", f"GPU {mixed['before']['gpu_mib']} to {mixed['after']['gpu_mib']} MiB, worker {mixed['before']['worker_mib']} to {mixed['after']['worker_mib']} MiB, "
               f"processes {mixed['before']['processes']} to {mixed['after']['processes']}", mixed["met"])
    if "ops" in sections:
        yield ("ops", "the judge's kernels against its loops, bit for bit", f"{sections['ops']['failures']} of {sections['ops']['tests']} tests failed", sections["ops"]["failures"] == 0)


# What is asked for and has no row above.
WANTED = {
    "repeat": ["17 us", "0.74 ms, memory-bound", "bf16 GEMM 8192"],
    "equal": ["5 us", "30 us", "0.4 ms"],
    "planted": ["50 us", "100 us"],
}


def missing():
    yield from (f"{section}: {case}" for section, wanted in WANTED.items() for case in wanted if case not in cases(section))
    short = [f"{band} {found['runs']} of 170" for band, found in cases("equal").items() if found["runs"] < 170]
    if short:
        yield "equal: fewer runs than asked for (" + ", ".join(short) + ")"
    if any(len(found["repeats"]) < 3 for found in cases("repeat").values()):
        yield "repeat: the second and third repeat"
    if "linear" not in sections.get("throughput", {}):
        yield "throughput: jobs of one run on all GPUs"
    for section, what in (("scale", "all GPUs at work"), ("languages", "all languages and baselines"), ("warm", "Triton jobs one behind the other"), ("ratios", "pairs of Triton kernels"),
                          ("mixed", "200 jobs of all languages")):
        if section not in sections:
            yield f"{section}: {what}"


def runs():
    """Of each section or case: when, from what, where. Of attacks, which are many, by commit."""
    together = set()
    for name, section in sections.items():
        for case, found in section.get("cases", {"": section}).items():
            if "run" not in found:
                continue
            run = found["run"]
            if name != "attacks":
                yield f"{name} {case}".strip(), run
            elif run["commit"] not in together:
                together.add(run["commit"])
                yield f"attacks of {run['commit']}", run


if sys.argv[1:] == ["attacks"]:
    print("# Attacks and honest kernels on a GPU\n\nWritten by `tests/gpu/table.py attacks`; what each is: [tests/attacks](../../attacks/README.md).\n\n"
          "| program | verdict | against its twin | |\n|---|---|---|---|")
    for name, found in sorted((name, found) for name, found in cases("attacks").items() if not name.startswith("audits/")):
        against = f"{found['outcome']} {found['speedup']}" if found.get("outcome") else ""
        print(f"| {name} | {found['verdict']} | {against} | {'' if found['met'] else '**missed**'} |")
    sys.exit()
gpu = results["gpus"][0]
print(f"# On a GPU\n\n{gpu['name']}, driver {gpu['driver_version']}, Linux {results['kernel']}. Written by `tests/gpu/table.py` from\n"
      "`results.json`, which `tests/gpu/run.sh` made.\n\n| section | asked for | found | |\n|---|---|---|---|")
for section, wanted, found, good in rows():
    print(f"| {section} | {wanted} | {found} | {met(good)} |")
print("\nNot measured:\n")
for line in missing():
    print(f"- {line}")
print("\n| section | date | commit | GPU |\n|---|---|---|---|")
for name, run in runs():
    print(f"| {name} | {run['date']} | {run['commit']} | {run['gpu']} |")
