# SPDX-License-Identifier: Apache-2.0
"""Multi-fidelity searches of Optuna, Ray Tune and Syne Tune on recorded learning curves, on simulated workers.

    fidelity.py TABLE TOOL WORKERS ERROR SEEDS     epochs until some trial had measured ERROR, a line for each seed

Each tool's own scheduler decides, told every epoch as it ends; an epoch takes every worker the same time. eta is 3, the
first rung 1 epoch, the last the whole curve. "random" takes the table's configurations in random order; a model's
proposals are the nearest configuration that was not taken, as bench::Table::take_nearest has it.
"""
import datetime
import heapq
import json
import logging
import math
import sys
import warnings

import numpy as np

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
MOST_EPOCHS = 10_000
ETA = 3


class Table:
    def __init__(self, path):
        lines = open(path).read().splitlines()
        self.parameters = json.loads(lines[0])
        cells = [[float(c) if c else math.nan for c in line.split(",")] for line in lines[1:]]
        count = len(self.parameters)
        self.errors = [row[count:] for row in cells]
        self.epochs = len(self.errors[0])
        self.rows = np.array([self.coordinates(row[:count]) for row in cells])
        self.is_choice = np.array(["choices" in p for p in self.parameters])
        self.taken = np.zeros(len(self.rows), bool)

    def coordinates(self, values):
        return [v if "choices" in p or math.isnan(v) else
                math.log(v / p["low"]) / math.log(p["high"] / p["low"]) if p.get("log") else
                (v - p["low"]) / (p["high"] - p["low"]) for p, v in zip(self.parameters, values)]

    def take_nearest(self, values):
        """None once all are taken."""
        step = self.rows - np.array(self.coordinates(values))
        distance = np.where(np.isnan(step), 0, np.where(self.is_choice, step != 0, np.square(step))).sum(axis=1)
        row = int(np.argmin(np.where(self.taken, np.inf, distance)))
        if self.taken[row]:
            return None
        self.taken[row] = True
        return row


class Job:
    """A trial: its configuration and the epochs it has."""

    def __init__(self, number, row):
        self.number, self.row, self.epoch = number, row, 0


class Optuna:
    def __init__(self, table, seed, order, sampler, pruner):
        import optuna
        self.optuna, self.table, self.order, self.is_random = optuna, table, iter(order), sampler == "random"
        made = optuna.samplers.RandomSampler(seed=seed) if self.is_random else optuna.samplers.TPESampler(seed=seed)
        prune = {"asha": lambda: optuna.pruners.SuccessiveHalvingPruner(min_resource=1, reduction_factor=ETA),
                 "hyperband": lambda: optuna.pruners.HyperbandPruner(1, table.epochs, ETA)}[pruner]()
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.study = optuna.create_study(sampler=made, pruner=prune)

    def suggest(self, trial):
        values = []
        for p in self.table.parameters:
            if "when" in p and values[p["when"][0]] != p["when"][1]:
                values.append(math.nan)
            elif "choices" in p:
                values.append(trial.suggest_categorical(p["name"], list(range(p["choices"]))))
            elif p.get("integer"):
                values.append(trial.suggest_int(p["name"], p["low"], p["high"], log=p.get("log", False)))
            else:
                values.append(trial.suggest_float(p["name"], p["low"], p["high"], log=p.get("log", False)))
        return values

    def start(self):
        trial = self.study.ask()
        row = next(self.order, None) if self.is_random else self.table.take_nearest(self.suggest(trial))
        if row is None:
            return None
        job = Job(trial.number, row)
        job.trial = trial
        return job

    def report(self, job, error):
        job.trial.report(error, job.epoch)
        if job.trial.should_prune():
            self.study.tell(job.trial, state=self.optuna.trial.TrialState.PRUNED)
            return "stop"
        if job.epoch == self.table.epochs:
            self.study.tell(job.trial, error)
            return "stop"
        return "continue"


class RayAsha:
    def __init__(self, table, seed, order):
        from ray.tune.schedulers import AsyncHyperBandScheduler
        self.order, self.count = iter(order), 0
        self.scheduler = AsyncHyperBandScheduler(metric="error", mode="min", max_t=table.epochs, grace_period=1,
                                                 reduction_factor=ETA)

    def start(self):
        row = next(self.order, None)
        if row is None:
            return None
        job = Job(self.count, row)
        job.trial_id = str(self.count)
        self.count += 1
        self.scheduler.on_trial_add(None, job)
        return job

    def report(self, job, error):
        action = self.scheduler.on_trial_result(None, job, {"error": error, "training_iteration": job.epoch})
        return "continue" if action == "CONTINUE" else "stop"


