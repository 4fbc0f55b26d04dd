#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tunes the trainings of libraries.py, of kind `python` and with a pruner, by the real dlrun (DLRUN_BIN).

    tests/python/callbacks/studies.py [LIBRARY…]

Each study runs twice: trials that wait for their verdict keep their processes, and then none may wait, so that each piece
resumes from a checkpoint. All values must be equal. Needs the packages of requirements.txt, in the Python that runs this.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
DLRUN = str(Path(os.environ.get("DLRUN_BIN", "build/release/bin")).resolve() / "dlrun")
METRICS = {"transformers": "eval_loss", "lightning": "val_loss", "pytorch_lightning": "val_loss", "keras": "val_loss",
           "xgboost": "val.logloss", "lightgbm": "val.binary_logloss", "sklearn": "accuracy"}
STUDY = """\
study: {library}
objective: {{metric: {metric}, direction: minimize}}
space: {{x: {{type: float, low: 0, high: 1}}}}
search: {{sampler: random, pruner: {{op: asha, eta: 2, min_budget: 1}}}}
limits: {{trials: 4}}
resources: {{parked: {parked}}}
trial:
  kind: python
  python: {python}
  function: "{here}/libraries.py:train_{library}"
  env: {{KERAS_BACKEND: torch, OMP_NUM_THREADS: 1}}
  epochs: 4
"""


def run(folder, *words):
    done = subprocess.run([DLRUN, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"dlrun {' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def values(library, parked):
    """[[trial, step, metric, value], …] of a study."""
    with tempfile.TemporaryDirectory(prefix="dlrun-callbacks-") as folder:
        study = Path(folder, "study.yaml")
        study.write_text(STUDY.format(library=library, metric=METRICS[library], parked=parked, here=HERE, python=sys.executable))
        run(folder, "tune", "study.yaml", "--quiet")
        statement = "select trial, step, metric, value from metrics order by 1, 2, 3"
        rows = json.loads(run(folder, "report", library, "--sql", statement, "--format", "json"))["rows"]
        return [list(row.values()) for row in rows]


def main():
    failed = False
    for library in sys.argv[1:] or METRICS:
        waited, resumed = values(library, 16), values(library, 0)
        is_right = waited == resumed and max(row[1] for row in waited) == 4
        failed = failed or not is_right
        print(f"{library:<18} {len(waited)} values, {'equal' if is_right else 'NOT equal'} to those of resumed trials", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
