# SPDX-License-Identifier: Apache-2.0
"""CMA-ES of others on BBOB's functions of the package ioh, one trial after another, with their defaults. Where a default
must be given, the search begins in the middle of the domain with a sixth of its side, as Optuna's does by itself.

    bbob.py optuna|cmaes|pycma DIMENSIONS FIRST_INSTANCE INSTANCES SEED TRIALS   "function instance trials regret" at
                                    50, 100 and 200 trials, or as many of these as TRIALS reaches
"""
import itertools
import math
import sys
import warnings

import ioh
import numpy as np

LOW, HIGH = -5.0, 5.0
SIGMA = (HIGH - LOW) / 6


def optuna_search(value, dimensions, seed, trials):
    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.CmaEsSampler(seed=seed))
    for _ in range(trials):
        trial = study.ask()
        study.tell(trial, value([trial.suggest_float(f"x{i}", LOW, HIGH) for i in range(dimensions)]))


def cmaes_search(value, dimensions, seed, trials):
    from cmaes import CMA
    bounds = np.array([[LOW, HIGH]] * dimensions)
    search = CMA(mean=np.zeros(dimensions), sigma=SIGMA, bounds=bounds, seed=seed)
    done = 0
    while done < trials:
        told = []
        for _ in range(search.population_size):
            x = search.ask()
            told.append((x, value(list(x))))
            done += 1
        search.tell(told)
        if search.should_stop():
            search = CMA(mean=np.zeros(dimensions), sigma=SIGMA, bounds=bounds, seed=seed + done)


def pycma_search(value, dimensions, seed, trials):
    import cma
    begin = {"bounds": [LOW, HIGH], "verbose": -9}
    search = cma.CMAEvolutionStrategy(np.zeros(dimensions), SIGMA, {**begin, "seed": seed + 1})
    done = 0
    while done < trials:
        points = search.ask()
        search.tell(points, [value(list(x)) for x in points])
        done += len(points)
        if search.stop():
            search = cma.CMAEvolutionStrategy(np.zeros(dimensions), SIGMA, {**begin, "seed": seed + done})


SEARCHES = {"optuna": optuna_search, "cmaes": cmaes_search, "pycma": pycma_search}


def regrets(search, function, dimensions, instance, seed, trials):
    """{trials: best regret by then}"""
    problem = ioh.get_problem(function, instance, dimensions)
    least, best, done, found = problem.optimum.y, math.inf, 0, {}

    def value(x):
        nonlocal best, done
        y = problem(x)
        best = min(best, y - least)
        done += 1
        if done in (50, 100, 200):
            found[done] = best
        return y

    search(value, dimensions, 1000 * instance + seed, trials)
    return found


def main(name, dimensions, first, instances, seed, trials):
    warnings.filterwarnings("ignore")
    for function, instance in itertools.product(range(1, 25), range(first, first + instances)):
        for count, regret in regrets(SEARCHES[name], function, dimensions, instance, seed, trials).items():
            if count <= trials:
                print(function, instance, count, f"{regret:.9g}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:7]))
