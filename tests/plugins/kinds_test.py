#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exporters and pruners that are plugins: they do what dlrun's own do, and their faults hurt nobody."""
import csv
import os
import signal
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from support import Folder  # noqa: E402

STUDY = """\
study: STUDY
seed: 7
objective: {metric: value, direction: DIRECTION}
space:
  x1: {type: float, low: -5, high: 10}
  x2: {type: float, low: 0, high: 15}
search: {sampler: random, lanes: 4, pruner: {PRUNER}}
limits: {trials: TRIALS}
trial: {kind: function, function: {op: branin, noise: 0.1, curve: 0.3, sleep: SLEEP}, epochs: 9}
"""
USAGE, OUTSIDE = 2, 75
FAULTS = {"crash": "ended by signal 11 (Segmentation fault) in", "hang": "gave no answer within 2 s in",
          "leak": "its memory ran out", "constructor": "failed in its constructor: the moon is wrong"}
PRUNER_FAULTS = {"throw": "failed in judge: the jury is out", "bytes": "gave a reason that is no valid UTF-8",
                 "odd": "an exception that is no std::exception", **FAULTS}
EXPORTER_FAULTS = {"throw": "failed in write: the ink is used up", "nothing": "wrote no file", **FAULTS}


def cells(text):
    """Numbers as such: two programs may write the same one with other digits."""
    def value(cell):
        try:
            return float(cell)
        except ValueError:
            return cell
    return [[value(cell) for cell in row] for row in csv.reader(text.splitlines())]


