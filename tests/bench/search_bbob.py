# SPDX-License-Identifier: Apache-2.0
"""CMA-ES on BBOB's 24 noiseless functions beside Optuna's, cmaes' and pycma's: rows of the benchmark `search`.

Settings are tuned on instances 1 to 5 and judged on 6 to 15. A row is the geometric mean, over functions, dimensions and
numbers of trials, of ratios of median regrets; below 1e-8, BBOB's own precision, a regret counts as that.
"""
import math
import statistics

from benchlib import BIN, PEERS, Row, environment, timed

PROGRAM = BIN / "bench_bbob"
RIVALS = {"optuna": "Optuna", "cmaes": "cmaes", "pycma": "pycma"}
DIMENSIONS = (2, 5, 10)
TRIALS = (50, 100, 200)
GROUPS = {"separable": range(1, 6), "moderate": range(6, 10), "conditioned": range(10, 15), "multimodal": range(15, 20),
          "weak": range(20, 25)}
LEAST = 1e-8


def parsed(output, dimensions):
    """{(dimensions, function, trials): [regret of each instance and seed]}"""
    found = {}
    for line in output.splitlines():
        function, _, trials, regret = line.split()
        found.setdefault((dimensions, int(function), int(trials)), []).append(max(float(regret), LEAST))
    return found


def measured(command, first, instances, seeds):
    found = {}
    for dimensions in DIMENSIONS:
        run = timed([*command, dimensions, first, instances, seeds, max(TRIALS)])
        found.update(parsed(run.output, dimensions))
    return found


def ratio(mine, other, functions):
    logs = [math.log(statistics.median(mine[key]) / statistics.median(other[key])) for key in mine if key[1] in functions]
    return math.exp(statistics.mean(logs))


def rival_rows(mine, name, first, instances, seeds):
    other = measured([environment("bbob"), PEERS / "bbob.py", name], first, instances, seeds)
    rows = [Row(f"bbob.{group}.{name}", None, "", RIVALS[name], None, ratio(mine, other, functions))
            for group, functions in GROUPS.items()]
    whole = ratio(mine, other, range(1, 25))
    return rows + [Row(f"bbob.{name}", None, "", RIVALS[name], None, whole, "<= 1.0", whole <= 1.0)]


def rows(full):
    first, instances, seeds = (6, 10, 5 if full else 2)
    mine = measured([PROGRAM, "cma_es"], first, instances, seeds)
    return [row for name in RIVALS for row in rival_rows(mine, name, first, instances, seeds)]


if __name__ == "__main__":
    import sys
    for row in rows("--full" in sys.argv):
        print(row)
