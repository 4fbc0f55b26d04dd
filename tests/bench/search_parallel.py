# SPDX-License-Identifier: Apache-2.0
"""Searches by default settings with 1, 4 and 8 workers beside others; and what 8 lanes cost. Rows of the benchmark `search`.

    search_parallel.py [--full]   prints the rows alone

On functions that defaults were chosen by (tuned) and on ten others, on simulated workers (search/study_bench.cpp, peers/
parallel.py). dlrun's sampler is `auto`, with a lane for each worker. A ratio is the geometric mean over functions of ratios
of median regrets, beside the peer whose own geometric mean is the least; peers that take minutes for each seed stand in rows
of their own, on six functions that were named before any result was seen.
"""
import math
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor

from benchlib import BIN, PEERS, ROOT, Row, environment, kept, table, timed
from search_regret import LEAST, at, ratio, regrets, upper_bound

PROGRAM, LIBRARY, SCRIPT = BIN / "bench_study", BIN / "libbench_problems.so", PEERS / "parallel.py"
SOURCES = [ROOT / "tests" / "bench" / "search" / f"{name}.cpp" for name in ("problems", "other_problems", "makers")]
ONE_LANE = ROOT / "tests" / "bench" / "search" / "one_lane.txt"
SETS, WORKERS, TRIALS = ("tuned", "others"), (1, 4, 8), (50, 100, 200)
FAST = ("optuna.tpe", "optuna.cma_es")
SLOW = ("optuna.gp", "syne.cqr", "syne.botorch", "ax")  # seconds for each proposal
SLOW_PROBLEMS = {"tuned": ("hartmann6", "rosenbrock5", "net"), "others": ("shekel4", "griewank6", "boosting")}
SLOW_TRIALS = 100
LANES = {("auto", 50): 2.0, ("auto", 100): 1.3, ("gp", 100): 1.3, ("tpe", 100): 1.6, ("cma_es", 100): 1.3}


def in_pairs(measure, inputs):
    """[measure(*input)], two at a time."""
    with ThreadPoolExecutor(2) as both:
        return list(both.map(lambda one: measure(*one), inputs))


def ours(sampler, problems, workers, seeds, trials):
    outputs = in_pairs(lambda seed: timed([PROGRAM, "regrets", sampler, problems, workers, workers, seed, 1, trials]).output,
                       [(seed,) for seed in range(seeds)])
    return regrets("".join(outputs))


def of_seed(tool, problems, workers, seed):
    """The peer's output for one seed, from an earlier run where nothing that decides it has changed."""
    trials = SLOW_TRIALS if tool in SLOW else max(TRIALS)
    arguments = (problems, tool, workers, seed, 1, trials, *(SLOW_PROBLEMS[problems] if tool in SLOW else ()))
    decides = [(PEERS / "parallel.txt").read_text(), SCRIPT.read_text(), *[file.read_text() for file in SOURCES], arguments]
    return kept(f"{tool}-{problems}-{workers}-{seed}", decides,
                lambda: timed([environment("parallel"), SCRIPT, LIBRARY, *arguments]).output)


def theirs(tool, problems, workers, seeds):
    outputs = in_pairs(of_seed, [(tool, problems, workers, seed) for seed in range(seeds)])
    return regrets("".join(outputs))


def height(found):
    return math.exp(statistics.mean(math.log(max(statistics.median(values), LEAST)) for values in found.values()))


def beside(name, mine, peers):
    """A row beside the best of the peers, on the functions that they have. @param peers  {tool: regrets}"""
    best = min(peers, key=lambda tool: height(peers[tool]))
    mine = {key: values for key, values in mine.items() if key in peers[best]}
    found, bound = ratio(mine, peers[best]), upper_bound(mine, peers[best])
    others = ", ".join(f"{tool} {ratio(mine, peers[tool]):.2f}" for tool in peers if tool != best)
    return Row(name, None, "", best, None, found, "<= 1.0", found <= 1.0, f"at most {bound:.2f}; {others}")


def default_rows(full):
    seeds, slow_seeds = (11, 5) if full else (3, 0)
    rows = []
    for workers in WORKERS:
        for problems in SETS:
            mine = ours("auto", problems, workers, seeds, max(TRIALS))
            groups = {"": {tool: theirs(tool, problems, workers, seeds) for tool in FAST}}
            if slow_seeds:
                groups[" gp"] = {tool: theirs(tool, problems, workers, slow_seeds) for tool in SLOW}
            for group, peers in groups.items():
                rows += [beside(f"default {workers}.{problems}.{trials}{group}", at(trials, mine),
                                {tool: at(trials, found) for tool, found in peers.items()})
                         for trials in TRIALS if trials <= SLOW_TRIALS or not group]
    return rows


def one_lane():
    """{sampler: regrets} of one lane at commit 2cbd74f, which later lanes are measured by; 11 seeds."""
    found = {}
    for line in ONE_LANE.read_text().splitlines():
        sampler, problem, _, trials, regret = line.split()
        found.setdefault(sampler, {}).setdefault((problem, int(trials)), []).append(float(regret))
    return found


def lanes_rows(full):
    seeds, rows = 11 if full else 3, []
    before = one_lane()
    for sampler in dict.fromkeys(sampler for sampler, _ in LANES):
        mine = {}
        for problems in SETS:
            mine |= ours(sampler, problems, 8, seeds, 100)
        for (_, trials), target in ((key, most) for key, most in LANES.items() if key[0] == sampler):
            mine_then, before_then = at(trials, mine), at(trials, before[sampler])
            found, bound = ratio(mine_then, before_then), upper_bound(mine_then, before_then)
            rows.append(Row(f"lanes 8 {sampler}.{trials}", None, "", "one lane before", None, found, f"<= {target}", found <= target,
                            f"at most {bound:.2f}"))
    return rows


def rows(full):
    return default_rows(full) + lanes_rows(full)


if __name__ == "__main__":
    print(table(rows("--full" in sys.argv)))
