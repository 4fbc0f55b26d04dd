# SPDX-License-Identifier: Apache-2.0
"""Milliseconds a trial of Optuna's random search with a free objective: optuna_free.py sqlite|journal|memory N FOLDER."""
import os
import sys
import time

import optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)


def storage(kind, folder):
    if kind == "sqlite":
        return f"sqlite:///{os.path.join(folder, 'optuna.db')}"
    if kind == "journal":
        backend = optuna.storages.journal.JournalFileBackend(os.path.join(folder, "optuna.log"))
        return optuna.storages.JournalStorage(backend)
    return None


def objective(trial):
    return sum(trial.suggest_float(f"x{i}", -1.0, 1.0) ** 2 for i in range(6))


kind, count, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
study = optuna.create_study(storage=storage(kind, folder), sampler=optuna.samplers.RandomSampler(seed=7))
start = time.perf_counter()
study.optimize(objective, n_trials=count)
print((time.perf_counter() - start) / count * 1e3)
