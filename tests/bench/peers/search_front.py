# SPDX-License-Identifier: Apache-2.0
"""Optuna on the problems of bench_front, one trial after another in memory, with its defaults.

    search_front.py SAMPLER FIRST_SEED SEEDS [PROBLEM...]    "problem seed trials missing" at 100, 200 and 300 trials

The functions and fronts are written down here once more, so that the two sides check each other.
"""
import math
import sys
import warnings

import numpy
import optuna
from optuna._hypervolume import compute_hypervolume

optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.filterwarnings("ignore")

MAKERS = {
    "nsga2": lambda seed, c: optuna.samplers.NSGAIISampler(seed=seed, constraints_func=c),
    "tpe": lambda seed, c: optuna.samplers.TPESampler(seed=seed, constraints_func=c),
    "gp": lambda seed, c: optuna.samplers.GPSampler(seed=seed, constraints_func=c),
    "random": lambda seed, c: optuna.samplers.RandomSampler(seed=seed),
}


def zdt(shape):
    def values(x):
        g = 1 + 9 * sum(x[1:]) / (len(x) - 1)
        return [x[0], g * shape(x[0], x[0] / g)], []
    return values


def c2_dtlz2(x):
    r = 1 + sum((v - 0.5) ** 2 for v in x[1:])
    a, b = r * math.cos(x[0] * math.pi / 2), r * math.sin(x[0] * math.pi / 2)
    ends = min((a - 1) ** 2 + b * b, (b - 1) ** 2 + a * a)
    middle = (a - math.sqrt(0.5)) ** 2 + (b - math.sqrt(0.5)) ** 2
    return [a, b], [min(ends, middle) - 0.04]


def bnh(x):
    return ([4 * x[0] ** 2 + 4 * x[1] ** 2, (x[0] - 5) ** 2 + (x[1] - 5) ** 2],
            [((x[0] - 5) ** 2 + x[1] ** 2 - 25) / 25, (7.7 - (x[0] - 8) ** 2 - (x[1] + 3) ** 2) / 7.7])


def gramacy(x):
    wave = 0.5 * math.sin(2 * math.pi * (x[0] ** 2 - 2 * x[1]))
    return [x[0] + x[1]], [1.5 - x[0] - 2 * x[1] - wave, x[0] ** 2 + x[1] ** 2 - 1.5]


def along(dimensions, rest):
    return lambda t: [t] + [rest] * (dimensions - 1)


UNIT = [(0.0, 1.0)] * 5
PROBLEMS = {
    "zdt1": (zdt(lambda f, r: 1 - math.sqrt(r)), UNIT, (1.1, 1.1), along(5, 0.0)),
    "zdt2": (zdt(lambda f, r: 1 - r * r), UNIT, (1.1, 1.1), along(5, 0.0)),
    "zdt3": (zdt(lambda f, r: 1 - math.sqrt(r) - r * math.sin(10 * math.pi * f)), UNIT, (1.1, 1.1), along(5, 0.0)),
    "c2_dtlz2": (c2_dtlz2, UNIT, (1.1, 1.1), along(5, 0.5)),
    "bnh": (bnh, [(0.0, 5.0), (0.0, 3.0)], (140.0, 50.0), lambda t: [5 * t, min(5 * t, 3.0)]),
    "gramacy": (gramacy, UNIT[:2], None, None),
}
LEAST_OF_GRAMACY = 0.59978
DENSE = 20000


def volume(points, reference):
    inside = [p for p in points if all(v < r for v, r in zip(p, reference))]
    return compute_hypervolume(numpy.array(inside), numpy.array(reference)) if inside else 0.0


def whole_volume(problem):
    values, _, reference, front = problem
    measured = [values(front(i / DENSE)) for i in range(DENSE + 1)]
    return volume([objectives for objectives, excess in measured if all(e <= 0 for e in excess)], reference)


def run(name, sampler, seed, whole):
    values, bounds, reference, _ = PROBLEMS[name]
    has_bounds = bool(values([low for low, _ in bounds])[1])
    constraints = (lambda trial: trial.user_attrs["excess"]) if has_bounds else None
    study = optuna.create_study(directions=["minimize"] * len(reference or [0]),
                                sampler=MAKERS[sampler](seed, constraints))
    points = []
    for i in range(300):
        trial = study.ask()
        objectives, excess = values([trial.suggest_float(f"x{k + 1}", *b) for k, b in enumerate(bounds)])
        trial.set_user_attr("excess", excess)
        study.tell(trial, objectives)
        if all(e <= 0 for e in excess):
            points.append(objectives)
        if (i + 1) % 100 == 0:
            missing = (whole - volume(points, reference) if reference
                       else min((p[0] for p in points), default=math.inf) - LEAST_OF_GRAMACY)
            print(name, seed, i + 1, f"{missing:.9g}", flush=True)


def main():
    sampler, first, seeds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for name in sys.argv[4:] or PROBLEMS:
        whole = whole_volume(PROBLEMS[name]) if PROBLEMS[name][2] else 0
        for seed in range(first, first + seeds):
            run(name, sampler, seed, whole)


if __name__ == "__main__":
    main()
