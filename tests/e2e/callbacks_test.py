# SPDX-License-Identifier: Apache-2.0
"""Callbacks of the package in a study: scikit-learn's, with an estimator that needs no scikit-learn."""
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from support import ROOT, Folder  # noqa: E402

# Newton's way from x to the square root of 2, a step for each call of partial_fit.
SCRIPT = """\
from dlrun import callbacks

class Root:
    def __init__(self, value):
        self.value = value

    def partial_fit(self, x, y):
        self.value = (self.value + 2 / self.value) / 2

def objective(trial):
    callbacks.partial_fit(trial, Root(trial.params["x"]), None, None, lambda root: {"loss": abs(root.value ** 2 - 2)}, save_every=1)

if __name__ == "__main__":
    import dlrun
    objective(dlrun.trial(x=4.0, steps=3))
"""

STUDY = """\
study: callbacks
objective: {{metric: loss, direction: minimize}}
space: {{x: {{type: float, low: 0.01, high: 100, scale: log}}}}
search: {{sampler: random, lanes: 2, pruner: {{op: asha, eta: 2}}}}
limits: {{trials: 6}}
resources: {{parked: {parked}}}
trial: {{{kind}, epochs: 4}}
"""
FUNCTION = 'kind: python, function: "train.py:objective"'
PROGRAM = f"kind: command, command: [python3, train.py], env: {{PYTHONPATH: {ROOT / 'python'}}}"


class Callbacks(Folder):
    def values(self, kind, parked):
        """[[trial, step, loss], …] of a study."""
        (self.folder / "train.py").write_text(SCRIPT)
        store = self.folder / f"{kind[:12]}{parked}".replace(": ", "-")
        done = self.tune(self.write(STUDY.format(kind=kind, parked=parked)), store)
        self.assertEqual(done.returncode, 0, done.stderr)
        statement = "select trial, step, value from metrics order by 1, 2"
        done = self.run_dlrun("report", "--sql", statement, "--format", "json", "--store", store)
        return [list(row.values()) for row in json.loads(done.stdout)["rows"]]

    def test_functions_programs_and_trials_that_resume_measure_the_same(self):
        waits = self.values(FUNCTION, 6)
        self.assertEqual({step for _, step, _ in waits}, {1, 2, 3, 4})
        self.assertEqual(self.values(FUNCTION, 0), waits)
        self.assertEqual(self.values(PROGRAM, 6), waits)


if __name__ == "__main__":
    unittest.main()
