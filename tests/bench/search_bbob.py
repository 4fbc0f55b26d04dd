# SPDX-License-Identifier: Apache-2.0
"""CMA-ES on BBOB's 24 noiseless functions beside Optuna's, cmaes' and pycma's: rows of the benchmark `search`.

    search_bbob.py [--tuning] [--full]   prints the rows alone

Settings are tuned on instances 1 to 5 (--tuning) and judged on 6 to 15. A row is the geometric mean, over functions,
dimensions and numbers of trials, of ratios of median regrets; below 1e-8, BBOB's own precision, a regret counts as that.
The seeds decide what the peers find, so their output is kept until what decides it changes.
"""
import math
import statistics
import sys

from benchlib import BIN, PEERS, Row, environment, kept, table, timed

PROGRAM = BIN / "bench_bbob"
SCRIPT = PEERS / "bbob.py"
RIVALS = {"optuna": "Optuna", "cmaes": "cmaes", "pycma": "pycma"}
DIMENSIONS = (2, 5, 10)
TRIALS = (50, 100, 200)
GROUPS = {"separable": range(1, 6), "moderate": range(6, 10), "conditioned": range(10, 15), "multimodal": range(15, 20),
          "weak": range(20, 25)}
TUNED, JUDGED = (1, 5), (6, 10)  # the first instance and how many
TARGET = 1.0
LEAST = 1e-8


def parsed(output, dimensions):
    """{(dimensions, function, trials): [regret of each instance and seed]}"""
    found = {}
    for line in output.splitlines():
        function, _, trials, regret = line.split()
        found.setdefault((dimensions, int(function), int(trials)), []).append(max(float(regret), LEAST))
    return found


def ours(instances, seeds):
    found = {}
    for dimensions in DIMENSIONS:
        run = timed([PROGRAM, "cma_es", dimensions, *instances, seeds, max(TRIALS)])
        found.update(parsed(run.output, dimensions))
    return found


def of_seed(rival, dimensions, instances, seed):
    """The rival's output for one seed."""
    arguments = (rival, dimensions, *instances, seed, max(TRIALS))
    decides = [(PEERS / "bbob.txt").read_text(), SCRIPT.read_text(), arguments]
    return kept(f"bbob-{rival}-{dimensions}-{seed}", decides,
                lambda: timed([environment("bbob"), SCRIPT, *arguments]).output)


def theirs(rival, instances, seeds):
    found = {}
    for dimensions in DIMENSIONS:
        found.update(parsed("".join(of_seed(rival, dimensions, instances, seed) for seed in range(seeds)), dimensions))
    return found


def ratio(mine, other, is_part=lambda key: True):
    """Geometric mean of the ratios of medians over those (dimensions, function, trials)."""
    logs = [math.log(statistics.median(mine[key]) / statistics.median(other[key])) for key in mine if is_part(key)]
    return math.exp(statistics.mean(logs))


def parts():
    """Names of rows, and the (dimensions, function, trials) that each is of."""
    found = {group: lambda key, functions=functions: key[1] in functions for group, functions in GROUPS.items()}
    found |= {f"{d}d": lambda key, d=d: key[0] == d for d in DIMENSIONS}
    return found | {f"{t}": lambda key, t=t: key[2] == t for t in TRIALS}


def rival_rows(mine, other, name):
    rows = []
    for part, is_part in parts().items():
        found = ratio(mine, other, is_part)
        judged = (f"<= {TARGET}", found <= TARGET) if part in GROUPS else ("", None)
        rows.append(Row(f"bbob.{part}.{name}", None, "", RIVALS[name], None, found, *judged))
    whole = ratio(mine, other)
    return rows + [Row(f"bbob.{name}", None, "", RIVALS[name], None, whole, f"<= {TARGET}", whole <= TARGET)]


def rows(full, instances=JUDGED):
    seeds = 5 if full else 2
    mine = ours(instances, seeds)
    return [row for name in RIVALS for row in rival_rows(mine, theirs(name, instances, seeds), name)]


if __name__ == "__main__":
    print(table(rows("--full" in sys.argv, TUNED if "--tuning" in sys.argv else JUDGED)))
