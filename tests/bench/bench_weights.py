# SPDX-License-Identifier: Apache-2.0
"""What weights of a search are worth to the training that follows it (weights/final_runs.py): 16 trials under ASHA, six epochs
of a schedule of 24; then finals of 24 epochs by every policy, beside fresh weights and fresh weights with six epochs more. The
target is 99 % of what fresh weights end with. DLRUN_DATA names the folder with mnist and fashion-mnist."""
import sys
import tempfile
from pathlib import Path

from benchlib import Row, say

sys.path.insert(0, str(Path(__file__).resolve().parent / "weights"))
from final_runs import ARMS, DONOR, compared, data_folder, run  # noqa: E402


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
    for arm in ARMS:
        faster, low, high, epochs, test, half = arms[arm]
        out.append(Row(f"weights.{task}.{arm}", epochs, f"epochs to {target:.4f}", "kaiming", fresh, faster,
                       ">= 2 times fewer" if arm != "kaiming_longer" else "", None if arm == "kaiming_longer" else faster >= 2,
                       f"{low:.2f} to {high:.2f} times; a shift: {bound or 0:.2f}; test {100 * test:+.2f} +- {100 * half:.2f} points"))
    return out


def rows(full):
    if not data_folder():
        say("weights: DLRUN_DATA names no folder with mnist and fashion-mnist, so nothing is measured")
        return []
    out = []
    for task in ("fashion", "mnist") if full else ("mnist",):
        out += task_rows(task, 4 if full else 2, 3 if full else 2)
    for row in out:
        say(f"{row.name}: {row.note}")
    return out
