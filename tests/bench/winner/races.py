# SPDX-License-Identifier: Apache-2.0
"""Races for the winner on generated tables: is the reported value that of the choice, and is the choice a better one?

A search draws 16 random settings of a small network on a table of 600 rows, and its best 5 race on 5 seeds (`winner: {}`, the
default). Beside it stands a search of as many runs, 41, that takes the highest measured value. The true value of a setting
is its mean accuracy on new rows: 9,600 are cut into 20 parts, and each model trains on one and is judged on the others.
The tables are those of ../ablation/new_data.py: three columns decide the label, six say nothing.
  races.py [SEARCHES]
"""
import json
import math
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "ablation"))
from benchlib import DLRUN, say, timed  # noqa: E402
from new_data import WEIGHTS, mean, sd, table  # noqa: E402

ROWS, TEST_ROWS, ROWS_OF_TRUTH = 600, 5400, 9600
SHARE = 0.8  # of the rows that are not for test train, as four of five folds do
TRIALS = 16

STUDY = """study: {name}
seed: {seed}
objective: {{metric: val.accuracy, direction: maximize, at: last}}
space:
{space}
search: {{sampler: {sampler}}}
limits: {{trials: {trials}}}
trial:
  data: {{op: csv, path: {path}, target: y, standardise: true, {split}}}
  model:
    nodes:
      - {{name: fc1, op: linear, out: 16}}
      - {{name: act1, op: relu}}
      - {{name: drop, op: dropout, p: 0.1}}
      - {{name: head, op: linear, out: classes, role: head}}
  optimizer: {{op: adam, lr: 0.01, weight_decay: 0.001}}
  epochs: 10
  batch_size: 50
{more}
"""
SPACE = """  lr: {at: optimizer.lr, type: float, low: 1e-3, high: 0.1, scale: log}
  decay: {at: optimizer.weight_decay, type: float, low: 1e-5, high: 0.1, scale: log}
  width: {at: model.nodes.fc1.out, type: ordinal, choices: [4, 8, 16, 32, 64]}
  drop: {at: model.nodes.drop.p, type: float, low: 0, high: 0.6}"""


class Tables:
    """A search's own table and the one that tells the truth, in a folder."""

    def __init__(self, folder, seed, test_rows):
        self.folder, self.seed = folder, seed
        self.test = test_rows / (ROWS + test_rows)
        self.kind = seed % len(WEIGHTS)
        self.write("table.csv", f"race {self.kind} {seed}", ROWS + test_rows)
        self.write("new.csv", f"truth {self.kind} {seed}", ROWS_OF_TRUTH)

    def write(self, name, chance, rows):
        (self.folder / name).write_text(table(random.Random(chance), WEIGHTS[self.kind], rows))

    def split(self):
        rest = 1 - self.test
        return f"split: {{train: {SHARE * rest:.4f}, val: {(1 - SHARE) * rest:.4f}, test: {self.test:.4f}}}"

    def tune(self, name, trials, more):
        self.run(STUDY.format(name=name, seed=self.seed, space=SPACE, sampler="random", trials=trials, path="table.csv",
                              split=self.split(), more=more))

    def run(self, text):
        (self.folder / "study.yaml").write_text(text)
        timed([DLRUN, "tune", self.folder / "study.yaml", "--workers", 2, "--store", self.folder / "store", "--quiet"])

    def ask(self, study, statement):
        said = timed([DLRUN, "report", study, "--sql", statement, "--format", "json", "--store", self.folder / "store"])
        return json.loads(said.output)["rows"]

    def best(self, study):
        return self.ask(study, "select trial, objective from best limit 1")[0]

    def truth(self, study, trial):
        """Mean accuracy of the setting, over trainings on other rows, as many as the run had."""
        settings = {row["name"]: row["value"] for row in self.ask(study, f"select name, value from params where trial = {trial}")}
        space = "\n".join(f"  {name}: {{at: {at}, type: constant, value: {settings[name]}}}" for name, at in (
            ("lr", "optimizer.lr"), ("decay", "optimizer.weight_decay"), ("width", "model.nodes.fc1.out"),
            ("drop", "model.nodes.drop.p")))
        name, folds = f"truth-{study}-{trial}", ROWS_OF_TRUTH // round(SHARE * ROWS)
        self.run(STUDY.format(name=name, seed=1, space=space, sampler="random", trials=1, path="new.csv",
                              split=f"split: {{folds: {folds}, val_folds: {folds - 1}}}", more=f"  folds: {folds}"))
        return self.best(name)["objective"]


class Errors:
    def __init__(self):
        self.values = []

    def add(self, value):
        self.values.append(100 * value)

    def bias(self):
        return mean(self.values)

    def reach(self):
        return 1.96 * sd(self.values) / math.sqrt(len(self.values))


def one(seed, errors):
    """Errors of one search's values, and the gain of the race, all in hundredths."""
    for name, test_rows in (("test", TEST_ROWS), ("none", 0)):
        with tempfile.TemporaryDirectory(prefix="dlrun-race-") as folder:
            tables = Tables(Path(folder), seed, test_rows)
            tables.tune("raced", TRIALS, "winner: {}")
            found = tables.ask("raced", "select trial, value, low, high from winner")[0]
            rows = tables.ask("raced-winner", "select count(*) as n from trials")[0]["n"]
            truth = tables.truth("raced", found["trial"])
            errors[name].add(found["value"] - truth)
            errors[f"{name} covered"].add(found["low"] <= truth <= found["high"])
            if test_rows:
                continue
            errors["runs"].add(rows / 100)
            tables.tune("raw", TRIALS + rows, "")
            best = tables.best("raw")
            raw = tables.truth("raw", best["trial"])
            errors["raw"].add(best["objective"] - raw)
            errors["gain"].add(tables.truth("raced", found["trial"]) - raw)


def measured(searches):
    errors = {name: Errors() for name in ("test", "none", "raw", "gain", "runs", "test covered", "none covered")}
    for seed in range(1, searches + 1):
        one(seed, errors)
        if seed % 10 == 0:
            say(f"{seed} races: " + ", ".join(f"{name} {e.bias():.2f} ± {e.reach():.2f}" for name, e in errors.items()))
    return errors


if __name__ == "__main__":
    measured(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
