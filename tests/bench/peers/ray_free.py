# SPDX-License-Identifier: Apache-2.0
"""Milliseconds a trial of Ray Tune's random search with a free objective on two cores: ray_free.py N FOLDER."""
import os
import sys
import time

os.environ.setdefault("RAY_AIR_NEW_OUTPUT", "0")
os.environ.setdefault("TUNE_DISABLE_AUTO_CALLBACK_LOGGERS", "1")
import ray  # noqa: E402
from ray import tune  # noqa: E402


def objective(config):
    tune.report({"value": sum(value**2 for value in config.values())})


count, folder = int(sys.argv[1]), sys.argv[2]
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
space = {f"x{i}": tune.uniform(-1.0, 1.0) for i in range(6)}
tuner = tune.Tuner(
    objective,
    param_space=space,
    tune_config=tune.TuneConfig(num_samples=count, metric="value", mode="min"),
    run_config=tune.RunConfig(storage_path=os.path.join(folder, "ray"), verbose=0),
)
start = time.perf_counter()
tuner.fit()
print((time.perf_counter() - start) / count * 1e3)
