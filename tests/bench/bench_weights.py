# SPDX-License-Identifier: Apache-2.0
"""What weights of a search are worth to the training that follows it (weights/final_runs.py): 16 trials under ASHA, six epochs
of a schedule of 24; then finals of 24 epochs by every policy, beside fresh weights and fresh weights with six epochs more; and
finals of nine that end the donor's schedule early, beside fresh weights with as many in all. The target is 99 % of what fresh
weights end with. Final trainings whose start a race chooses (weights/raced.py). And what it costs to carry a study into another store (weights/archives.py).
DLRUN_DATA names the folder with mnist and fashion-mnist, for --full also cifar10 as a folder of images."""
import sys
import tempfile
from pathlib import Path

from benchlib import Row, say

sys.path.insert(0, str(Path(__file__).resolve().parent / "weights"))
import archives  # noqa: E402
import raced  # noqa: E402
from final_runs import ARMS, DONOR, EXTRA, compared, data_folder, run  # noqa: E402
from shared_stages import measured  # noqa: E402


def task_rows(task, searches, seeds):
    with tempfile.TemporaryDirectory() as store:
        found = []
        for search in range(1, searches + 1):
            say(f"weights: {task}, search {search} of {searches}")
            found.append(run(task, search, seeds, store))
    target, arms = compared(found)
    fresh = arms["kaiming"][3]
    bound = fresh / (fresh - DONOR) if fresh > DONOR else None
    out = []
    for arm in ARMS + tuple(EXTRA):
        faster, low, high, epochs, test, half = arms[arm]
        is_rival = arm.startswith("kaiming")
        out.append(Row(f"weights.{task}.{arm}", epochs, f"epochs to {target:.4f}", "kaiming", fresh, faster,
                       "" if is_rival else ">= 2 times fewer", None if is_rival else faster >= 2,
                       f"{low:.2f} to {high:.2f} times; a shift: {bound or 0:.2f}; test {100 * test:+.2f} +- {100 * half:.2f} points"))
    return out


def race_rows(task, searches):
    """No loss: beside equal epochs of fresh weights, all but 0.3 points are excluded. Gain: the race's epochs count."""
    with tempfile.TemporaryDirectory() as store:
        outcomes = []
        for search in range(1, searches + 1):
            say(f"weights: {task}, race {search} of {searches}")
            outcomes.append(raced.run(task, search, store))
    (faster, low, high), (change, half), chosen = raced.judged(outcomes)
    won = f"won: {', '.join(chosen)}"
    return [Row(f"weights.{task}.race no loss", 100 * change, "points of test", "equal epochs of fresh weights", 0, None,
                "lower 95 % end above -0.3", 100 * (change - half) > -0.3, f"+- {100 * half:.2f}; {won}"),
            Row(f"weights.{task}.race gain", None, "epochs to the target", "fresh weights", None, faster, ">= 1.3 times fewer",
                faster >= 1.3, f"{low:.2f} to {high:.2f} times; {won}")]


def stage_rows(full):
    """Epochs in common trained once: 3.04 times fewer is the bound."""
    shared, alone, ratio, is_equal = measured(9 if full else 5)
    note = "checkpoints are equal" if is_equal else "checkpoints differ"
    return [Row("weights.stages.epochs", shared, "epochs", "each trial alone", alone, alone / shared, ">= 2.8 times fewer",
                is_equal and alone / shared >= 2.8, note),
            Row("weights.stages.seconds", None, "s", "each trial alone", None, ratio, "", None, "of the whole command, two workers")]


def rows(full):
    out = stage_rows(full)
    if not data_folder():
        say("weights: DLRUN_DATA names no folder with mnist and fashion-mnist, so no final run is measured")
        return out + archives.rows()
    out += archives.rows()
    tasks = ("fashion", "mnist", "lenet", "mlp") if full else ("mnist", "mlp")
    for task in tasks:
        out += task_rows(task, 4, 10 if full else 3)
    for task in tasks:
        out += race_rows(task, 4)
    if full:
        out += task_rows("cifar", 4, 3)
    for row in out:
        say(f"{row.name}: {row.note}")
    return out
