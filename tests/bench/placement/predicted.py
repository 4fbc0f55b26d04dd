# SPDX-License-Identifier: Apache-2.0
"""Worth of telling the exact placer where its proof may begin (`--expect`), by a model of the least step.

dlrun trains the model on pieces of graphs that it has solved, and applies it to other pieces of the same families and of
families that it has not seen. Its inputs are what `dlrun place` prints before it asks the solver."""
import csv
import io
import os
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import geometric_mean

import windows
from benchlib import DLRUN, timed

LEARNED, UNSEEN = ("enas-cifar10", "nmt"), ("enas-ptb", "pipedream")
EFFORT = 5            # units of the solver's own clock, which is the same on every machine
LEAST_EFFORT = 0.01   # of the pieces that count: others are proven as fast as the guess could be made
FACTS = ("nodes", "edges", "depth", "one_device_ms", "critical_path_ms", "work_over_devices_ms", "largest_node_ms")
PLACERS = ("etf", "heft", "greedy", "anneal")
STUDY = """study: bound
objective: {metric: val.rmse, direction: minimize, at: best}
space:
  lr: {at: optimizer.lr, type: float, low: 1e-3, high: 3e-2, scale: log}
  width: {at: model.nodes.fc1.out, type: int, low: 8, high: 64, scale: log}
  decay: {at: optimizer.weight_decay, type: float, low: 1e-4, high: 1e-1, scale: log}
limits: {trials: 24}
trial:
  data: {op: csv, path: train.csv, target: over_floor, split: {train: 0.75, val: 0.25, test: 0}}
  model:
    nodes:
      - {name: fc1, op: linear, out: 32}
      - {name: act, op: gelu}
      - {name: head, op: linear, out: outputs, role: head}
  loss: mse
  metrics: [rmse]
  optimizer: {op: adamw, lr: 0.01}
  schedule: {op: cosine}
  epochs: 60
  batch_size: 16
"""


class Solved:
    """One run of the exact placer. bound: ms that no placement beats; steps: ms by placer; effort and branches: its search."""

    def __init__(self, file, expected=None):
        more = [] if expected is None else ["--expect", f"{expected:.6f}"]
        chosen = [word for placer in (*PLACERS, "exact") for word in ("--placer", placer)]
        run = timed([DLRUN, "place", file, "--tries", "2000", "--effort", EFFORT, "--format", "csv", *chosen, *more])
        facts, table = run.output.split("\n\n", 1)
        self.facts = {row["what"]: row["value"] for row in csv.DictReader(io.StringIO(facts))}
        rows = list(csv.DictReader(io.StringIO(table[table.index("placer,"):])))
        self.steps = {placer: min(float(row["step_ms"]) for row in rows if row["placer"] == placer)
                      for placer in (*PLACERS, "exact")}
        said = re.search(r"no placement takes less than ([\d.]+) ms.*\(effort ([\d.]+), (\d+) branches\)", run.said)
        self.bound, self.effort, self.branches = float(said[1]), max(float(said[2]), 1e-4), max(1, int(said[3]))

    def is_proven(self):
        return self.effort < EFFORT and self.steps["exact"] <= 1.01 * self.bound

    def floor(self):
        """A bound for every placement, before the solver is asked."""
        return max(float(self.facts["critical_path_ms"]), float(self.facts["work_over_devices_ms"]))

    def inputs(self):
        floor = self.floor()
        return [*(float(self.facts[name]) for name in FACTS[:3]), *(float(self.facts[name]) / floor for name in FACTS[3:]),
                *(self.steps[placer] / floor for placer in PLACERS)]


def solved_all(*asked):
    """Solved for each, side by side: the solver's clock does not notice. @param asked  files, and guesses if there are any"""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(Solved, *asked))


def solve(graphs, folder, families, seeds):
    """[(file, what was solved)] of the pieces that are proven within the effort, and how many were asked."""
    files = [Path(folder) / f"{family}-{seed}.json" for family in families for seed in seeds]
    for file in files:
        windows.write(graphs, *file.stem.rsplit("-", 1), file)
    solved = solved_all(files)
    return [pair for pair in zip(files, solved) if pair[1].is_proven()], len(files)


def write_table(file, rows):
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([[*FACTS, *PLACERS, "over_floor"], *rows])


def learned(folder, solved, asked):
    """Predicted bounds, in ms, of the asked pieces."""
    folder = Path(folder)
    write_table(folder / "train.csv", [[*one.inputs(), one.bound / one.floor()] for _, one in solved])
    write_table(folder / "asked.csv", [[*one.inputs(), 0] for _, one in asked])
    (folder / "bound.yaml").write_text(STUDY)
    store = ["--store", folder / "store"]
    timed([DLRUN, "tune", folder / "bound.yaml", *store, "-q"])
    rows = timed([DLRUN, "predict", "bound/best", "--data", folder / "asked.csv", *store, "-q", "-o", "-"]).output
    values = [float(line.rsplit(",", 1)[1]) for line in rows.splitlines()[1:]]
    return [value * one.floor() for value, (_, one) in zip(values, asked)]


def trivial(solved, asked):
    """m-ETF's step times a constant."""
    factor = geometric_mean([one.bound / one.steps["etf"] for _, one in solved])
    return [factor * one.steps["etf"] for _, one in asked]


class Compared:
    """A guess on all held-out pieces. error: share of the least step by which it is off; the rest: without it over with it."""

    def __init__(self, asked, guesses):
        runs = solved_all([file for file, _ in asked], guesses)
        pairs = [(one, run) for (_, one), run in zip(asked, runs) if one.effort >= LEAST_EFFORT]
        self.count = len(pairs)
        self.effort = geometric_mean([one.effort / run.effort for one, run in pairs])
        self.branches = geometric_mean([one.branches / run.branches for one, run in pairs])
        self.of_all = geometric_mean([one.effort / run.effort for (_, one), run in zip(asked, runs)])
        self.total = sum(one.effort for _, one in asked) / sum(run.effort for run in runs)
        self.proven = sum(run.is_proven() and abs(run.bound / one.bound - 1) <= 0.01 for (_, one), run in zip(asked, runs))
        self.error = geometric_mean([max(guess / one.bound, one.bound / guess) for (_, one), guess in zip(asked, guesses)]) - 1


def compared(graphs, training, held_out):
    """@param training, held_out  pieces of each family
    @return {name of the guess: Compared}, how many pieces were solved to learn from, proven of those asked, and asked"""
    with tempfile.TemporaryDirectory() as folder:
        solved, _ = solve(graphs, folder, LEARNED, range(training))
        asked, count = solve(graphs, folder, LEARNED + UNSEEN, range(10_000, 10_000 + held_out))
        by_model = learned(folder, solved, asked)
        guesses = {"model": by_model, "m-ETF times a constant": trivial(solved, asked),
                   "30 % too low": [0.7 * one.bound for _, one in asked],
                   "30 % too high": [1.3 * one.bound for _, one in asked],
                   "the least step": [one.bound for _, one in asked]}
        return {name: Compared(asked, values) for name, values in guesses.items()}, len(solved), len(asked), count
