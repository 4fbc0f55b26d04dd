# SPDX-License-Identifier: Apache-2.0
"""Searches and the final trainings that follow them, policy beside policy: epochs to the target, what they end with, what they
cost. The search itself is replicated, for the choice of a donor is part of what is measured: intervals are of the means of
searches, not of seeds."""
import json
import math
import os
import shutil
import statistics
from pathlib import Path

from benchlib import DLRUN, timed

HERE = Path(__file__).resolve().parent
EPOCHS, DONOR = 24, 6
SHORT = 9  # half of what remains of the schedule after the donor
ARMS = ("best", "resume", "kaiming_longer", "greedy_soup", "shrink_perturb", "fresh_shrunk", "topk_average", "per_layer_best")
# The donor goes on and what is left of its schedule is run through in SHORT epochs; and fresh weights with as many in all.
EXTRA = {"finish": ["--policy", "best", "--epochs", SHORT, "--final", "warm_start.optimizer=carry", "--final",
                    "warm_start.schedule=continue"],
         "kaiming_short": ["--policy", "none", "--epochs", DONOR + SHORT]}
# Without a GPU CIFAR's 10,000 images take days: 5,000 at 16x16 take a night.
SMALLER = {} if shutil.which("nvidia-smi") else {"cifar": ["--set", "trial.data.size=16", "--set", "trial.data.limit=6250"]}
STUDENT = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365}  # 97.5 %


def data_folder():
    return os.environ.get("DLRUN_DATA", "")


def rows(store, study, statement):
    output = timed([DLRUN, "report", study, "--sql", statement, "--format", "json", "--store", store]).output
    return [list(row.values()) for row in json.loads(output)["rows"]]


def put(curves, arm, seed, metric, value):
    one = curves.setdefault(arm, {}).setdefault(seed, {"curve": [], "test": None})
    if metric == "test.accuracy":
        one["test"] = value
    else:
        one["curve"].append(value)


def search_for(task, search, store):
    """@return the name of the search"""
    name = f"{task}-{search}"
    timed([DLRUN, "tune", HERE / f"{task}.yaml", "--name", name, "--set", f"seed={search}", *SMALLER.get(task, []), "--store",
           store, "-q"])
    return name


def compared_curves(store, study):
    """@return {arm: {seed: {"curve", "test"}}} of a comparison of final trainings"""
    curves = {}
    for arm, seed, step, metric, value in rows(
            store, study, "select v.value, r.value, m.step, m.metric, m.value from metrics m join params v on v.trial = "
            "m.trial and v.name = 'variant' join params r on r.trial = m.trial and r.name = 'replicate' where m.metric in "
            "('val.accuracy', 'test.accuracy') order by m.trial, m.step, m.metric desc"):
        put(curves, "kaiming" if arm == "baseline" else arm, int(seed), metric, value)
    return curves


def run(task, search, seeds, store):
    """One search and its final trainings. @return {arm: {seed: {"curve", "test"}}}"""
    name = search_for(task, search, store)
    timed([DLRUN, "train", "--from", name, "--policy", "best", "--compare", ",".join(ARMS[1:]), "--epochs", EPOCHS, "--seeds",
           seeds, "--store", store, "-q"])
    curves = compared_curves(store, f"{name}-final")
    for arm, options in EXTRA.items():
        timed([DLRUN, "train", "--from", name, "--name", f"{name}-{arm}", "--seeds", seeds, *options, "--store", store, "-q"])
        for seed, _, metric, value in rows(
                store, f"{name}-{arm}", "select replicate, step, metric, value from metrics where metric in ('val.accuracy', "
                "'test.accuracy') order by replicate, step, metric desc"):
            put(curves, arm, int(seed) + 1, metric, value)  # numbered from 0 here; streams may differ, searches are compared
    return curves


def epochs_to(curve, target):
    """A running median of three, of fewer the worse; where it is never reached EPOCHS, or all there are if they are more."""
    for i in range(len(curve)):
        seen = sorted(curve[max(0, i - 2):i + 1])
        if seen[(len(seen) - 1) // 2] >= target:
            return i + 1
    return max(EPOCHS, len(curve))


def interval(values):
    """Mean and the half width of its 95 % interval."""
    if len(values) < 2:
        return statistics.mean(values), math.nan
    return statistics.mean(values), STUDENT[len(values) - 1] * statistics.stdev(values) / math.sqrt(len(values))


def compared(searches):
    """@param searches what run() gave for each. @return {arm: (faster, low, high, epochs, test change, its half width)}"""
    ends = [one["curve"][-1] for curves in searches for one in curves["kaiming"].values()]
    target = 0.99 * statistics.mean(ends)
    out = {}
    for arm in ("kaiming",) + ARMS + tuple(EXTRA):
        ratios, tests, epochs = [], [], []
        for curves in searches:
            pairs = [(curves["kaiming"][seed], one) for seed, one in curves[arm].items()]
            ratios.append(statistics.mean(
                math.log(epochs_to(k["curve"], target) / epochs_to(one["curve"], target)) for k, one in pairs))
            tests.append(statistics.mean(one["test"] - k["test"] for k, one in pairs))
            epochs.append(statistics.mean(epochs_to(one["curve"], target) for _, one in pairs))
        mean, half = interval(ratios)
        out[arm] = (math.exp(mean), math.exp(mean - half), math.exp(mean + half), statistics.mean(epochs), *interval(tests))
    return target, out
