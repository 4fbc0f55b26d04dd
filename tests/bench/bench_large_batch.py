# SPDX-License-Identifier: Apache-2.0
"""Accuracy of large batches at equal examples, by how the learning rate is scaled (docs/large-batches.md): rates are chosen
with single batches of 32 (LARS and LAMB: with 32 of them), then frozen; three seeds; once with a rate that falls to a
hundredth, once with a constant one. Figures of an own check with PyTorch, at batches of 1,024 and 8,192 made of 128, stand
beside ours; a finding has no target, and its note says "reproduced" or "not". DLRUN_DATA names the folder with fashion-mnist, for --full also cifar10 as a folder of images."""
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from benchlib import DLRUN, Row, say

HERE = Path(__file__).resolve().parent / "large_batch"
CHANCE = 0.1  # of ten classes; who ends below its double has diverged, with or without a NaN
RATES = (0.00625, 0.0125, 0.025, 0.05, 0.1, 0.2)
CHECKED_RATE = 0.0125  # of the check with PyTorch, as 0.05 for 128 examples
OWN = {  # optimiser, rates to choose from with 32 batches
    "lars": ("{op: lars, momentum: 0.9, weight_decay: 1.0e-4}", (1, 2, 4, 8, 16, 32)),
    "lamb": ("{op: lamb, weight_decay: 1.0e-4}", (0.0025, 0.005, 0.01, 0.02, 0.04)),
}
ARMS = {
    "none": None,
    "sqrt": "{op: sqrt}",
    "linear": "{op: linear}",
    "lsw": "{op: linear, warmup: fixed}",
    "adascale": "{op: adascale}",
    "lena, no warm-up": "{op: lena, warmup: none}",
    "lena, alpha 0.2 %": "{op: lena, alpha: 0.002}",
    "lena, alpha 5 %": "{op: lena}",
    "lena, alpha 5 %, no end": "{op: lena, longest: 1000000}",
}
PYTORCH = "own check with PyTorch, batches of 128, one seed"
THEIRS = {  # at 1,024 and 8,192 examples; None: diverged
    "sqrt": (0.8765, 0.7638), "lsw": (0.8739, None), "adascale": (0.8795, 0.8411), "lena, no warm-up": (0.8795, 0.8419),
    "lena, alpha 5 %, no end": (0.8805, 0.7789), "lena, alpha 0.2 %": (None, 0.837), "lars": (0.8741, 0.8487),
    "lamb": (0.8739, 0.8147),
}


class Task:
    """A study below large_batch/, run with changes."""

    def __init__(self, name, folder, data, epochs, is_constant=False):
        self.study, self.store, self.data, self.count = HERE / f"{name}.yaml", Path(folder) / name, data, 0
        self.name = f"{name}, constant rate" if is_constant else name
        if is_constant:
            self.store = Path(folder) / f"{name}-constant"
        schedule = "constant" if is_constant else f"{{op: exponential, gamma: {0.01 ** (1 / epochs):.4f}}}"
        self.rate = CHECKED_RATE if is_constant else None
        self.common = [f"trial.epochs={epochs}", f"trial.schedule={schedule}"]

    def trials(self, sets):
        """{(n, seed, lr): (accuracy by epoch)} of a grid; a trial that diverged has none."""
        self.count += 1
        name = f"s{self.count}"
        command = [DLRUN, "tune", self.study, "--name", name, "--store", self.store, "--data", self.data, "--workers", "1"]
        for one in (*self.common, *sets):
            command += ["--set", one]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{command} ended with {done.returncode}\n{done.stderr[-2000:]}")
        found = {}
        for row in self.sql(name, "select trial, name, value from params"):
            found.setdefault(row["trial"], {})[row["name"]] = float(row["value"])
        curves = {trial: [] for trial in found}
        for row in self.sql(name, "select trial, value from metrics where metric = 'val.accuracy' order by trial, step"):
            curves[row["trial"]].append(row["value"])
        failed = {row["trial"] for row in self.sql(name, "select trial from trials where state = 'failed'")}
        failed |= {trial for trial, curve in curves.items() if not curve or curve[-1] < CHANCE * 2}
        return {(int(v.get("n", 1)), int(v["seed"]), v.get("lr")): [] if trial in failed else curves[trial]
                for trial, v in found.items()}

    def sql(self, name, query):
        command = [str(word) for word in (DLRUN, "report", name, "--store", self.store, "--sql", query, "--format", "json")]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["rows"]


