# SPDX-License-Identifier: Apache-2.0
"""What a search on the logical clock costs, on simulated workers (search/study_bench.cpp).

Identity: logical logs of studies on 1 to 64 workers with random durations, stragglers, losses and crashes of the driver.
Wall time: the share of the workers' time that is used, promotion ASHA to the end of 1,500 trials, beside order: arrival
with as many lanes as workers. Regret: what trials under way cost, as geometric mean over shifted functions of the median
regret after 100 trials, divided by that of a search that always knows everything. --full adds a real study of more than
an hour (search_hours).
"""
import math
import statistics

import search_hours
from benchlib import BIN, Row, timed

PROGRAM = BIN / "bench_study"
WORKERS = (1, 2, 4, 16, 64)
STUDIES = (("tpe", "asha"), ("tpe", "hyperband"), ("random", "asha_stop"), ("cma_es", "median"), ("gp", "pasha"))

# Lanes, workers, noise of durations, share of stragglers, how much slower they are, and the share of time used that a
# model of the clock predicts for slack 0.5 (a simulation of the rules in docs/logical-clock.md without their code).
WALL = ((4, 4, 0.15, 0, 1, 0.98), (8, 4, 0.15, 0, 1, 0.99), (16, 8, 0.15, 0, 1, 0.97), (16, 16, 0.15, 0, 1, 0.91),
        (64, 32, 0.15, 0, 1, 0.91), (8, 4, 0.3, 0, 1, 0.99), (16, 8, 0.3, 0, 1, 0.97), (64, 32, 0.3, 0, 1, 0.88),
        (8, 4, 0.15, 0.01, 3, 0.99), (16, 8, 0.15, 0.01, 3, 0.96), (8, 4, 0.15, 0.01, 10, 0.90),
        (16, 8, 0.15, 0.01, 10, 0.82))
ROUNDING = 0.005  # of the predictions

PROBLEMS = ("branin", "hartmann6", "ackley5", "rosenbrock5")
TRIALS = 100
PENDING = (0, 3, 7, 15)
CLOCKS = (("logical", 4, 0.1), ("logical", 8, 0), ("logical", 8, 0.1), ("logical", 8, 0.25), ("logical", 8, 0.5),
          ("logical", 8, 1), ("logical", 16, 0.1), ("together", 4, 0.5), ("together", 8, 0.5))
LEAST = 1e-9


def ours(*arguments):
    return timed([PROGRAM, *map(str, arguments)]).output.split("\n")[:-1]


def identity_rows():
    rows = []
    for sampler, pruner in STUDIES:
        found = [ours("fingerprint", sampler, pruner, workers, 1)[0].split() for workers in WORKERS]
        logs = len({log for log, _, _ in found})
        lost = sum(int(lost) for _, _, lost in found)
        rows.append(Row(f"clock.logs.{sampler}.{pruner}", logs, f"log on {len(WORKERS)} counts", target="1", met=logs == 1,
                        note=f"{lost} attempts lost or stale"))
    return rows


def busy(order, lanes, workers, slack, noise, share, slow, seeds):
    return float(ours("busy", order, lanes, workers, slack, noise, share, slow, seeds)[0])


def wall_rows(seeds):
    rows = []
    for lanes, workers, noise, share, slow, predicted in WALL:
        mine = busy("logical", lanes, workers, 0.5, noise, share, slow, seeds)
        other = busy("arrival", workers, workers, 0.5, noise, share, slow, seeds)
        stragglers = f".{share:.0%}x{slow}" if share else ""
        rows.append(Row(f"clock.busy.{lanes}on{workers}.cv{noise}{stragglers}", mine, "of time", "order: arrival", other,
                        mine / other, f">= {predicted}", mine >= predicted - ROUNDING))
    for lanes in (4, 5, 6, 8):
        for slack in (0, 0.1, 0.25, 0.5, 1):
            mine = busy("logical", lanes, 4, slack, 0.15, 0, 1, seeds)
            rows.append(Row(f"clock.busy.{lanes}on4.slack{slack}", mine, "of time"))
    rows.append(Row("clock.busy.8on4.slack0.5.together", busy("together", 8, 4, 0.5, 0.15, 0, 1, seeds), "of time"))
    return rows


def regret(sampler, order, lanes, slack, workers, seeds):
    """Geometric mean over the problems of the median regret."""
    logs = []
    for problem in PROBLEMS:
        found = [float(line) for line in ours("regret", sampler, problem, order, lanes, slack, workers, TRIALS, seeds)]
        logs.append(math.log(max(statistics.median(found), LEAST)))
    return math.exp(statistics.mean(logs))


def regret_rows(sampler, seeds):
    arrival = {pending: regret(sampler, "arrival", pending + 1, 0, pending + 1, seeds) for pending in PENDING}
    known = arrival[0]
    rows = [Row(f"clock.regret.{sampler}.pending{pending}", value / known, "x of none pending")
            for pending, value in arrival.items()]
    for order, lanes, slack in CLOCKS:
        mine = regret(sampler, order, lanes, slack, 4, seeds)
        other = arrival[lanes - 1]
        begin = ".together" if order == "together" else ""
        rows.append(Row(f"clock.regret.{sampler}.lanes{lanes}.slack{slack}{begin}", mine / known, "x of none pending",
                        f"arrival, {lanes} workers", other / known, mine / other))
    return rows


def rows(full):
    seeds = 10 if full else 3
    found = identity_rows() + wall_rows(seeds)
    for sampler in ("tpe", "cma_es", "gp"):
        found += regret_rows(sampler, 51 if full and sampler != "gp" else 21 if full or sampler != "gp" else 7)
    return found + (search_hours.rows() if full else [])
