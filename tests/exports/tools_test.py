#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports as the real TensorBoard and the real MLflow read them, against the store: DLRUN_BIN=… tests/exports/tools_test.py

MLflow reads the folder itself (MLFLOW_ALLOW_FILE_STORE) and the database that
`mlflow migrate-filestore` makes of it.
"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "support"))
from environments import environment_or_skip  # noqa: E402

BIN = pathlib.Path(os.environ["DLRUN_BIN"]).resolve()
CURVES = """\
study: curves
objective: {metric: val.loss, direction: minimize, at: best}
space:
  lr: {type: float, low: 1e-4, high: 1e-1, scale: log}
  n: {type: int, low: 1, high: 8}
  act: {type: categorical, choices: [relu, 'ta"nh 😀', "=1+1\\n"]}
  bias: {type: categorical, choices: [true, false]}
search: {sampler: random, lanes: 2, pruner: {op: median, min_budget: 1, startup_trials: 2}}
limits: {trials: 12}
trial: {kind: command, command: [python3, emit.py, '{lr}', '{n}'], epochs: 4}
"""
MEMBERS = """\
study: members
objective: {metric: val.loss, direction: minimize}
space: {lr: {type: float, low: 0.001, high: 1}}
search: {sampler: random, lanes: 1}
limits: {trials: 2}
trial: {kind: command, command: [sh, -c, 'echo "::dlrun {{\\"metric\\": \\"val.loss\\", \\"value\\": $DLRUN_REPLICATE}}"'], epochs: 1, replicates: 3}
"""
EMIT = """\
import json, sys
lr, n = float(sys.argv[1]), int(sys.argv[2])
names = ["val.loss", "../../up", "/tmp/absolute", "emoji \\U0001f600", "a", "a/b", "new\\nline", "\\x01\\x1b[31m", ".", "x" * 200]
for step in range(1, 5):
    for name in names:
        print("::dlrun " + json.dumps({"metric": name, "step": step, "value": 10 * lr / step + n}), flush=True)
sys.exit(n < 3)
"""


def python_with(tool):
    """Python of an environment that has the tool."""
    return environment_or_skip(HERE / f"requirements-{tool}.txt")


