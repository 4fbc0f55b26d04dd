# SPDX-License-Identifier: Apache-2.0
"""The answer of a search is a model one can use: its own figures come out bit for bit, and its predictions are those of the
exported weights in a network written by hand, fed with what a person would compute from the training rows."""
import ast
import csv
import gzip
import hashlib
import json
import math
import os
import random
import re
import struct
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from support import DIGITS, HAS_TRAINER, ROOT, TRAIN_STUDY, Folder  # noqa: E402

TITANIC = ROOT / "examples" / "titanic"
SHORT = ("--set", "limits.trials=3", "--set", "search.pruner=none", "--set", "search.lanes=2", "-q")


def tensors(path):
    """{name: (shape, numbers)} of a safetensors file."""
    content = Path(path).read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + size])
    header.pop("__metadata__", None)
    found = {}
    for name, about in header.items():
        begin, end = (8 + size + at for at in about["data_offsets"])
        code = {"F32": "f", "F64": "d", "I64": "q"}[about["dtype"]]
        count = (end - begin) // struct.calcsize(code)
        found[name] = (about["shape"], struct.unpack(f"<{count}{code}", content[begin:end]))
    return found


def linear(weights, layer, x):
    (rows, width), numbers = weights[f"{layer}.weight"]
    bias = weights.get(f"{layer}.bias", (0, [0.0] * rows))[1]  # none in front of a norm
    return [bias[r] + sum(numbers[r * width + k] * x[k] for k in range(width)) for r in range(rows)]


def relu(x):
    return [max(0.0, value) for value in x]


def softmax(x):
    powers = [math.exp(value - max(x)) for value in x]
    return [power / sum(powers) for power in powers]


