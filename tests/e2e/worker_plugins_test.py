#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plugins that workers open: results do not depend on workers or kills, and one that misbehaves costs its attempt alone."""
import contextlib
import csv
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

BIN = pathlib.Path(os.environ["DLRUN_BIN"])
BUILT = pathlib.Path(os.environ["DLRUN_PLUGIN_BUILD"])
SOURCE = pathlib.Path(__file__).resolve().parents[2] / "plugins/selective_ssm"

BAD = """\
study: {name}
seed: 1
objective: {{metric: val.accuracy, direction: maximize, at: last}}
space: {{after: {{at: model.nodes.bad.after, type: ordinal, choices: [3, 100000]}}}}
search: {{sampler: grid, pruner: null, lanes: 2}}
limits: {{trials: 2, hang: 4s}}
resources: {{memory_mb: 1500}}
retry: {{signal: 0, exception: 0, oom: 0, timeout: 0, worker_lost: 0}}
trial:
  epochs: 2
  batch_size: 50
  data: {{op: csv, path: marked_bits.csv, target: label, split: {{train: 0.75, val: 0.25}}}}
  model:
    nodes:
      - {{name: fc, op: linear, out: 8}}
      - {{name: bad, op: {name}}}
      - {{name: head, op: linear, out: classes, role: head}}
"""

KINDS = """\
study: kinds
seed: 2
objective: {metric: val.matthews, direction: maximize, at: last}
space:
  beta: {at: optimizer.beta, type: ordinal, choices: [0.5, 0.9]}
  gamma: {at: loss.gamma, type: ordinal, choices: [0, 2]}
search: {sampler: grid, pruner: null, lanes: 2}
limits: {trials: 4}
trial:
  epochs: 3
  batch_size: 50
  data: {op: csv, path: marked_bits.csv, target: label, split: {train: 0.75, val: 0.25}}
  model: {nodes: [{name: fc, op: linear, out: 8}, {op: relu}, {name: head, op: linear, out: classes, role: head}]}
  loss: {op: focus_loss}
  metrics: [matthews, mcc]
  optimizer: {op: sign_momentum, lr: 0.003}
"""

PARTS = """\
study: parts
objective: {metric: val.accuracy, direction: maximize}
trial:
  epochs: 1
  batch_size: 50
  data: {op: csv, path: marked_bits.csv, target: label, split: {train: 0.75, val: 0.25}}
  model: {nodes: [{name: fc, op: linear, out: 8}, {op: relu}, {name: head, op: linear, out: classes, role: head}]}
  metrics: [accuracy, matthews]
ablation:
  analysis: {metric: val.matthews}
  replicates: {n: 2}
  components: [{id: decay, set: {optimizer.weight_decay: 0.1}}]
"""

OUTPUTS = """\
study: outputs
objective: {metric: val.one.matthews, direction: maximize}
space: {lr: {at: optimizer.lr, type: float, low: 0.01, high: 0.1}}
search: {sampler: random, lanes: 1}
limits: {trials: 1}
trial:
  epochs: 1
  data: {op: csv, path: marked_bits.csv, target: label, split: {train: 0.75, val: 0.25}}
  model:
    nodes:
      - {name: fc, op: linear, out: 8}
      - {name: one, op: linear, out: classes, from: fc}
      - {name: two, op: linear, out: classes, from: fc}
    outputs: {one: one, two: two}
  loss: {one: cross_entropy, two: cross_entropy}
  metrics: {one: [matthews], two: [accuracy]}
"""


