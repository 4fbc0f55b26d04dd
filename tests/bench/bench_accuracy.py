# SPDX-License-Identifier: Apache-2.0
"""What the examples reach on data that no decision saw, for seeds 1 to 3 (--full: 1 to 5).

DLRUN_DATA names a folder with `mnist`, `fashion-mnist` (IDX files) and `cifar10` (train/<class>, test/<class>); examples
whose data is not there are left out. CIFAR-10 is also trained in PyTorch with the same settings."""
import json
import math
import os
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchlib import DLRUN, PEERS, ROOT, Row, environment, say, timed

EXAMPLES = ROOT / "examples"
EPOCHS, LIMIT = 10, 10000


@dataclass(frozen=True)
class Example:
    study: str
    column: str  # of `dlrun report`
    bound: float
    higher: bool = True
    folder: str = ""  # below DLRUN_DATA; empty: the example carries its data
    options: tuple = ()


CIFAR = Example("cifar/study.yaml", "test.accuracy", 0, True, "cifar10", (
    f"trial.epochs={EPOCHS}", f"trial.data.limit={LIMIT}", "limits.trials=1",
    "space.lr={at: optimizer.lr, type: constant, value: 0.1}"))

ALL = (
    Example("mnist/study.yaml", "test.accuracy", 0.99, True, "mnist", ("trial.epochs=10",)),
    Example("fashion/study.yaml", "test.accuracy", 0.92, True, "fashion-mnist"),
    Example("titanic/folds.yaml", "objective", 0.81),
    # Its perplexity: 5.701 by n-grams.
    Example("text/study.yaml", "test.loss", round(math.log(5.701), 3), False, "", ("limits.trials=1",)),
    Example("weather/study.yaml", "test.rmse", 2.80, False),
    CIFAR,
)


def data():
    return Path(os.environ.get("DLRUN_DATA", EXAMPLES / "data"))


def reached(example, seed):
    """The figure of the best trial that has one."""
    with tempfile.TemporaryDirectory(prefix="dlrun-accuracy-") as store:
        command = [DLRUN, "tune", EXAMPLES / example.study, "--store", store, "--quiet", "--set", f"seed={seed}"]
        command += ["--data", data()] if example.folder else []
        for option in example.options:
            command += ["--set", option]
        timed(command)
        best = json.loads(timed([DLRUN, "report", "--store", store, "--format", "json"]).output)["rows"]
    figure = next(row[example.column] for row in best if row.get(example.column) is not None)
    say(f"{example.study} seed {seed}: {example.column} {figure:.4f}")
    return figure


def in_pytorch(seed):
    script = [environment("pipeline"), PEERS / "torch_cifar.py", data() / CIFAR.folder, seed, EPOCHS, LIMIT]
    figure = float(timed(script).output)
    say(f"PyTorch seed {seed}: accuracy {figure:.4f}")
    return figure


def row(example, seeds):
    figures = [reached(example, seed) for seed in seeds]
    worst = min(figures) if example.higher else max(figures)
    met = worst >= example.bound if example.higher else worst <= example.bound
    sign = ">=" if example.higher else "<="
    name = f"accuracy.{example.study} {example.column}, worst of {len(figures)} seeds"
    return Row(name, worst, "", target=f"{sign} {example.bound}", met=met)


def cifar_row(seeds):
    """Means of the seeds, held to within a point."""
    pairs = [(reached(CIFAR, seed), in_pytorch(seed)) for seed in seeds]
    ours, theirs = (statistics.mean(figures) for figures in zip(*pairs))
    return Row(f"accuracy.{CIFAR.study} {CIFAR.column}, mean of {len(pairs)} seeds", ours, "", "PyTorch 2.11.0", theirs,
               ours / theirs, ">= theirs - 0.01", ours >= theirs - 0.01)


def rows(full):
    seeds = range(1, 6 if full else 4)
    there = [example for example in ALL if not example.folder or (data() / example.folder).is_dir()]
    for example in set(ALL) - set(there):
        say(f"{example.study}: no {data() / example.folder}, left out (DLRUN_DATA names the folder)")
    return [cifar_row(seeds) if example is CIFAR else row(example, seeds) for example in there]
