#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Formats that misbehave: every fault is a message with its place, and neither dlrun nor a worker is hurt."""
import csv
import os
import shutil
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from support import HAS_TRAINER, Folder, processes_with  # noqa: E402

STUDY = """\
study: guests
seed: 7
objective: {metric: val.loss, direction: minimize}
space:
  lr: {at: optimizer.lr, type: float, low: 1e-3, high: 1e-2, scale: log}
search: {sampler: random, lanes: 2}
limits: {trials: 2}
trial:
  data: {op: data_faults, path: numbers.txt, does: DOES}
  model: {nodes: [{op: linear, out: classes}]}
  loss: cross_entropy
  optimizer: {op: adam, lr: 0.01}
  epochs: 2
  batch_size: 8
"""
USAGE, OUTSIDE = 2, 75
DEADLINE = "2.5"   # seconds; other tests have other ones, so that processes of this one can be told
AT_PATH, AT_DOES = "study.yaml:9:33", "study.yaml:9:52"
FAULTS = {
    "crash": (USAGE, AT_PATH, "plugin 'data_faults' ended by signal 11 (Segmentation fault) while it read"),
    "exit": (USAGE, AT_PATH, "plugin 'data_faults' ended by exit code 0 while it read"),
    "throw": (USAGE, AT_PATH, "numbers.txt': line 3 is no number"),
    "fault": (USAGE, AT_DOES, "it was told to fail"),
    "odd": (USAGE, AT_PATH, "broke its contract: it threw an object that is no std::exception"),
    "short": (USAGE, AT_PATH, "broke its contract: inputs/x has 239 bytes, but its shape says 240"),
    "negative": (USAGE, AT_PATH, "broke its contract: inputs/x has the size -30"),
    "empty": (USAGE, AT_PATH, "broke its contract: there are no inputs"),
    "names": (USAGE, AT_PATH, "gave no targets"),
    "lie": (USAGE, AT_PATH.split(":")[0], "has 30 examples, but"),
    "memory": (USAGE, AT_PATH, "plugin 'data_faults' needs more than 300 MB"),
    "hunger": (USAGE, AT_PATH, "plugin 'data_faults' needs more than 300 MB"),
    "hang": (OUTSIDE, "", "plugin 'data_faults' took longer than 2.5 seconds"),
}


class Guests(Folder):

    def setUp(self):
        super().setUp()
        self.write("1\n2\n", "numbers.txt")
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache"), "DLRUN_PLUGIN_DEADLINE": DEADLINE,
                            "DLRUN_PLUGIN_MEMORY_MB": "300"}

    def study(self, does):
        return self.write(STUDY.replace("DOES", does))

    def check(self, does):
        return self.run_dlrun("check", self.study(does), env=self.environment)

    def test_every_fault_has_its_place(self):
        for does, (code, place, message) in FAULTS.items():
            with self.subTest(does):
                done = self.check(does)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(place, done.stderr)
                self.assertIn(message, done.stderr)

    def test_a_sound_one_is_read_once_and_its_texts_are_classes(self):
        for does in ("nothing", "chat"):
            done = self.check(does)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("of 2, 3 classes", done.stdout)
        kept = list((self.folder / "cache/dlrun/readings").iterdir())
        self.assertEqual(len(kept), 2, kept)  # the options differ
        self.check("nothing")
        self.assertEqual(sorted(kept), sorted((self.folder / "cache/dlrun/readings").iterdir()))

    def test_a_folder_counts_by_its_files(self):
        (self.folder / "numbers.txt").unlink()
        (self.folder / "numbers.txt/deep").mkdir(parents=True)
        self.assertIn("there is no file in", self.check("nothing").stderr)
        for content, readings in (("1", 1), ("2", 2), ("1", 2)):
            self.write(content, "numbers.txt/deep/one")
            done = self.check("nothing")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(list((self.folder / "cache/dlrun/readings").iterdir())), readings)

    def test_a_hang_leaves_no_process(self):
        self.check("hang")
        self.assertFalse([pid for pid in processes_with("DLRUN_PLUGIN_DEADLINE", DEADLINE)
                          if "dlrun-guest" in Path(f"/proc/{pid}/cmdline").read_text()])

    def contract(self, name, *words, code=0, deadline=60):
        """Results of the contract tests by name, with their details."""
        done = self.run_dlrun("plugins", "test", name, *words, "--format", "csv",
                              env={**self.environment, "DLRUN_PLUGIN_DEADLINE": str(deadline)})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return {test: (result, detail) for test, result, detail in list(csv.reader(done.stdout.splitlines()))[1:]}

    def test_contracts(self):
        """The file and the keys come from words, or from a study."""
        rows = self.contract("data_faults", "path=numbers.txt")
        self.assertEqual(list(rows), ["reading", "examples", "truncated copies", "damaged copies"])
        self.assertIn("inputs/x [30, 2], targets/ [30]", rows["reading"][1])
        self.assertEqual(rows, self.contract("data_faults", "--study", self.study("nothing")))
        for does, test, text in (("clock", "reading", "two readings of the same file"),
                                 ("crash", "reading", "signal 11"), ("hang", "reading", "longer than 1 seconds"),
                                 ("negative", "reading", "has the size -30"), ("lie", "examples", "has 30 examples, but"),
                                 ("frail", "truncated copies", "signal 6"), ("frail", "damaged copies", "signal 6"),
                                 ("stuck", "damaged copies", "longer than 1 seconds")):
            with self.subTest(does):
                result, detail = self.contract("data_faults", "path=numbers.txt", f"does={does}", code=1,
                                               deadline=1 if does in ("hang", "stuck") else 60)[test]
                self.assertEqual(result, "failed")
                self.assertIn(text, detail)
        result, detail = self.contract("any_array", "path=numbers.txt", "inputs=x", "targets=y", code=1)["an array that is not there"]
        self.assertEqual((result, detail), ("failed", "it gives inputs that the file does not have"))

    def test_contracts_need_a_file(self):
        for words, text in (((), "needs a file"), (("path=gone.txt",), "gone.txt"), (("width=3",), "sets no key of"),
                            (("--study", self.write("trial: {data: {op: csv}}", "other.yaml")), "is not of op: data_faults")):
            done = self.run_dlrun("plugins", "test", "data_faults", *words, env=self.environment)
            self.assertEqual(done.returncode, USAGE, done.stderr)
            self.assertIn(text, done.stderr)

    @unittest.skipUnless(HAS_TRAINER, "this build has no trainer")
    def test_a_crash_in_a_worker_ends_the_run_whole(self):
        """The driver knows the schema from its cache. The readings are gone from there, so workers read the file again."""
        self.assertEqual(self.check("later").returncode, 0)
        shutil.rmtree(self.folder / "cache/dlrun/readings")
        self.write("", "numbers.txt.crash")
        tune = ("tune", self.folder / "study.yaml", "--workers", 1, "--store", self.folder / "store")
        done = self.run_dlrun(*tune, env=self.environment)
        self.assertEqual(done.returncode, OUTSIDE, done.stderr)
        self.assertIn("plugin 'data_faults' ended by signal 6 (Aborted) while it read", done.stderr)
        (self.folder / "numbers.txt.crash").unlink()
        done = self.run_dlrun(*tune, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    if not any((Path(folder) / "data_faults.so").exists() for folder in os.environ.get("DLRUN_PLUGINS", "").split(":")):
        sys.exit("data_faults.so is not in the folders of DLRUN_PLUGINS")
    unittest.main()