@unittest.skipUnless(HAS_TRAINER, "this build has no trainer")
class Use(Folder):

    def ok(self, *words):
        done = self.run_dlrun(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def rows(self, *words):
        return [list(row.values()) for row in json.loads(self.ok(*words, "--format", "json"))["rows"]]

    def sql(self, statement):
        return self.rows("report", "--sql", statement)

    def weights(self, trial):
        self.ok("export", "--weights", trial, "-o", "w.safetensors", "-q")
        return tensors(self.folder / "w.safetensors")

    def predictions(self, trial, data, *more):
        self.ok("predict", trial, "--data", data, "-o", "out.csv", "-q", *more)
        with open(self.folder / "out.csv") as file:
            return list(csv.DictReader(file))

    def check_own_figures(self, study):
        """Every kept checkpoint of every trial, on the validation and the training split."""
        kept = self.sql("select distinct trial, step from artifacts where deleted is null")
        self.assertGreater(len(kept), 2)
        for trial, step in kept:
            measured = dict(self.rows("eval", f"{study}/{trial}", "--epoch", step, "--split", "val"))
            recorded = dict(self.sql(f"select metric, value from metrics where trial = {trial} and step = {step} "
                                     "and metric like 'val.%'"))
            self.assertTrue(recorded)
            for name, value in recorded.items():
                self.assertEqual(measured[name.removeprefix("val.")], value, (trial, step, name))
        best = self.sql("select trial from best limit 1")[0][0]
        test = dict(self.rows("eval", f"{study}/best", "--split", "test"))
        recorded = dict(self.sql(f"select metric, value from metrics where trial = {best} and metric like 'test.%'"))
        for name, value in recorded.items():
            self.assertEqual(test[name.removeprefix("test.")], value, name)

    def test_several_outputs_with_their_own_figures(self):
        self.ok("tune", TITANIC / "outputs.yaml", *SHORT, "--set", "epochs=3")
        self.check_own_figures("titanic-outputs")
        rows = self.predictions("titanic-outputs", TITANIC / "data" / "titanic.csv")
        self.assertEqual(list(rows[0]), ["row", "fare.value", "survived.class", "survived.p_0", "survived.p_1"])
        self.assertEqual([row["row"] for row in rows], [str(n) for n in range(891)])
        self.check_forms("titanic-outputs", TITANIC / "data" / "titanic.csv", rows)

    def check_forms(self, study, data, rows):
        """The same numbers in every form; npy has room for one output."""
        for form in ("jsonl", "safetensors"):
            self.ok("predict", study, "--data", data, "-o", f"out.{form}", "-q")
        lines = [json.loads(line) for line in (self.folder / "out.jsonl").read_text().splitlines()]
        wanted = {"fare.values": [float(row["fare.value"]) for row in rows],
                  "survived.probabilities": [float(row[name]) for row in rows for name in ("survived.p_0", "survived.p_1")]}
        self.assertEqual([line["survived.p_0"] for line in lines], wanted["survived.probabilities"][::2])
        self.assertEqual([(line["row"], line["survived.class"]) for line in lines],
                         [(int(row["row"]), row["survived.class"]) for row in rows])
        found = tensors(self.folder / "out.safetensors")
        self.assertEqual(found["survived.probabilities"], ([891, 2], tuple(wanted["survived.probabilities"])))
        shape, values = found["fare.values"]
        self.assertEqual((shape, [struct.pack("<f", value) for value in wanted["fare.values"]]),
                         ([891, 1], [struct.pack("<f", value) for value in values]))
        done = self.run_dlrun("predict", study, "--data", data, "-o", "out.npy")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the model has 2 outputs, but an npy file one array", done.stderr)
        self.assertFalse((self.folder / "out.npy").exists())

    def predict_digits(self, out, **faults):
        """@param faults  where the disk's shim kills it (faults/durable_shim.c)"""
        settings = {"LD_PRELOAD": os.environ["DLRUN_SHIM"], **{name: str(value) for name, value in faults.items()}}
        return self.run_dlrun("predict", "digits", "--data", DIGITS, "-o", out, "-q", env={**os.environ, **settings})

    @unittest.skipUnless("DLRUN_SHIM" in os.environ, "DLRUN_SHIM names no shim")
    def test_a_prediction_that_is_killed_at_any_call_to_the_disk_leaves_the_old_table_or_the_new_one(self):
        self.ok("tune", self.write(TRAIN_STUDY), *SHORT, "--set", "epochs=1")
        self.assertEqual(self.predict_digits("whole.csv", FAULT_COUNT=self.folder / "calls").returncode, 0)
        whole = (self.folder / "whole.csv").read_text()
        calls = int((self.folder / "calls").read_text())
        self.assertGreater(calls, 1)
        for call in range(1, calls + 1):
            (self.folder / "out.csv").write_text("what was there\n")
            self.assertLess(self.predict_digits("out.csv", FAULT_CRASH_AT=call).returncode, 0)
            self.assertIn((self.folder / "out.csv").read_text(), ("what was there\n", whole))
        # The name of a new table before it replaces the old one is left by a kill at that very call, and is no hindrance.
        self.assertEqual(self.predict_digits("out.csv").returncode, 0)
        self.assertFalse((self.folder / "out.csv.part").exists())

    def test_an_array_of_numpy(self):
        self.ok("tune", self.write(TRAIN_STUDY), *SHORT, "--set", "epochs=1")
        with gzip.open(DIGITS, "rb") as file:
            (self.folder / "new.csv").write_bytes(file.read())
        rows = self.predictions("digits", "new.csv")
        self.ok("predict", "digits", "--data", "new.csv", "-o", "out.npy", "-q")
        content = (self.folder / "out.npy").read_bytes()
        begin = 10 + struct.unpack("<H", content[8:10])[0]
        self.assertEqual((content[:8], begin % 64), (b"\x93NUMPY\x01\x00", 0))
        header = ast.literal_eval(content[10:begin].decode())
        self.assertEqual(header, {"descr": "<f8", "fortran_order": False, "shape": (len(rows), 10)})
        numbers = struct.unpack(f"<{len(rows) * 10}d", content[begin:])
        self.assertEqual(list(numbers), [float(row[f"p_{k}"]) for row in rows for k in range(10)])

    def test_digits_by_hand(self):
        study = self.write(TRAIN_STUDY)
        self.ok("tune", study, *SHORT, "--set", "epochs=4", "--set", "trial.data.scale=16")
        self.check_own_figures("digits")
        with gzip.open(DIGITS, "rt") as file:
            table = [line.strip().split(",") for line in file]
        random.Random(7).shuffle(table)
        table = table[:200]
        self.write("".join(",".join(row[:-1]) + "\n" for row in table), "new.csv")  # no names, no target
        weights = self.weights("digits/best")
        for row, found in zip(table, self.predictions("digits", "new.csv"), strict=True):
            x = [float(cell) / 16 for cell in row[:-1]]
            wanted = softmax(linear(weights, "head", relu(linear(weights, "fc1", x))))
            for k, share in enumerate(wanted):
                self.assertAlmostEqual(float(found[f"p_{k}"]), share, delta=1e-6)
            self.assertEqual(int(found["class"]), wanted.index(max(wanted)))

    def test_titanic_by_hand_with_the_statistics_of_the_training_rows(self):
        old, new = self.halves()
        study = self.write(f"""\
study: titanic
seed: 7
objective: {{metric: val.accuracy, at: best}}
space:
  lr: {{at: optimizer.lr, type: float, low: 1e-2, high: 1e-1, scale: log}}
search: {{sampler: random}}
trial:
  data:
    op: csv
    path: old.csv
    target: survived
    features: [age, fare, sex, embarked]
    indicator: true
    split: {{column: part, train: [a], val: [b], test: [c]}}
  model:
    nodes:
      - {{name: fc1, op: linear, out: 8}}
      - {{name: norm, op: batchnorm}}
      - {{name: act1, op: relu}}
      - {{name: head, op: linear, out: classes, role: head}}
  epochs: 3
""")
        self.ok("tune", study, *SHORT)
        self.check_own_figures("titanic")
        encode = self.encoder([row for row in old if row["part"] == "a"], old)
        weights = self.weights("titanic/best")
        for row, found in zip(new, self.predictions("titanic", "new.csv", "--id", "fare"), strict=True):
            x = linear(weights, "fc1", encode(row))
            mean, var, scale, shift = (weights[f"norm.{name}"][1]
                                       for name in ("running_mean", "running_var", "weight", "bias"))
            x = [(v - mean[k]) / math.sqrt(var[k] + 1e-5) * scale[k] + shift[k] for k, v in enumerate(x)]
            wanted = softmax(linear(weights, "head", relu(x)))
            self.assertEqual(found["fare"], row["fare"])
            self.assertAlmostEqual(float(found["p_0"]), wanted[0], delta=1e-6)
            self.assertAlmostEqual(float(found["p_1"]), wanted[1], delta=1e-6)

    def test_the_exported_model_says_how_it_is_fed(self):
        old, new = self.halves()
        study = self.write("""\
study: titanic
objective: {metric: val.accuracy}
space:
  lr: {at: optimizer.lr, type: float, low: 1e-2, high: 1e-1, scale: log}
search: {sampler: random}
trial:
  data: {op: csv, path: old.csv, target: survived, features: [age, fare, sex], split: {train: 0.8, val: 0.2}}
  model: {nodes: [{name: head, op: linear, out: classes, role: head}]}
  epochs: 2
""")
        self.ok("tune", study, *SHORT)
        self.ok("export", "--safetensors", "titanic", "-o", "model.safetensors", "-q")
        self.ok("export", "--weights", "titanic", "-o", "w.safetensors", "-q")
        self.assertEqual((self.folder / "model.safetensors").read_bytes(), (self.folder / "w.safetensors").read_bytes())
        told = (self.folder / "model.yaml").read_text()
        self.assertIn(hashlib.sha256((self.folder / "w.safetensors").read_bytes()).hexdigest(), told)
        columns = re.search(r"\n  columns:\n(.*?)\n  inputs:", told, re.S).group(1)
        number = {}
        for name in ("age", "fare"):
            about = re.search(rf"- name: {name}\n(.*?)(?=\n    - |\Z)", columns, re.S).group(1)
            number[name] = {key: float(value) for key, value in re.findall(r"(\w+): (\S+)", about)}
        self.assertIn("- {name: sex, categories: [female, male]}", columns)
        weights = tensors(self.folder / "model.safetensors")
        for row, found in zip(new, self.predictions("titanic", "new.csv"), strict=True):
            age, fare = ((float(row[name] or at["fill"]) / at["divisor"] - at["shift"]) / at["deviation"]
                         for name, at in number.items())
            x = [float(row["sex"] == "female"), float(row["sex"] == "male"), age, fare]
            self.assertAlmostEqual(float(found["p_1"]), softmax(linear(weights, "head", x))[1], delta=1e-6)
        (self.folder / "old.csv").write_text((self.folder / "old.csv").read_text().replace("male", "men"))
        done = self.run_dlrun("export", "--safetensors", "titanic", "-o", "again.safetensors")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertFalse((self.folder / "again.yaml").exists())

    def halves(self):
        with open(TITANIC / "data" / "titanic.csv") as file:
            table = list(csv.DictReader(file))
        for i, row in enumerate(table):
            row["part"] = "aaabc"[i % 5]
        for name, part in (("old.csv", table[:600]), ("new.csv", table[600:])):
            with open(self.folder / name, "w", newline="") as file:
                writer = csv.DictWriter(file, list(table[0]))
                writer.writeheader()
                writer.writerows(part)
        return table[:600], table[600:]

    @staticmethod
    def encoder(train, table):
        """sex=…, age, age=(missing), fare, embarked=… (the file's order) as docs/data-formats.md says, fitted on `train`."""
        def line(column):
            known = [float(row[column]) for row in train if row[column]]
            fill = sum(known) / len(known)
            values = [float(row[column] or fill) for row in train]
            center = sum(values) / len(values)
            deviation = math.sqrt(sum((value - center) ** 2 for value in values) / len(values))
            return lambda row: (float(row[column] or fill) - center) / deviation
        age, fare = line("age"), line("fare")
        kinds = {column: sorted({row[column] for row in table if row[column]}) for column in ("sex", "embarked")}
        gaps = any(not row["embarked"] for row in table)

        def encode(row):
            sex, embarked = ([float(row[column] == name) for name in names] for column, names in kinds.items())
            return sex + [age(row), float(not row["age"]), fare(row)] + embarked + ([float(not row["embarked"])] if gaps else [])
        return encode


if __name__ == "__main__":
    unittest.main()
