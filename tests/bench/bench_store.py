# SPDX-License-Identifier: Apache-2.0
"""The store alone: CPU time of a function trial's rows, and of a report on many trials."""
import tempfile

from benchlib import BIN, Row, timed

PROGRAM = BIN / "bench_store"
TARGETS = {"store.trial_cpu": 60, "store.file": 100, "report.best": 200, "report.sql": 500}


def rows(full):
    with tempfile.TemporaryDirectory() as folder:
        output = timed([PROGRAM, folder, "100000" if full else "20000"]).output
    found = []
    for line in output.splitlines():
        name, value, unit = line.split()
        target = TARGETS.get(name)
        met = None if target is None else float(value) <= target
        found.append(Row(name, float(value), unit, target="" if target is None else f"<= {target} {unit}", met=met))
    return found
