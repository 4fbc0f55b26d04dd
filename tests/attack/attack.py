#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Disturbs small studies of every kind at random moments and requires that each ends as if nothing had happened.

Disturbance number i depends on the seed and i alone. A difference is printed with the command that repeats it, its folder is
kept, and the attack ends with 1."""
import argparse
import collections
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from damage import PLANTS
from disturbances import KINDS, draw
from injector import SHIM
from referee import BIN, groups_of
from striking import Outcome, calm_of, strike
from studies import STUDIES

DEFAULT_KINDS = [name for name, times in KINDS.items() if times]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=None, help="default: by chance")
    parser.add_argument("--disturbances", type=int, default=100, metavar="N", help="how many (default 100)")
    parser.add_argument("--only", type=int, metavar="INDEX", help="this one alone")
    parser.add_argument("--seconds", type=float, default=float("inf"), metavar="S", help="begin none after S seconds")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="how many at a time (default: one per core)")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, metavar="KIND", default=DEFAULT_KINDS,
                        help=f"of disturbances: {' '.join(KINDS)} (default: all with a weight)")
    parser.add_argument("--studies", nargs="+", choices=STUDIES, metavar="STUDY", help=f"{' '.join(STUDIES)} (default: all)")
    parser.add_argument("--plant", choices=[name for name in PLANTS if name], default="", help="test of the referee: it must find this")
    options = parser.parse_args()
    options.seed = options.seed if options.seed is not None else int.from_bytes(os.urandom(3), "big")
    return options


class Attack:
    def __init__(self, options):
        self.options, self.begun, self.lock = options, time.monotonic(), threading.Lock()
        self.folder = Path(tempfile.mkdtemp(prefix="attack-"))
        self.studies = options.studies or [name for name, study in STUDIES.items() if not study.needs_trainer or has_trainer()]
        self.calm, self.table, self.classes, self.seconds = {}, collections.Counter(), collections.Counter(), collections.Counter()
        self.findings = self.done = 0
        self.drivers = []

    def run(self):
        options = self.options
        indices = range(options.disturbances) if options.only is None else [options.only]
        drawn = {draw(options.seed, i, self.studies, options.kinds).study for i in indices}
        wanted = [study for study in STUDIES.values() if study in drawn]
        print(f"attack: seed {options.seed}, {len(indices)} disturbances of {len(wanted)} studies, {options.jobs} at a time", flush=True)
        with ThreadPoolExecutor(options.jobs) as pool:
            self.calm = dict(zip((study.name for study in wanted), pool.map(lambda study: calm_of(study, self.folder / study.name), wanted)))
            list(pool.map(self.disturb, indices))
        self.require_no_groups(wanted[0])
        self.print_table()
        if not self.findings:
            shutil.rmtree(self.folder)
        return 1 if self.findings else 0

    def require_no_groups(self, study):
        """Control groups of killed drivers go when the next driver starts."""
        if groups_of(self.drivers):
            calm_of(study, self.folder / "next")
        if groups := groups_of(self.drivers):
            self.findings += 1
            print(f"\nDIFFERENCE: control groups left: {' '.join(groups)}")

    def disturb(self, index):
        if time.monotonic() - self.begun > self.options.seconds:
            return
        disturbance = draw(self.options.seed, index, self.studies, self.options.kinds)
        folder = self.folder / str(index)
        try:
            outcome = strike(disturbance, folder, self.calm[disturbance.study.name], self.options.plant)
        except Exception as error:  # a bug of the attack is a finding too
            self.tell(disturbance, Outcome(found=[f"the attack failed: {type(error).__name__}: {error}"]))
            return
        if not outcome.found:
            shutil.rmtree(folder, ignore_errors=True)
        with self.lock:
            self.done += 1
            self.drivers += outcome.drivers
            how = "skipped" if outcome.skipped else "different" if outcome.found else "struck" if outcome.has_struck else "missed"
            self.table[disturbance.study.name, disturbance.kind, how] += 1
            self.seconds[disturbance.study.name] += outcome.seconds
        if outcome.found:
            self.tell(disturbance, outcome)

    def tell(self, disturbance, outcome):
        options, i = self.options, disturbance.index
        words = ["tests/attack/attack.py", f"--seed {options.seed}", f"--only {i}"]
        words += [f"--studies {' '.join(options.studies)}"] if options.studies else []
        words += [f"--kinds {' '.join(options.kinds)}"] if options.kinds != DEFAULT_KINDS else []
        with self.lock:
            self.findings += 1
            self.classes.update({class_of(line) for line in outcome.found if not line.startswith("export differs")} or {"export differs"})
            print(f"\nDIFFERENCE {i}: {disturbance.study.name} under {disturbance.kind}; runs ended with {outcome.codes}")
            print("\n".join(f"  {plan}" for plan in outcome.plans))
            print("\n".join(f"  {line}" for line in outcome.found))
            print(f"  repeat: {' '.join(words)}\n  folder: {self.folder / str(i)}", flush=True)

    def print_table(self):
        """Differences of all disturbances, by study and kind, and the seconds that they took."""
        print("\nstudy \\ disturbance".ljust(21) + "".join(kind.rjust(11) for kind in self.options.kinds) + "    seconds")
        for study in self.calm:
            cells = [self.cell(study, kind) for kind in self.options.kinds]
            print(study.ljust(20) + "".join(cell.rjust(11) for cell in cells) + f"{self.seconds[study]:11.0f}")
        print("A cell: differences/disturbances, and in brackets how many of these struck nothing.")
        for skipped in sorted({kind for (_, kind, how) in self.table if how == "skipped"}):
            print(f"SKIPPED: {skipped}, which needs root and mount")
        for text, times in self.classes.most_common():
            print(f"{times} x {text}")
        print(f"attack: {self.done} disturbances, {self.findings} differences, {time.monotonic() - self.begun:.0f} s")

    def cell(self, study, kind):
        count = {how: self.table[study, kind, how] for how in ("different", "struck", "missed", "skipped")}
        total = count["different"] + count["struck"] + count["missed"]
        return f"{count['different']}/{total}" + (f" ({count['missed']})" if count["missed"] else "") if total else "-"


def class_of(text):
    """A finding without its numbers and paths, to count those that are alike."""
    return re.sub(r"'[^']*'|[0-9a-f]{16,}\S*|\d+", "_", text)[:160]


def has_trainer():
    return (BIN / "libdlrun_trainer.so").exists()


if __name__ == "__main__":
    if not SHIM.exists():
        raise SystemExit(f"there is no {SHIM}: build the target dlrun_injector")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(Attack(arguments()).run())
