# SPDX-License-Identifier: Apache-2.0
"""Optuna's rewrite in Rust: search_rustuna.py SAMPLER TRIALS DIMENSIONS prints the processor milliseconds of a trial
(ask, suggest, tell) in the mean of a whole search in memory, with its defaults."""
import sys
import time

import rustuna


def main():
    sampler, trials, dimensions = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    makers = {"tpe": rustuna.samplers.TPESampler, "random": rustuna.samplers.RandomSampler}
    study = rustuna.create_study(sampler=makers[sampler](seed=1))
    start = time.process_time()
    for _ in range(trials):
        trial = study.ask()
        point = [trial.suggest_float(f"x{i}", 0.0, 1.0) for i in range(dimensions)]
        study.tell(trial.number, sum((x - 0.3) ** 2 for x in point))
    print((time.process_time() - start) * 1000 / trials)


main()
