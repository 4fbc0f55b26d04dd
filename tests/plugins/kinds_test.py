#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exporters that are plugins: they do what dlrun's own do, and their faults hurt nobody."""
import os
import sys
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
EXPORTER_FAULTS = {"throw": "failed in write: the ink is used up", "nothing": "wrote no file", **FAULTS}


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

    # ---- exporters

    def test_exporter_writes_what_the_report_has(self):
        self.tune("op: median, startup_trials: 3", "store")
        self.dlrun("export", "--to", "table", "--store", "store")
        self.assertEqual((self.folder / "table/s.csv").read_text(),
                         self.dlrun("report", "--trials", "--format", "csv", "--store", "store").stdout)
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

    def test_contracts(self):
        self.dlrun("plugins", "test", "table")
        self.assertIn("wrote no file", self.dlrun("plugins", "test", "bad_exporter", "how=nothing", code=1).stdout)


if __name__ == "__main__":
    unittest.main()