def rows_of(file):
    with open(file, newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


class ToolsTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.temp = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temp.name)
        for name, text in (("curves.yaml", CURVES), ("members.yaml", MEMBERS), ("emit.py", EMIT)):
            (cls.folder / name).write_text(text, encoding="utf-8")
        for study in ("curves", "members"):
            subprocess.run([BIN / "dlrun", "tune", f"{study}.yaml", "-w", "1", "-q"], cwd=cls.folder)
        for kind in ("csv", "tensorboard", "mlflow"):
            cls.dlrun("export", f"--{kind}", kind, "all", "-q")
        cls.trials = {f"curves/{row['trial']}": row for row in rows_of(cls.folder / "csv/curves/trials.csv")}
        cls.values = rows_of(cls.folder / "csv/curves/metrics.csv")

    @classmethod
    def tearDownClass(cls):
        cls.temp.cleanup()

    @classmethod
    def dlrun(cls, *words):
        return subprocess.run([BIN / "dlrun", *words], cwd=cls.folder, check=True, text=True, capture_output=True).stdout

    def read(self, tool, target, **env):
        """The answer of the tool, by the script read_<tool>.py."""
        python = python_with(tool)
        out = subprocess.run([python, HERE / f"read_{tool}.py", target], cwd=self.folder, check=True, text=True,
                             stdout=subprocess.PIPE, env={**os.environ, **env}).stdout
        return json.loads(out.splitlines()[-1])

    def curve(self, trial, metric):
        return [[int(row["step"]), float(row["value"])] for row in self.values
                if row["trial"] == trial.split("/")[1] and row["metric"] == metric]

    def test_tensorboard(self):
        read = self.read("tensorboard", "tensorboard")
        states = {"completed": "STATUS_SUCCESS", "failed": "STATUS_FAILURE", "pruned": "STATUS_UNKNOWN"}
        table = read["table"]
        self.assertEqual(set(states), {row["state"] for row in self.trials.values()}, "the study tests all states")
        self.assertEqual(table["columns"]["act"], ["relu", 'ta"nh 😀', "=1+1\n"])
        self.assertEqual(table["columns"]["bias"], [True, False])
        self.assertEqual(table["columns"]["n"], [1, 8])
        self.assertEqual(table["columns"]["lr"], [0.0001, 1])  # of both studies
        for name, trial in self.trials.items():
            row = table["rows"][name]
            self.assertEqual(row["sessions"], {name: states[trial["state"]]})
            self.assertEqual(row["values"]["lr"], float(trial["lr"]))
            self.assertEqual(row["values"]["n"], int(trial["n"]))
            self.assertEqual(str(row["values"]["bias"]).lower(), trial["bias"])
            self.assertLess(0, row["times"][0][0])
            self.assertLessEqual(row["times"][0][0], row["times"][0][1])
            if trial["objective"]:
                self.assertAlmostEqual(row["metrics"]["objective/val.loss"], float(trial["objective"]), 5)
            for metric in ("val.loss", "../../up", "emoji 😀", "new\nline", "\x01\x1b[31m"):
                got = read["scalars"][name].get(metric, [])
                self.assertEqual([step for step, _ in got], [step for step, _ in self.curve(name, metric)])
                for (_, mine), (_, stored) in zip(got, self.curve(name, metric)):
                    self.assertAlmostEqual(mine, stored, 5)
        members = table["rows"]["members/1"]
        self.assertEqual(sorted(members["sessions"]), [f"members/1/replicate-{i}-fold-0" for i in range(3)])
        self.assertEqual(members["metrics"]["objective/val.loss"], 1)  # mean of 0, 1, 2
        self.assertEqual(read["scalars"]["members/1"]["val.loss"], [[1, 1]])

    def check_mlflow(self, studies):
        states = {"completed": "FINISHED", "failed": "FAILED", "pruned": "KILLED"}
        names = {"val.loss": "val.loss", "../../up": "___.._up", "/tmp/absolute": "_tmp_absolute",
                 "emoji 😀": "emoji _", "a": "a", "a/b": "a_b", "new\nline": "new_line", ".": "_"}
        self.assertEqual(set(studies), {"curves", "members"})
        self.assertEqual(set(studies["curves"]), set(self.trials))
        for name, trial in self.trials.items():
            run = studies["curves"][name]
            self.assertEqual(run["status"], states[trial["state"]])
            self.assertEqual(run["params"]["lr"], trial["lr"])
            self.assertEqual(run["params"]["act"], trial["act"].removeprefix("'"))
            self.assertEqual(run["tags"]["dlrun.state"], trial["state"])
            self.assertLessEqual(run["times"][0], run["times"][1])
            for mine, theirs in names.items():
                self.assertEqual(run["metrics"].get(theirs, []), self.curve(name, mine))
        parent = studies["members"]["members/1"]
        self.assertEqual(parent["metrics"]["objective/val.loss"], [[1, 1]])
        child = studies["members"]["members/1 replicate-2-fold-0"]
        self.assertEqual(child["tags"]["mlflow.parentRunId"], parent["id"])
        self.assertEqual(child["metrics"]["val.loss"], [[1, 2]])

    def test_mlflow_reads_the_folder(self):
        self.check_mlflow(self.read("mlflow", "mlflow", MLFLOW_ALLOW_FILE_STORE="true"))

    def test_mlflow_refuses_the_folder_otherwise(self):
        with self.assertRaises(subprocess.CalledProcessError):
            self.read("mlflow", "mlflow", MLFLOW_ALLOW_FILE_STORE="false")

    def test_mlflow_migrates_the_folder(self):
        mlflow = python_with("mlflow").parent / "mlflow"
        subprocess.run([mlflow, "migrate-filestore", "--source", "mlflow", "--target", "sqlite:///mlflow.db"],
                       cwd=self.folder, check=True)
        self.check_mlflow(self.read("mlflow", "sqlite:///mlflow.db"))


if __name__ == "__main__":
    unittest.main()