class Kinds(Folder):

    def setUp(self):
        super().setUp()
        self.environment = {**os.environ, "DLRUN_PLUGIN_DEADLINE": "2", "DLRUN_PLUGIN_MEMORY_MB": "300"}

    def study(self, pruner="op: none", direction="minimize", trials=40, sleep=0, file="study.yaml"):
        text = STUDY.replace("PRUNER", pruner).replace("DIRECTION", direction).replace("TRIALS", str(trials))
        text = text.replace("SLEEP", str(sleep))
        return self.write(text.replace("STUDY", "s"), file)

    def dlrun(self, *words, code=0):
        done = self.run_dlrun(*words, env=self.environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def tune(self, pruner, store, workers=1, code=0, **more):
        file = self.study(pruner, file=f"{store}.yaml", **more)
        return self.dlrun("tune", file, "-q", "--store", store, "--workers", str(workers), code=code)

    def logical(self, store):
        return self.dlrun("export", "--logical", "--store", store).stdout

    # ---- exporters

    def test_exporter_writes_what_the_report_has(self):
        self.tune("op: median, startup_trials: 3", "store")
        self.dlrun("export", "--to", "table", "--store", "store")
        report = self.dlrun("report", "--trials", "--format", "csv", "--store", "store").stdout
        self.assertEqual(cells((self.folder / "table/s.csv").read_text()), cells(report))
        self.assertEqual((self.folder / "table/studies.txt").read_text(), "s\n")

    def test_export_replaces_its_own_folder_only(self):
        self.tune("op: none", "store", trials=3)
        export = ["export", "--to", "table", "--store", "store", "-o", "out"]
        self.dlrun(*export)
        (self.folder / "out/old").write_text("")
        self.dlrun(*export)
        self.assertFalse((self.folder / "out/old").exists())
        (self.folder / "mine").mkdir()
        (self.folder / "mine/file").write_text("mine")
        self.dlrun(*export[:-1], "mine", code=USAGE)
        self.assertEqual((self.folder / "mine/file").read_text(), "mine")

    def test_faults_of_exporters_leave_nothing(self):
        self.tune("op: none", "store", trials=3)
        before = sorted(os.listdir(self.folder))
        for how, text in EXPORTER_FAULTS.items():
            with self.subTest(how):
                done = self.dlrun("export", "--to", "bad_exporter", "--set", f"how={how}", "-o", "out", "--store", "store",
                                  code=OUTSIDE)
                self.assertIn("plugin 'bad_exporter' ", done.stderr)
                self.assertIn(text, done.stderr)
                self.assertEqual(sorted(os.listdir(self.folder)), before)

    # ---- pruners

    def test_middle_decides_as_median(self):
        for direction in ("minimize", "maximize"):
            for keys in ("startup_trials: 3", "startup_trials: 2, min_budget: 2, interval: 3, min_trials: 2"):
                with self.subTest(direction=direction, keys=keys):
                    name = f"{direction}{len(keys)}"
                    self.tune(f"op: median, {keys}", name + "own", direction=direction)
                    self.tune(f"op: middle, {keys}", name + "plugin", direction=direction)
                    own, plugin = (self.decisions(name + end) for end in ("own", "plugin"))
                    self.assertEqual(own, plugin)
                    self.assertGreater(own.count("worse than"), 20)
                    self.assertGreater(own.count('"pruned"'), 5)

    def decisions(self, store):
        """The export without the line of the study, which has the spec."""
        return "\n".join(self.logical(store).splitlines()[1:])

    def test_same_on_one_and_four_workers(self):
        keys = "op: middle, startup_trials: 3"
        self.tune(keys, "one", 1)
        self.tune(keys, "four", 4)
        self.assertEqual(self.logical("one"), self.logical("four"))

    def test_same_after_a_kill(self):
        keys = "op: middle, startup_trials: 3"
        self.tune(keys, "whole", trials=100, sleep=0.01)
        file = self.study(keys, trials=100, sleep=0.01)
        driver = self.start("tune", file, "-q", "--store", "killed", env=self.environment)
        while driver.poll() is None and not self.has_pruned(5):
            time.sleep(0.05)
        self.assertIsNone(driver.poll(), "it ended before it was killed")
        driver.send_signal(signal.SIGKILL)
        driver.wait()
        self.dlrun("resume", "-q", "--store", "killed")
        self.assertEqual(self.logical("whole"), self.logical("killed"))

    def has_pruned(self, count):
        done = self.run_dlrun("report", "--sql", "SELECT count(*) FROM v_trials WHERE state = 'pruned'", "--store", "killed",
                              "--format", "csv", env=self.environment)
        return done.returncode == 0 and int(done.stdout.split()[-1]) >= count

    def test_faults_of_pruners_stop_the_run(self):
        for how, text in PRUNER_FAULTS.items():
            with self.subTest(how):
                done = self.tune(f"op: bad_pruner, how: {how}", how, code=OUTSIDE)
                self.assertIn("plugin 'bad_pruner' ", done.stderr)
                self.assertIn(text, done.stderr)
                self.assertIn("dlrun resume", done.stderr)
                self.dlrun("verify", "--store", how)

    def test_another_pruner_takes_over(self):
        self.tune("op: bad_pruner, how: throw", "store", code=OUTSIDE)
        file = self.study("op: middle, startup_trials: 3", file="other.yaml")
        self.dlrun("tune", file, "-q", "--amend", "--store", "store")
        self.assertIn('"pruned"', self.logical("store"))

    def test_keys_are_checked(self):
        done = self.run_dlrun("check", self.study("op: middle, min_trials: 0, interval: 0"), env=self.environment)
        self.assertEqual(done.returncode, USAGE)
        self.assertIn("min_trials", done.stderr)
        self.assertIn("interval", done.stderr)

    def test_contracts(self):
        for name in ("table", "middle"):
            self.dlrun("plugins", "test", name)
        for setting in ("how=throw", "how=clock", "how=hang"):
            self.assertIn("failed", self.dlrun("plugins", "test", "bad_pruner", setting, code=1).stdout)
        self.assertIn("wrote no file", self.dlrun("plugins", "test", "bad_exporter", "how=nothing", code=1).stdout)


if __name__ == "__main__":
    unittest.main()
