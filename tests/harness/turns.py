"""Prints, from the event log of a daemon's database: TURNS, and how many of them began
before another one on the same device had ended.

    turns.py STATE/kernelopt.db
"""
import sqlite3
import sys


def turns(path):
    running, seen, overlapping = {}, 0, 0  # running: device -> job
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        # In the order of the commits.
        events = db.execute("SELECT job.device, event.job_id, event.state FROM event JOIN job ON job.id = job_id ORDER BY seq")
        for device, job, state in events:
            if state == "RUNNING" and running.get(device) != job:
                overlapping += running.get(device) is not None
                seen, running[device] = seen + 1, job
            elif state != "RUNNING" and running.get(device) == job:
                running[device] = None
    return seen, overlapping


if __name__ == "__main__":
    print(*turns(sys.argv[1]))
