# SPDX-License-Identifier: Apache-2.0
"""Searches of others on the problems of bench_problems with several simulated workers, with their defaults.

    parallel.py LIBRARY tuned|others TOOL WORKERS FIRST_SEED SEEDS TRIALS [PROBLEM...]
                       "problem seed trials regret" at 50, 100 and 200 trials, or as many of these as TRIALS reaches

A worker that falls free asks at once, and is told nothing of trials that others still run; where a tool proposes none before
another trial ends, the worker waits. Durations are normal, 1 with deviation 0.3. A regret counts among the first TRIALS that
end. A tool that knows no parameters of parameters (Syne Tune, Ax) proposes all of them; those that are not active change
nothing.
"""
import ctypes
import heapq
import json
import logging
import math
import random
import sys
import warnings

MARKS = (50, 100, 200)
LEAST_SECONDS = 0.1


class Optuna:
    """TPE is what a study has that names no sampler; its liar is what Optuna advises for several workers."""

    def __init__(self, parameters, seed, workers, model="tpe"):
        import optuna
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        samplers = {"tpe": lambda: optuna.samplers.TPESampler(seed=seed, constant_liar=workers > 1),
                    "gp": lambda: optuna.samplers.GPSampler(seed=seed),
                    "cma_es": lambda: optuna.samplers.CmaEsSampler(seed=seed)}
        self.parameters, self.study = parameters, optuna.create_study(sampler=samplers[model]())

    def ask(self):
        trial, point = self.study.ask(), []
        for p in self.parameters:
            point.append(math.nan if not is_active(p, point) else self.suggest(trial, p))
        return trial, point

    @staticmethod
    def suggest(trial, p):
        if p["choices"]:
            return trial.suggest_categorical(p["name"], list(range(p["choices"])))
        if p["integer"]:
            return trial.suggest_int(p["name"], int(p["low"]), int(p["high"]), log=p["log"])
        return trial.suggest_float(p["name"], p["low"], p["high"], log=p["log"])

    def tell(self, trial, value):
        self.study.tell(trial, value)


class SyneTune:
    """CQR, which its documentation recommends where trials run at once, and its search by a Gaussian process."""

    def __init__(self, parameters, seed, workers, model="cqr"):
        from syne_tune import config_space as cs
        from syne_tune.optimizer import baselines
        space = {}
        for p in parameters:
            if p["choices"]:
                space[p["name"]] = cs.choice([str(i) for i in range(p["choices"])])
            elif p["integer"]:
                space[p["name"]] = (cs.lograndint if p["log"] else cs.randint)(int(p["low"]), int(p["high"]))
            else:
                space[p["name"]] = (cs.loguniform if p["log"] else cs.uniform)(p["low"], p["high"])
        made = {"cqr": baselines.CQR, "botorch": baselines.BOTorch, "bore": baselines.BORE}[model]
        self.parameters, self.count = parameters, 0
        self.scheduler = made(space, metric="regret", do_minimize=True, random_seed=seed)

    def ask(self):
        import datetime
        from syne_tune.backend.trial_status import Trial
        trial = Trial(self.count, self.scheduler.suggest().config, datetime.datetime(2000, 1, 1))
        self.count += 1
        self.scheduler.on_trial_add(trial)
        return trial, with_inactive(self.parameters, [float(trial.config[p["name"]]) for p in self.parameters])

    def tell(self, trial, value):
        self.scheduler.on_trial_complete(trial, {"regret": value})


class Ax:
    """The client of Ax, which chooses by itself how to search, with BoTorch's models."""

    def __init__(self, parameters, seed, workers):
        from ax.api.client import Client
        from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
        logging.getLogger("ax").setLevel(logging.CRITICAL)
        self.parameters, self.client = parameters, Client(random_seed=seed)

        def made(p):
            if p["choices"]:
                return ChoiceParameterConfig(name=p["name"], values=[f"{p['name']}{i}" for i in range(p["choices"])],
                                             parameter_type="str", is_ordered=False)
            kind, cast = ("int", int) if p["integer"] else ("float", float)
            return RangeParameterConfig(name=p["name"], bounds=(cast(p["low"]), cast(p["high"])), parameter_type=kind,
                                        scaling="log" if p["log"] else "linear")

        self.client.configure_experiment(parameters=[made(p) for p in parameters])
        self.client.configure_optimization(objective="-regret")

    def ask(self):
        from ax.exceptions.core import DataRequiredError
        try:
            (number, values), = self.client.get_next_trials(max_trials=1).items()
        except DataRequiredError:  # its first design has been given out, and too few trials of it have ended
            return None
        raw = [values[p["name"]] for p in self.parameters]
        point = [float(v[len(p["name"]):]) if p["choices"] else float(v) for p, v in zip(self.parameters, raw)]
        return number, with_inactive(self.parameters, point)

    def tell(self, number, value):
        self.client.complete_trial(trial_index=number, raw_data={"regret": value})


TOOLS = {
    "optuna.tpe": lambda *a: Optuna(*a, "tpe"),
    "optuna.gp": lambda *a: Optuna(*a, "gp"),
    "optuna.cma_es": lambda *a: Optuna(*a, "cma_es"),
    "syne.cqr": lambda *a: SyneTune(*a, "cqr"),
    "syne.bore": lambda *a: SyneTune(*a, "bore"),
    "syne.botorch": lambda *a: SyneTune(*a, "botorch"),
    "ax": Ax,
}


def is_active(p, point):
    return "when" not in p or point[p["when"][0]] == p["when"][1]


def with_inactive(parameters, point):
    return [value if is_active(p, point) else math.nan for p, value in zip(parameters, point)]


def best_by(tool, regret, workers, trials, seed):
    """{trials that have ended: the least regret among them}"""
    chance, events, found, best = random.Random(seed), [], {}, math.inf
    started = ended = 0
    now = 0.0
    while ended < trials:
        while len(events) < workers and started < trials:
            asked = tool.ask()
            if asked is None:
                break
            handle, point = asked
            end = now + max(LEAST_SECONDS, chance.gauss(1, 0.3))
            heapq.heappush(events, (end, started, handle, regret(point)))
            started += 1
        now, _, handle, value = heapq.heappop(events)
        tool.tell(handle, value)
        ended += 1
        best = min(best, value)
        if ended in MARKS:
            found[ended] = best
    return found


def load(path, which):
    library = ctypes.CDLL(path)
    listed = library.bench_problems if which == "tuned" else library.bench_other_problems
    listed.restype = ctypes.c_char_p
    library.bench_regret.restype = ctypes.c_double
    library.bench_regret.argtypes = [ctypes.c_char_p, ctypes.c_uint64, ctypes.POINTER(ctypes.c_double)]
    return library, json.loads(listed())


def seed_all(seed):
    import numpy
    random.seed(seed)
    numpy.random.seed(seed)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)
        sys.modules["torch"].set_num_threads(1)


def main():
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    library, problems = load(sys.argv[1], sys.argv[2])
    make, workers, first, seeds, trials = TOOLS[sys.argv[3]], *map(int, sys.argv[4:8])
    for name in sys.argv[8:] or problems:
        for seed in range(first, first + seeds):
            def regret(point):
                return library.bench_regret(name.encode(), seed, (ctypes.c_double * len(point))(*point))
            tool = make(problems[name], seed, workers)
            seed_all(seed)
            for count, best in best_by(tool, regret, workers, trials, seed).items():
                print(name, seed, count, f"{best:.9g}", flush=True)


if __name__ == "__main__":
    main()
