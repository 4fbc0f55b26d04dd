# SPDX-License-Identifier: Apache-2.0
"""The driver killed at its calls to the disk one after the other, and its disk failing at each of them: the next run goes
on to the same export, no committed row is lost, and nothing is acknowledged that did not reach the disk.

A few dozen places by default; DLRUN_FAULTS=long tries them all."""
import json
import os
import sqlite3
import unittest
from contextlib import closing

from support import Folder

SHIM = os.environ.get("DLRUN_SHIM", "")
IS_LONG = os.environ.get("DLRUN_FAULTS") == "long"
ENOSPC, EIO = 28, 5

STUDY = """\
study: sphere
seed: 7
objective: {metric: value, direction: minimize}
space:
  x: {type: float, low: -1.0, high: 1.0}
  y: {type: float, low: -1.0, high: 1.0}
search: {sampler: random, lanes: 4, pruner: {op: asha, eta: 3, min_budget: 1, max_budget: 9}}
limits: {trials: 12}
trial: {kind: function, function: {op: sphere, sleep: 0.002}, epochs: 9}
"""


def acknowledged(file):
    """(piece, attempt) of every Ack that left the driver."""
    acks = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    return {(tuple(ack["piece"]), ack["attempt"]) for ack in acks}


def log_of(store, column="hash"):
    """A column of the committed log; none where there is no study yet."""
    path = store / "studies" / "sphere.db"
    if not path.exists():
        return []
    with closing(sqlite3.connect(path)) as db:  # as the next driver sees it: what stands in the WAL counts
        return [row[0] for row in db.execute(f"select {column} from dl_log order by seq")]


def committed(store):
    """(piece, attempt) of every result in the log."""
    rows = [json.loads(body) for body in log_of(store, "body")]
    return {(tuple(row["piece"]), row["attempt"]) for row in rows if "reports" in row}


@unittest.skipUnless(SHIM, "the shim is not built")
class Disk(Folder):
    def setUp(self):
        super().setUp()
        self.study = self.write(STUDY)
        self.assertEqual(self.tune(self.study, self.folder / "calm").returncode, 0)
        self.calm = self.digest(self.folder / "calm")

    def disturbed(self, store, **faults):
        settings = {"LD_PRELOAD": SHIM, "FAULT_COUNT": str(self.folder / "count"), **{k: str(v) for k, v in faults.items()}}
        return self.run_dlrun("tune", self.study, "--workers", 2, "--store", store, env={**os.environ, **settings})

    def calls(self, **faults):
        """How many there are in a run that nothing disturbs."""
        self.assertEqual(self.disturbed(self.folder / "counted", **faults).returncode, 0)
        return int((self.folder / "count").read_text())

    def places(self, calls, few):
        return range(1, calls + 1) if IS_LONG else sorted({1 + i * calls // few for i in range(few)})

    def require_same_end(self, store, before, what):
        done = self.tune(self.study, store)
        self.assertEqual(done.returncode, 0, what + done.stderr)
        self.assertEqual(log_of(store)[:len(before)], before, what)
        self.assertEqual(self.digest(store), self.calm, what)

    def test_killed_at_any_call(self):
        for place in self.places(self.calls(), 25):
            store, acks = self.folder / f"killed-{place}", self.folder / f"acks-{place}"
            done = self.disturbed(store, FAULT_CRASH_AT=place, FAULT_ACKS=acks)
            self.assertIn(done.returncode, (-9, 0), done.stderr)
            self.assertLessEqual(acknowledged(acks), committed(store), f"acknowledged before call {place}")
            self.require_same_end(store, log_of(store), f"killed at call {place}: ")

    def test_killed_while_it_recovers(self):
        for place in self.places(self.calls(), 12):
            store = self.folder / f"twice-{place}"
            self.disturbed(store, FAULT_CRASH_AT=place)
            for again in (place % 23 + 1, place % 7 + 1, 41):
                self.disturbed(store, FAULT_CRASH_AT=again)
            self.require_same_end(store, log_of(store), f"killed at call {place} and in recovery: ")

    def break_disk(self, kind, errno, few):
        for place in self.places(self.calls(FAULT_KIND=kind), few):
            store, alarm = self.folder / f"{kind}-{errno}-{place}", self.folder / "alarm"
            done = self.disturbed(store, FAULT_KIND=kind, FAULT_FAIL_AT=place, FAULT_ERRNO=errno, FAULT_ALARM=alarm)
            what = f"{kind}, errno {errno} from call {place} on: "
            self.assertIn(done.returncode, (75, 0), what + done.stderr)
            self.assertFalse(alarm.exists(), what + "acknowledged what may not be on the disk")
            self.require_same_end(store, log_of(store), what)

    def test_a_sync_that_fails_ends_the_driver(self):
        self.break_disk("sync", EIO, 20)

    def test_writes_that_fail_end_the_driver(self):
        self.break_disk("any", EIO, 15)

    def test_a_disk_that_fills_up_ends_the_driver(self):
        self.break_disk("any", ENOSPC, 15)


if __name__ == "__main__":
    unittest.main()