def chosen_rate(task, n, rates, sets):
    """The best of a grid, by one seed."""
    grid = [f"space={{lr: {{at: optimizer.lr, choices: {list(rates)}}}, n: {{at: accumulate, choices: [{n}]}}, "
            "seed: {at: first_replicate, choices: [1]}}", *sets]
    found = {key[2]: curve[-1] for key, curve in task.trials(grid).items() if curve}
    best = max(found, key=found.get)
    say(f"large_batch: {task.name}, n {n}: " + ", ".join(f"lr {lr:g} {value:.4f}" for lr, value in sorted(found.items())))
    return best


def arms_of(task, examples):
    """{arm: {n: [curve of each seed]}} with the rate that single batches like best."""
    rate = task.rate or chosen_rate(task, 1, RATES, [])
    found = {"one": by_count(task.trials([f"trial.optimizer.lr={rate}", "space.n.choices=[1]"]))}
    for arm, scaling in ARMS.items():
        own = [f"trial.lr_scaling={scaling}"] if scaling else []
        found[arm] = by_count(task.trials([f"trial.optimizer.lr={rate}", *own]))
        tell(task, arm, found[arm])
    for arm, (optimizer, rates) in OWN.items():
        sets = [f"trial.optimizer={optimizer}"]
        best = chosen_rate(task, 32, rates, sets)
        scaling = f"{{op: sqrt, base_batch: {32 * examples}}}"
        found[arm] = by_count(task.trials(sets + [f"trial.optimizer.lr={best}", f"trial.lr_scaling={scaling}"]))
        tell(task, arm, found[arm])
    return rate, found


def by_count(trials):
    found = {}
    for (n, _, _), curve in sorted(trials.items(), key=lambda item: item[0][:2]):
        found.setdefault(n, []).append(curve)
    return found


def tell(task, arm, by_n):
    say(f"large_batch: {task.name}, {arm}: " + "; ".join(f"n {n}: {spread(curves)}" for n, curves in by_n.items()))


def spread(curves):
    ends = [curve[-1] for curve in curves if curve]
    lost = len(curves) - len(ends)
    text = f"{statistics.mean(ends):.4f} +- {statistics.pstdev(ends):.4f}" if ends else ""
    return text + (f", {lost} of {len(curves)} diverged" if lost else "")


def epochs_to(curves, target):
    """Median epoch at which the target is reached; none where most never do."""
    counts = sorted(next((i + 1 for i, value in enumerate(curve) if value >= target), 10**6) for curve in curves)
    middle = counts[len(counts) // 2]
    return middle if middle < 10**6 else None


def verdict(arm, place, mean, lost):
    """(their figure, whether it is ours too); `lost` of our seeds diverged."""
    theirs = THEIRS.get(arm, (None, None))[place]
    if theirs is None:
        return None, ("reproduced: diverged" if lost else "not: it did not diverge") if (arm, place) == ("lsw", 1) else ""
    return theirs, "reproduced (2 points)" if not lost and abs(mean - theirs) <= 0.02 else "not (2 points)"


def task_rows(task, examples):
    rate, found = arms_of(task, examples)
    one = statistics.mean(curve[-1] for curve in found["one"][1])
    say(f"large_batch: {task.name}, single batches, lr {rate:g}: {spread(found['one'][1])}")
    out = [Row(f"large_batch.{task.name}.one", one, "val.accuracy", note=f"lr {rate:g}, {spread(found['one'][1])}")]
    for arm, by_n in found.items():
        for place, (n, curves) in enumerate(by_n.items() if arm != "one" else ()):
            ends = [curve[-1] for curve in curves if curve]
            mean = statistics.mean(ends) if ends else None
            theirs, text = verdict(arm, place, mean, len(curves) - len(ends)) if task.study.stem == "mlp" else (None, "")
            reached = epochs_to([curve or [0] for curve in curves], 0.99 * one)
            parts = (spread(curves), text, f"99 % of single batches in {reached or 'no'} epochs")
            note = "; ".join(part for part in parts if part)
            out.append(Row(f"large_batch.{task.name}.{arm}, B {n * examples}", mean, "val.accuracy",
                           PYTORCH if theirs else "", theirs, mean / theirs if theirs and mean else None, note=note))
    return out


def rows(full):
    data = os.environ.get("DLRUN_DATA", "")
    if not (Path(data) / "fashion-mnist").is_dir() or not data:
        say("large_batch: DLRUN_DATA names no folder with fashion-mnist, so nothing is measured")
        return []
    out = []
    with tempfile.TemporaryDirectory() as folder:
        for is_constant in (False, True):
            out += task_rows(Task("mlp", folder, data, 30 if full else 12, is_constant), 32)
        if full and (Path(data) / "cifar10").is_dir():
            out += task_rows(Task("convnet", folder, data, 10), 32)
    for row in out:
        say(f"{row.name}: {row.note}")
    return out
