# SPDX-License-Identifier: Apache-2.0
"""Searches on functions: regret beside Optuna's sampler of the same name, and what a proposal costs.

Both sides search the same shifted functions (search/problems.cpp) with the same seeds, one trial after another. A
regret is the distance of the best value from the least one; a ratio of medians below 1e-9 counts as that. Of several
objectives the hypervolume that is missing takes its place (search/front_bench.cpp).
"""
import math
import random
import statistics

import bench_importance
import search_clock
import search_fidelity
from benchlib import BIN, PEERS, Row, environment, timed

PROGRAM = BIN / "bench_search"
LIBRARY = BIN / "libbench_problems.so"
TRIALS = (50, 100, 200)
LEAST = 1e-9


def ours(*arguments):
    return timed([PROGRAM, *arguments]).output


def theirs(*arguments):
    return timed([environment("search"), PEERS / "search_optuna.py", LIBRARY, *arguments]).output


def regrets(output):
    """{(problem, trials): [regret of each seed]}"""
    found = {}
    for line in output.splitlines():
        problem, _, trials, regret = line.split()
        found.setdefault((problem, int(trials)), []).append(float(regret))
    return found


def ratio(mine, other, draw=lambda values: values):
    """Geometric mean over the problems of the ratio of median regrets."""
    logs = [math.log(max(statistics.median(draw(mine[key])), LEAST) / max(statistics.median(draw(other[key])), LEAST))
            for key in mine]
    return math.exp(statistics.mean(logs))


def upper_bound(mine, other):
    """97.5 % of the ratios that seeds drawn with replacement give."""
    chance = random.Random(1)
    ratios = sorted(ratio(mine, other, lambda values: chance.choices(values, k=len(values))) for _ in range(1000))
    return ratios[974]


def regret_rows(sampler, seeds):
    mine = regrets(ours("regret", sampler, "0", str(seeds)))
    other = regrets(theirs("regret", sampler, "0", str(seeds)))
    rows = []
    for problem, trials in mine:
        a, b = statistics.median(mine[problem, trials]), statistics.median(other[problem, trials])
        rows.append(Row(f"{sampler}.{problem}.{trials}", a, "regret", "Optuna", b, max(a, LEAST) / max(b, LEAST)))
    for trials in TRIALS:
        part = [{key: values for key, values in side.items() if key[1] == trials} for side in (mine, other)]
        rows.append(Row(f"{sampler}.regret.{trials}", None, "", "Optuna", None, ratio(*part)))
    whole, bound = ratio(mine, other), upper_bound(mine, other)
    rows.append(Row(f"{sampler}.regret", None, "", "Optuna", None, whole, "<= 1.0", whole <= 1.0))
    rows.append(Row(f"{sampler}.regret.upper", None, "", "Optuna", None, bound, "<= 1.15", bound <= 1.15))
    return rows


def cost_row(name, sampler, trials, target, *mixed):
    mine = statistics.median(float(ours("cost", sampler, str(trials), *mixed)) for _ in range(5))
    other = float(theirs("cost", sampler, str(trials), *mixed))
    return Row(name, mine, "ms CPU", "Optuna", other, mine / other, f"<= {target} ms", mine <= target)


FRONT_PROBLEMS = ("zdt1", "zdt2", "zdt3", "bnh", "c2_dtlz2")


def front_rows(sampler, seeds, problems):
    """Of several objectives, and with constraints: the hypervolume that is missing (of gramacy the regret)."""
    arguments = [sampler, "0", str(seeds), *problems]
    mine = regrets(timed([BIN / "bench_front", *arguments]).output)
    other = regrets(timed([environment("search"), PEERS / "search_front.py", *arguments]).output)
    rows = []
    for problem, trials in mine:
        a, b = statistics.median(mine[problem, trials]), statistics.median(other[problem, trials])
        rows.append(Row(f"{sampler}.{problem}.{trials}", a, "missing", "Optuna", b, max(a, LEAST) / max(b, LEAST)))
    whole = ratio(mine, other)
    kind = "feasible" if problems == ("gramacy",) else "front"
    rows.append(Row(f"{sampler}.{kind}", None, "", "Optuna", None, whole, "<= 1.0", whole <= 1.0))
    return rows


def rows(full):
    seeds = 21 if full else 5
    found = regret_rows("tpe", seeds) + regret_rows("cma_es", seeds)
    for sampler in ("nsga2", "tpe"):
        found += front_rows(sampler, max(seeds, 9), FRONT_PROBLEMS)
    found += front_rows("tpe", max(seeds, 9), ("gramacy",))
    found.append(cost_row("tpe.cost.1000", "tpe", 1000, 0.4))
    found.append(cost_row("tpe.cost.1000.mixed", "tpe", 1000, 0.8, "mixed"))
    found.append(cost_row("tpe.cost.10000", "tpe", 10000, 4))
    found.append(cost_row("cma_es.cost.1000", "cma_es", 1000, 0.05))
    growth = statistics.median(float(ours("cost", "tpe", "100000")) for _ in range(3))
    found.append(Row("tpe.cost.100000", growth, "ms CPU"))
    return found + bench_importance.rows() + search_clock.rows(full) + search_fidelity.rows(full)
