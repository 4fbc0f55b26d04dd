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

# The objective is measured in every tenth step, and the first attempt breaks off after step 26.
RARELY = """
def rarely(trial):
    steps = iter(trial.steps)

    def measure(root):
        step = next(steps)
        if step == 27 and trial.attempt == 1:
            raise RuntimeError("broken off")
        return {"begun": trial.from_step, **({"loss": root.value} if step % 10 == 0 else {})}
    callbacks.partial_fit(trial, Root(trial.params["x"]), None, None, measure, save_every=1)
"""


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

    def test_a_trial_resumes_where_its_objective_was_measured_last(self):
        (self.folder / "train.py").write_text(SCRIPT + RARELY)
        text = STUDY.format(kind=FUNCTION.replace("objective", "rarely"), parked=0)
        for old, new in (("epochs: 4", "epochs: 30"), (", pruner: {op: asha, eta: 2}", ""), ("trials: 6", "trials: 1"),
                         ("resources: {parked: 0}", "retry: {exception: 1}")):
            text = text.replace(old, new)
        done = self.tune(self.write(text), self.folder / "store", 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        begun = self.ask("select step, value from v_metrics where metric = 'begun' and step in (20, 21, 30)")
        self.assertEqual(sorted(begun), [(20, 0.0), (21, 20.0), (30, 20.0)])


if __name__ == "__main__":
    unittest.main()
