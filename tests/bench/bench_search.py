# SPDX-License-Identifier: Apache-2.0
"""Searches on functions: what they find (search_regret), what a proposal costs, fronts, importance, the logical clock and
learning curves, BBOB, default searches with several workers, each beside the peers."""
import statistics

import bench_importance
import search_bbob
import search_clock
import search_fidelity
import search_parallel
import search_regret
from benchlib import BIN, PEERS, Row, environment, median_pair, timed
from search_regret import LEAST, ours, ratio, regrets, theirs


def milliseconds(sampler, trials, dimensions, *mixed):
    """(mean of the last 50 proposals, the dearest of them), medians of five runs."""
    runs = [ours("cost", sampler, trials, dimensions, *mixed).split() for _ in range(5)]
    return tuple(statistics.median(map(float, column)) for column in zip(*runs))


def cost_row(name, sampler, trials, target, dimensions=10, mixed=()):
    mine, _ = milliseconds(sampler, trials, dimensions, *mixed)
    other = float(theirs(sampler, "cost", sampler, trials, dimensions, *mixed))
    return Row(name, mine, "ms CPU", "Optuna", other, mine / other, f"<= {target} ms", mine <= target)


def gp_rows():
    """The mean of proposals, and one that fits everything anew."""
    mean, dearest = milliseconds("gp", 200, 6)
    other = float(theirs("gp", "cost", "gp", 200, 6))
    return [Row("gp.cost.200", mean, "ms CPU", "Optuna", other, mean / other, "<= 20 ms", mean <= 20),
            Row("gp.cost.200.refit", dearest, "ms CPU", "Optuna", other, dearest / other, "<= 60 ms", dearest <= 60)]


def rustuna_row():
    """The mean of a search's first 1,000 trials, pairs of runs beside each other."""
    script = [environment("search"), PEERS / "search_rustuna.py", "tpe", 1000, 10]
    mine, other = median_pair(lambda: float(ours("whole", "tpe", 1000, 10)), lambda: float(timed(script).output), 5)
    return Row("tpe.cost.first1000", mine, "ms CPU", "Rustuna", other, mine / other, "< 1", mine < other)


def growth_rows():
    found = []
    for sampler in ("tpe", "cma_es", "gp"):
        run = timed([BIN / "bench_search", "cost", sampler, 100000, 10])
        found.append(Row(f"{sampler}.cost.100000", float(run.output.split()[0]), "ms CPU"))
        found.append(Row(f"{sampler}.memory.100000", run.peak_mb, "MiB"))
    return found


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
    found = search_regret.rows(seeds)
    for sampler in ("nsga2", "tpe"):
        found += front_rows(sampler, max(seeds, 9), FRONT_PROBLEMS)
    found += front_rows("tpe", max(seeds, 9), ("gramacy",))
    found.append(cost_row("tpe.cost.1000", "tpe", 1000, 0.4))
    found.append(cost_row("tpe.cost.1000.mixed", "tpe", 1000, 0.8, mixed=("mixed",)))
    found.append(cost_row("tpe.cost.10000", "tpe", 10000, 4))
    found.append(cost_row("cma_es.cost.1000", "cma_es", 1000, 0.05))
    found += gp_rows() + [rustuna_row()] + growth_rows()
    return found + search_bbob.rows(full) + bench_importance.rows() + search_clock.rows(full) + search_fidelity.rows(full) + search_parallel.rows(full)
