# SPDX-License-Identifier: Apache-2.0
"""Final trainings whose start a race chooses, beside fresh weights and beside fresh weights that train as many epochs in all:
the donor's, and each seed's share of the race's. A search with its race is one observation: intervals are over searches."""
import math
import statistics

from benchlib import DLRUN, timed
from final_runs import EPOCHS, compared_curves, epochs_to, interval, rows, search_for

SEEDS = 10


def run(task, search, store):
    """@return (arm that won, epochs of the race for each seed, curves by arm)"""
    name = search_for(task, search, store)
    final = f"{name}-raced"
    timed([DLRUN, "train", "--from", name, "--policy", "race", "--compare", "kaiming_longer", "--epochs", EPOCHS, "--seeds", SEEDS,
           "--name", final, "--store", store, "-q"])
    curves = compared_curves(store, final)
    chosen = next((arm for arm in curves if not arm.startswith("kaiming")), "kaiming")
    trained = rows(store, f"{final}-race", "select sum(epochs) from trials")[0][0]
    return chosen, trained / SEEDS, curves


def gain_of(outcome, target):
    """Mean logarithm of the times fewer epochs to the target, the race's among them."""
    chosen, share, curves = outcome
    return statistics.mean(math.log(epochs_to(curves["kaiming"][seed]["curve"], target) / (epochs_to(one["curve"], target) + share))
                           for seed, one in curves[chosen].items())


def loss_of(outcome):
    """Mean change of the test metric beside as many epochs of fresh weights."""
    chosen, _, curves = outcome
    return statistics.mean(one["test"] - curves["kaiming_longer"][seed]["test"] for seed, one in curves[chosen].items())


def judged(outcomes):
    """@param outcomes  what run() gave for each search
    @return (times fewer epochs, low, high), (test change, half width), the arms that won"""
    ends = [one["curve"][-1] for _, _, curves in outcomes for one in curves["kaiming"].values()]
    target = 0.99 * statistics.mean(ends)
    mean, half = interval([gain_of(outcome, target) for outcome in outcomes])
    change = interval([loss_of(outcome) for outcome in outcomes])
    return (math.exp(mean), math.exp(mean - half), math.exp(mean + half)), change, [outcome[0] for outcome in outcomes]
