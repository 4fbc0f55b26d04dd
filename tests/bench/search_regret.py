# SPDX-License-Identifier: Apache-2.0
"""Regret beside Optuna's sampler of the same name, and `auto` beside the best of them; rows of the benchmark `search`.

Both sides search the same shifted functions (search/problems.cpp) with the same seeds, one trial after another. A
regret is the distance of the best value from the least one; a ratio of medians below 1e-9 counts as that. What Optuna
finds is decided by the seeds, and its GP takes a minute for each: it is kept until what decides it changes.
"""
import math
import random
import statistics

from benchlib import BIN, PEERS, ROOT, Row, environment, kept, timed

PROGRAM = BIN / "bench_search"
LIBRARY = BIN / "libbench_problems.so"
PROBLEMS = ROOT / "tests" / "bench" / "search" / "problems.cpp"
SCRIPT = PEERS / "search_optuna.py"
SAMPLERS = {"tpe": 200, "cma_es": 200, "gp": 100}  # and the trials of their searches
LEAST = 1e-9


def ours(*arguments):
    return timed([PROGRAM, *arguments]).output


def theirs(sampler, *arguments):
    """Optuna's GP needs torch, which stands in another environment."""
    return timed([environment("training" if sampler == "gp" else "search"), SCRIPT, LIBRARY, *arguments]).output


def of_seed(sampler, seed):
    """Optuna's output for one seed."""
    arguments = ("regret", sampler, seed, 1, SAMPLERS[sampler])
    versions = (PEERS / ("training.txt" if sampler == "gp" else "search.txt")).read_text()
    decides = [versions, SCRIPT.read_text(), PROBLEMS.read_text(), arguments]
    return kept(f"{sampler}-{seed}", decides, lambda: theirs(sampler, *arguments))


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


def at(trials, found):
    return {key: values for key, values in found.items() if key[1] == trials}


def sampler_rows(sampler, mine, other):
    rows = []
    for problem, trials in mine:
        a, b = statistics.median(mine[problem, trials]), statistics.median(other[problem, trials])
        rows.append(Row(f"{sampler}.{problem}.{trials}", a, "regret", "Optuna", b, max(a, LEAST) / max(b, LEAST)))
    for trials in sorted({trials for _, trials in mine}):
        part = ratio(at(trials, mine), at(trials, other))
        rows.append(Row(f"{sampler}.regret.{trials}", None, "", "Optuna", None, part))
    whole, bound = ratio(mine, other), upper_bound(mine, other)
    rows.append(Row(f"{sampler}.regret", None, "", "Optuna", None, whole, "<= 1.0", whole <= 1.0))
    rows.append(Row(f"{sampler}.regret.upper", None, "", "Optuna", None, bound, "<= 1.15", bound <= 1.15))
    return rows


def auto_row(mine, columns):
    """Beside the best of Optuna's samplers, problem by problem and at each number of trials."""
    best = {key: min((column[key] for column in columns if key in column), key=statistics.median) for key in mine}
    whole = ratio(mine, best)
    return Row("auto.regret", None, "", "best of Optuna's", None, whole, "<= 1.3", whole <= 1.3)


def rows(seeds):
    found, columns = [], []
    for sampler, trials in SAMPLERS.items():
        columns.append(regrets("".join(of_seed(sampler, seed) for seed in range(seeds))))
        found += sampler_rows(sampler, regrets(ours("regret", sampler, 0, seeds, trials)), columns[-1])
    found.append(auto_row(regrets(ours("regret", "auto", 0, seeds, 200)), columns))
    return found