class WorkerPlugins(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("study.yaml", "marked_bits.csv"):
            shutil.copy(SOURCE / name, self.folder)
        self.plugins = [BUILT / part for part in ("plugins", "good", "bad")]
        self.deadline = None  # seconds, of a contract test

    def command(self, *words):
        return [str(BIN / "dlrun"), *words]

    def settings(self):
        places = ":".join(str(place) for place in self.plugins)
        limits = {"DLRUN_PLUGIN_DEADLINE": self.deadline} if self.deadline else {}
        return {"cwd": self.folder, "env": {**os.environ, "DLRUN_PLUGINS": places, **limits}, "text": True,
                "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}

    def run_dlrun(self, *words, code=0):
        done = subprocess.run(self.command(*words), timeout=300, **self.settings())
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def logical(self, study, store):
        self.run_dlrun("export", study, "--store", store, "--logical", "-o", f"{store}.json")
        return (self.folder / f"{store}.json").read_bytes()

    def test_one_worker_four_and_a_kill(self):
        self.run_dlrun("tune", "study.yaml", "--store", "one", "-w", "1")
        self.run_dlrun("tune", "study.yaml", "--store", "four", "-w", "4")
        driver = subprocess.Popen(self.command("tune", "study.yaml", "--store", "killed", "-w", "2"), **self.settings())
        done = self.folder / "killed/studies/selective-ssm.db"
        deadline = time.monotonic() + 120
        while not done.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1)  # wherever it is: even an end of the study by then changes nothing below
        driver.send_signal(signal.SIGKILL)
        driver.communicate()
        self.run_dlrun("resume", "selective-ssm", "--store", "killed", "-w", "3")
        one = self.logical("selective-ssm", "one")
        self.assertEqual(one, self.logical("selective-ssm", "four"))
        self.assertEqual(one, self.logical("selective-ssm", "killed"))
        self.assertGreater(json.loads(one.splitlines()[-1])["best"], 0.95)  # a linear model: 0.53

    def failure(self, name):
        (self.folder / "bad.yaml").write_text(BAD.format(name=name))
        self.run_dlrun("tune", "bad.yaml", "--store", "store", "-w", "2", code=0)
        out = self.run_dlrun("report", name, "--store", "store", "--sql",
                             "select trial, state, cause, message from attempts order by trial, attempt", "--format", "csv")
        lines = out.strip().split("\n")[1:]
        self.assertEqual(lines[-1].split(",")[:2], ["1", "completed"])
        return [line for line in lines if line.startswith("0,")][-1]

    def test_a_crash_names_the_plugin(self):
        self.assertIn("signal 11 (Segmentation fault) in the code of plugin 'layer_crash'", self.failure("layer_crash"))

    def test_an_exception_names_the_plugin(self):
        self.assertIn("exception,plugin 'layer_throws': the moon is in the wrong phase", self.failure("layer_throws"))

    def test_a_hang_ends_the_attempt_and_names_the_plugin(self):
        self.assertIn("timeout,hangs: no step for 4 s in the code of plugin 'layer_hangs'", self.failure("layer_hangs"))

    def test_a_leak_ends_in_the_memory_limit(self):
        failure = self.failure("layer_leaks")
        self.assertIn("oom,", failure)
        self.assertIn("in the code of plugin 'layer_leaks'", failure)

    def test_an_output_of_other_sizes_is_told(self):
        self.assertIn("the output is [50, 1], but plugin.yaml promises [50, 8]", self.failure("layer_lies"))

    def contract(self, name, *words, code=0):
        """Results of the contract tests by name, with their details."""
        said = self.run_dlrun("plugins", "test", name, *words, "--format", "csv", code=code)
        return {row[0]: row[1:] for row in csv.reader(said.splitlines()) if len(row) == 3}

    def test_contracts(self):
        for name in ("selective_ssm", "focus_loss", "matthews", "sign_momentum"):
            with self.subTest(name):
                self.assertEqual({result for result, _ in list(self.contract(name).values())[1:]}, {"passed"})

    def test_a_process_that_dies_fails_the_contract_and_the_next_one_goes_on(self):
        self.deadline = "1.5"
        for does, text in (("crash", "ended its process by signal 11 (Segmentation fault)"), ("exit", "ended its process by exit code 0"),
                           ("throw", "plugin 'bad_layer': the wind has turned")):
            with self.subTest(does):
                rows = self.contract("bad_layer", f"does={does}", code=1)
                self.assertEqual(list(rows)[1:], ["sizes", "tensors", "gradients", "equal bits", "state", "training and measuring",
                                                  "nothing changed in place"])
                self.assertIn(text, rows["sizes"][1])
                self.assertEqual(rows["state"][0], "failed")

    def test_a_hang_fails_the_contract(self):
        self.deadline = "0.5"
        self.assertIn("plugin 'bad_layer' took longer than 0.5 seconds", self.contract("bad_layer", "does=hang", code=1)["sizes"][1])

    def test_loss_metric_and_optimizer(self):
        (self.folder / "kinds.yaml").write_text(KINDS)
        self.run_dlrun("tune", "kinds.yaml", "--store", "store", "-w", "2")
        lines = self.run_dlrun("report", "kinds", "--store", "store", "--trials", "--format", "csv").split("\n")
        names = lines[0].split(",")
        for line in lines[1:5]:
            values = dict(zip(names, line.split(",")))
            self.assertEqual(values["state"], "completed")
            self.assertAlmostEqual(float(values["val.matthews"]), float(values["val.mcc"]), places=9)

    def test_sql_knows_that_a_metric_of_an_ablation_is_maximized(self):
        (self.folder / "parts.yaml").write_text(PARTS)
        self.run_dlrun("ablate", "parts.yaml", "--store", "store", "-w", "1")
        self.plugins = []  # a reader without the plugin
        told = self.run_dlrun("report", "parts", "--store", "store", "--sql", "select metric, direction from ablation_effects", "--format", "csv")
        self.assertEqual(told.split()[1:], ["val.matthews,maximize"])

    def test_a_metric_of_one_output_is_recorded(self):
        (self.folder / "outputs.yaml").write_text(OUTPUTS)
        self.run_dlrun("tune", "outputs.yaml", "--store", "store", "-w", "1")
        with contextlib.closing(sqlite3.connect(self.folder / "store/studies/outputs.db")) as store:
            spec, = store.execute("SELECT spec FROM dl_study").fetchone()
        self.assertEqual(list(json.loads(spec)["derived"]["plugins"]), ["matthews"])

    def test_another_libtorch_is_never_opened_and_told(self):
        wrong = self.folder / "wrong"
        wrong.mkdir()
        code = (BUILT / "plugins/selective_ssm.so").read_bytes()
        at = code.index(b'"torch": "') + len(b'"torch": "')
        (wrong / "selective_ssm.so").write_bytes(code[:at] + b"1" + code[at + 1:])
        self.plugins = [wrong]
        said = self.run_dlrun("check", "study.yaml", code=2)
        self.assertIn('there is no layer kind "selective_ssm"', said)
        self.assertIn("wrong/selective_ssm.so cannot be used: it was compiled with libtorch 1.", said)

    def test_a_worker_with_another_object_fails_with_both_hashes(self):
        """The object is exchanged while the driver lives: workers that start afterwards find the other one."""
        own = self.folder / "own"
        own.mkdir()
        shutil.copy(BUILT / "bad/layer_hangs.so", own)
        self.plugins = [own]
        text = BAD.format(name="layer_hangs").replace("[3, 100000]", "[3, 4]").replace("timeout: 0", "timeout: 1")
        (self.folder / "bad.yaml").write_text(text)
        driver = subprocess.Popen(self.command("tune", "bad.yaml", "--store", "store", "-w", "1"), **self.settings())
        deadline = time.monotonic() + 120
        while not (self.folder / "store/studies/layer_hangs.db").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        (own / "new").write_bytes((BUILT / "bad/layer_hangs.so").read_bytes() + b"\0")
        os.replace(own / "new", own / "layer_hangs.so")
        said = driver.communicate(timeout=200)[0]
        self.assertRegex(said, "the study uses plugin 'layer_hangs' with SHA-256 [0-9a-f]{64}, but this worker finds "
                               "'.*own/layer_hangs.so' with [0-9a-f]{64}")


if __name__ == "__main__":
    unittest.main()
