# SPDX-License-Identifier: Apache-2.0
"""Optuna on the problems of bench_problems, one trial after another in memory, with its defaults.

    search_optuna.py LIBRARY regret SAMPLER FIRST_SEED SEEDS TRIALS   "problem seed trials regret" at 50, 100 and 200
                                                                     trials, or as many of these as TRIALS reaches
    search_optuna.py LIBRARY cost SAMPLER TRIALS DIMENSIONS [mixed]   processor milliseconds of ask, suggest and tell
"""
import ctypes
import json
import math
import sys
import time
import warnings

import optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.filterwarnings("ignore")

MAKERS = {
    "tpe": lambda seed: optuna.samplers.TPESampler(seed=seed),
    "tpe_univariate": lambda seed: optuna.samplers.TPESampler(seed=seed, multivariate=False),
    "cma_es": lambda seed: optuna.samplers.CmaEsSampler(seed=seed),
    "gp": lambda seed: optuna.samplers.GPSampler(seed=seed),
    "random": lambda seed: optuna.samplers.RandomSampler(seed=seed),
    "sobol": lambda seed: optuna.samplers.QMCSampler(qmc_type="sobol", scramble=True, seed=seed),
    "halton": lambda seed: optuna.samplers.QMCSampler(qmc_type="halton", scramble=True, seed=seed),
}


def load(path):
    library = ctypes.CDLL(path)
    library.bench_problems.restype = ctypes.c_char_p
    library.bench_regret.restype = ctypes.c_double
    library.bench_regret.argtypes = [ctypes.c_char_p, ctypes.c_uint64, ctypes.POINTER(ctypes.c_double)]
    return library


def suggest(trial, parameters):
    point = []
    for p in parameters:
        if "when" in p and point[p["when"][0]] != p["when"][1]:
            point.append(math.nan)
        elif p["choices"]:
            point.append(trial.suggest_categorical(p["name"], list(range(p["choices"]))))
        elif p["integer"]:
            point.append(trial.suggest_int(p["name"], int(p["low"]), int(p["high"]), log=p["log"]))
        else:
            point.append(trial.suggest_float(p["name"], p["low"], p["high"], log=p["log"]))
    return point


def print_regret(library, name, parameters, sampler, seed, trials):
    study = optuna.create_study(sampler=MAKERS[sampler](seed))
    best = math.inf
    for i in range(trials):
        trial = study.ask()
        point = suggest(trial, parameters)
        regret = library.bench_regret(name.encode(), seed, (ctypes.c_double * len(point))(*point))
        best = min(best, regret)
        study.tell(trial, regret)
        if i + 1 in (50, 100, 200):
            print(name, seed, i + 1, f"{best:.9g}", flush=True)


def cost(sampler, trials, dimensions, mixed):
    parameters = [{"name": f"x{i}", "choices": 0, "integer": False, "low": 0.0, "high": 1.0, "log": False}
                  for i in range(dimensions)]
    for i, p in enumerate(parameters if mixed else []):
        if i % 3 == 1:
            p.update(integer=True, low=1, high=100)
        if i % 3 == 2:
            p.update(choices=5)
    timed = 10
    history = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=2))
    for _ in range(trials - timed):
        trial = history.ask()
        history.tell(trial, sum((x - 0.3) ** 2 for x in suggest(trial, parameters)))
    study = optuna.create_study(sampler=MAKERS[sampler](1))
    study.add_trials(history.get_trials(deepcopy=False))
    start = time.process_time()
    for _ in range(timed):
        trial = study.ask()
        study.tell(trial, sum((x - 0.3) ** 2 for x in suggest(trial, parameters)))
    return (time.process_time() - start) * 1000 / timed


def main():
    library = load(sys.argv[1])
    what, sampler = sys.argv[2:4]
    if what == "cost":
        print(cost(sampler, int(sys.argv[4]), int(sys.argv[5]), len(sys.argv) > 6))
        return
    first, seeds, trials = map(int, sys.argv[4:7])
    for name, parameters in json.loads(library.bench_problems()).items():
        for seed in range(first, first + seeds):
            print_regret(library, name, parameters, sampler, seed, trials)


if __name__ == "__main__":
    main()
