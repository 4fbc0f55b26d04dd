# SPDX-License-Identifier: Apache-2.0
"""Ablation studies of generated tables: their verdicts and intervals beside what is true of new data.

A table has three columns that decide the label, each of its own weight, five of noise, and one that is always 0, so that its
contribution is exactly 0 and any verdict on it is an error. What the others are worth to this
training on new data of this size is known: it was measured on 20,000 rows by models trained on many other tables
(`new_data.py truth` writes new_data_truth.json). A study has 600 rows for training and validation and 90 runs, and ten more
without the constant column.
"""
import json
import math
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchlib import DLRUN, say, timed  # noqa: E402

TRUTH = Path(__file__).resolve().parent / "new_data_truth.json"
WEIGHTS = ((1.5, 0.8, 0.4), (1.0, 1.0, 0.5), (2.0, 0.6, 0.3))  # of the three columns, by kind of table
INFORMATIVE = ("x1", "x2", "x3")
DRAWN = INFORMATIVE + ("n1", "n2", "n3", "n4", "n5")
CONSTANT = "zero"
COLUMNS = DRAWN + (CONSTANT,)
ROWS, REPLICATES = 600, 10
SHARE = 0.7  # of the rows that train
ROWS_OF_TRUTH, TABLES_OF_TRUTH = 20_000, 60

STUDY = """study: table
seed: {seed}
objective: {{metric: val.accuracy, direction: maximize, at: last}}
trial:
  data: {{op: csv, path: table.csv, target: y, standardise: true, {split}}}
  model:
    nodes:
      - {{name: fc1, op: linear, out: 16}}
      - {{name: act1, op: relu}}
      - {{name: head, op: linear, out: classes, role: head}}
  optimizer: {{op: adam, lr: 0.01, weight_decay: 0.001}}
  epochs: 10
  batch_size: 50
ablation:
  components:
    - {{id: col, drop_feature: [{columns}], as: each}}
  replicates: {{n: {replicates}{more}}}
{analysis}
"""


def table(chance, weights, rows):
    lines = [",".join(COLUMNS) + ",y"]
    for _ in range(rows):
        x = [chance.gauss(0, 1) for _ in DRAWN]
        logit = sum(weight * value for weight, value in zip(weights, x))
        label = "no yes".split()[chance.random() < 1 / (1 + math.exp(-logit))]
        lines.append(",".join(f"{value:.4f}" for value in x) + f",0,{label}")
    return "\n".join(lines) + "\n"


def contributions(folder, claims, **settings):
    """Rows of the table of contributions of a study in this folder, by column. @param claims  "": what the default is"""
    analysis = f"  analysis: {{claims: {claims}}}" if claims else ""
    (folder / "study.yaml").write_text(STUDY.format(columns=", ".join(COLUMNS), analysis=analysis, **settings))
    timed([DLRUN, "ablate", folder / "study.yaml", "--workers", 2, "--store", folder / "store", "--quiet"])
    said = timed([DLRUN, "report", "--section", "ablation", "--format", "json", "--store", folder / "store"]).output
    rows = next(t for t in json.loads(said)["tables"] if t["title"] == "contributions")["rows"]
    return {row["component"].split(".")[-1]: row for row in rows}


def study(kind, seed, claims, more=""):
    """A study of a table of its own. @param more  further keys of `replicates`"""
    with tempfile.TemporaryDirectory(prefix="dlrun-table-") as name:
        folder = Path(name)
        (folder / "table.csv").write_text(table(random.Random(f"table {kind} {seed}"), WEIGHTS[kind], ROWS))
        return contributions(folder, seed=seed, claims=claims, replicates=REPLICATES, more=more,
                             split=f"split: {{train: {SHARE}, val: {1 - SHARE:.1f}, test: 0}}")


def truth_of(kind):
    """{column: [worth, standard error]} of training on as many rows as a replicate does."""
    trained = round(ROWS * SHARE)
    worth = {column: [] for column in COLUMNS}
    with tempfile.TemporaryDirectory(prefix="dlrun-truth-") as name:
        new = table(random.Random(f"truth {kind}"), WEIGHTS[kind], ROWS_OF_TRUTH)
        for seed in range(1, TABLES_OF_TRUTH + 1):
            folder = Path(name) / str(seed)
            folder.mkdir()
            (folder / "val.csv").write_text(new)
            (folder / "table.csv").write_text(table(random.Random(f"training set {kind} {seed}"), WEIGHTS[kind], trained))
            found = contributions(folder, seed=seed, claims="split", replicates=2, more="", split="val: val.csv, test: val.csv")
            for column, row in found.items():
                worth[column].append(row["contribution"] or 0)
    return {column: [mean(all), sd(all) / math.sqrt(len(all))] for column, all in worth.items()}


def mean(values):
    return sum(values) / len(values)


def sd(values):
    return math.sqrt(sum((v - mean(values)) ** 2 for v in values) / (len(values) - 1))


class Counts:
    """How often studies of tables were right about new data."""

    def __init__(self, studies, claims, more=""):
        truth = json.loads(TRUTH.read_text())
        self.studies, self.false_studies, self.found, self.covered, self.intervals = studies, 0, 0, 0, 0
        self.verdicts_on_nothing = 0
        for seed in range(1, studies + 1):
            kind = seed % len(WEIGHTS)
            self.take(study(kind, seed, claims, more), truth[str(kind)])

    def take(self, rows, truth):
        is_false = False
        for column, row in rows.items():
            worth, verdict = (0 if column == CONSTANT else truth[column][0]), row["verdict"].split()[0]
            is_false |= verdict == "helps" and worth <= 0 or verdict == "hurts" and worth >= 0
            self.verdicts_on_nothing += column == CONSTANT and verdict in ("helps", "hurts")
            self.found += verdict == "helps" and column in INFORMATIVE
            if row["low"] is not None and column != CONSTANT:
                self.intervals += 1
                self.covered += row["low"] <= worth <= row["high"]
        self.false_studies += is_false

    def false_share(self):
        return 100 * self.false_studies / self.studies

    def coverage(self):
        return 100 * self.covered / self.intervals

    def found_of_300(self):
        return 300 * self.found / (self.studies * len(INFORMATIVE))


def main():
    if sys.argv[1:] == ["truth"]:
        TRUTH.write_text(json.dumps({str(kind): truth_of(kind) for kind in range(len(WEIGHTS))}, indent=1) + "\n")
        return
    studies, claims, *more = sys.argv[1:]
    counts = Counts(int(studies), claims, *more)
    say(f"{claims or 'default'} {more}: {counts.false_share():.1f} % false, {counts.coverage():.1f} % covered, "
        f"{counts.found_of_300():.0f} of 300 found, {counts.verdicts_on_nothing} verdicts on the constant column")


if __name__ == "__main__":
    main()