class RayHyperBand:
    """The scheduler asks its controller to stop paused trials; this object is that controller."""

    def __init__(self, table, seed, order):
        from ray.tune.schedulers import HyperBandScheduler
        self.order, self.count = iter(order), 0
        self.scheduler = HyperBandScheduler(metric="error", mode="min", max_t=table.epochs, reduction_factor=ETA)

    def start(self):
        job = self.scheduler.choose_trial_to_run(self)
        if job is None:
            row = next(self.order, None)
            if row is None:
                return None
            job = Job(self.count, row)
            job.trial_id, job.status, job.is_saving = str(self.count), "PENDING", False
            self.count += 1
            self.scheduler.on_trial_add(self, job)
            job = self.scheduler.choose_trial_to_run(self)
        job.status = "RUNNING"
        return job

    def stop_trial(self, job):
        if job.status != "TERMINATED":
            job.status = "TERMINATED"
            self.scheduler.on_trial_remove(self, job)

    def report(self, job, error):
        result = {"error": error, "training_iteration": job.epoch}
        action = self.scheduler.on_trial_result(self, job, result)
        if action == "CONTINUE":
            return "continue"
        if action == "PAUSE":
            job.status = "PAUSED"
            return "pause"
        if job.status != "TERMINATED":
            job.status = "TERMINATED"
            self.scheduler.on_trial_complete(self, job, result)
        return "stop"


class SyneTune:
    def __init__(self, table, seed, order, searcher):
        from syne_tune import config_space as cs
        from syne_tune.optimizer.schedulers.asha import AsynchronousSuccessiveHalving
        from syne_tune.optimizer.schedulers.searchers.multi_fidelity_searcher import IndependentMultiFidelitySearcher
        self.table, self.order, self.is_random, self.count = table, iter(order), searcher == "random", 0
        space = {}
        for p in table.parameters:
            if "choices" in p:
                space[p["name"]] = cs.choice([str(i) for i in range(p["choices"])])
            elif p.get("integer"):
                space[p["name"]] = (cs.lograndint if p.get("log") else cs.randint)(p["low"], p["high"])
            else:
                space[p["name"]] = (cs.loguniform if p.get("log") else cs.uniform)(p["low"], p["high"])
        made = "random_search" if self.is_random else IndependentMultiFidelitySearcher(space, "kde", random_seed=seed)
        self.scheduler = AsynchronousSuccessiveHalving(space, "error", searcher=made, max_t=table.epochs,
                                                       reduction_factor=ETA, random_seed=seed)

    def values(self, config):
        values = []
        for p in self.table.parameters:
            is_active = "when" not in p or values[p["when"][0]] == p["when"][1]
            values.append(float(config[p["name"]]) if is_active else math.nan)
        return values

    def start(self):
        from syne_tune.backend.trial_status import Trial
        config = self.scheduler.suggest().config
        row = next(self.order, None) if self.is_random else self.table.take_nearest(self.values(config))
        if row is None:
            return None
        job = Job(self.count, row)
        job.trial = Trial(self.count, config, datetime.datetime(2000, 1, 1))
        self.count += 1
        self.scheduler.on_trial_add(job.trial)
        return job

    def report(self, job, error):
        result = {"error": error, "training_iteration": job.epoch}
        if job.epoch == self.table.epochs:
            self.scheduler.on_trial_complete(job.trial, result)
            return "stop"
        return "continue" if self.scheduler.on_trial_result(job.trial, result) == "CONTINUE" else "stop"


TOOLS = {
    "optuna.asha.random": lambda *a: Optuna(*a, "random", "asha"),
    "optuna.asha.tpe": lambda *a: Optuna(*a, "tpe", "asha"),
    "optuna.hyperband.tpe": lambda *a: Optuna(*a, "tpe", "hyperband"),
    "ray.asha.random": RayAsha,
    "ray.hyperband.random": RayHyperBand,
    "syne.asha.random": lambda *a: SyneTune(*a, "random"),
    "syne.bohb": lambda *a: SyneTune(*a, "kde"),
}


def epochs_to(table, tool, workers, wanted):
    """Epochs of all workers together when the first of them measured `wanted`."""
    events, done, order = [], 0, 0
    idle, now = workers, 0
    while True:
        while idle > 0:
            job = tool.start()
            if job is None:
                break
            heapq.heappush(events, (now + 1, order, job))
            order, idle = order + 1, idle - 1
        if not events or done >= MOST_EPOCHS:
            return MOST_EPOCHS
        now, _, job = heapq.heappop(events)
        done += 1
        job.epoch += 1
        error = table.errors[job.row][job.epoch - 1]
        if error <= wanted:
            return done + sum(time == now for time, _, _ in events)
        if tool.report(job, error) == "continue":
            heapq.heappush(events, (now + 1, order, job))
            order += 1
        else:
            idle += 1


def main():
    table = Table(sys.argv[1])
    make, workers, wanted = TOOLS[sys.argv[2]], int(sys.argv[3]), float(sys.argv[4])
    for seed in range(int(sys.argv[5])):
        np.random.seed(seed)
        table.taken[:] = False
        order = np.random.default_rng(seed).permutation(len(table.errors))
        print(epochs_to(table, make(table, seed, [int(row) for row in order]), workers, wanted), flush=True)


if __name__ == "__main__":
    main()
