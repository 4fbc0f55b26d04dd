# SPDX-License-Identifier: Apache-2.0
"""Seconds of Optuna's own loop, two at a time: optuna_loop.py threads|processes MS TRIALS FOLDER. Without the import."""
import multiprocessing
import os
import sys
import time

import optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)
how, ms, trials, folder = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]


def objective(trial):
    x = trial.suggest_float("x", 0, 1)
    time.sleep(ms / 1e3)
    return (x - 0.3) ** 2


def storage():
    backend = optuna.storages.journal.JournalFileBackend(os.path.join(folder, "optuna.log"))
    return optuna.storages.JournalStorage(backend)


def work():
    most = optuna.study.MaxTrialsCallback(trials, states=None)
    optuna.load_study(study_name="loop", storage=storage()).optimize(objective, n_trials=trials, callbacks=[most])


if __name__ == "__main__":
    start = time.perf_counter()
    if how == "threads":
        optuna.create_study().optimize(objective, n_trials=trials, n_jobs=2)
    else:
        optuna.create_study(study_name="loop", storage=storage())
        workers = [multiprocessing.get_context("fork").Process(target=work) for _ in range(2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    print(time.perf_counter() - start)
