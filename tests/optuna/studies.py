# SPDX-License-Identifier: Apache-2.0
"""Studies that the tests make with dlrun and read with Optuna."""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from support import Folder  # noqa: E402

ASKED = """\
study: asked
seed: 7
objective: {metric: loss, direction: minimize}
feasible: {metric: cost, max: 8}
space:
  lr: {type: float, low: 1e-4, high: 0.1, scale: log}
  drop: {type: float, low: 0, high: 0.5, step: 0.1}
  width: {type: int, low: 32, high: 224, step: 32}
  depth: {type: int, low: 1, high: 64, scale: log}
  opt: {type: categorical, choices: [sgd, true, 3, 0.1]}
  momentum: {type: float, low: 0, high: 0.99, when: {opt: sgd}}
  size: {type: ordinal, choices: [small, medium, large]}
  fixed: {type: constant, value: 5}
search: {lanes: 2}
trial: {kind: asked, epochs: 2}
"""
FUNCTION = """\
study: {name}
seed: 3
objective: {objective}
space: {{x: {{type: float, low: 0, high: 1}}, y: {{type: float, low: 0, high: 1}}}}
search: {{lanes: 4, sampler: {sampler}{search}}}
limits: {{trials: {trials}}}
trial: {{kind: function, function: {function}, epochs: {epochs}}}
"""
ASHA = ", pruner: {op: asha, eta: 3}"
ONE, TWO = "{metric: value}", "[{metric: value1}, {metric: value2, direction: maximize}]"


class Studies(Folder):
    """A folder with a store."""

    def dlrun(self, *words):
        done = self.run_dlrun(*words, "--store", self.folder / "store")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def url(self, study):
        return f"sqlite:///{self.folder}/store/studies/{study}.db"

    def ask(self, study="asked"):
        """Number and parameters of the next trial."""
        asked = json.loads(self.dlrun("ask", study, "--format", "json", "-q").stdout)
        return asked["trial"], asked["params"]

    def create_asked(self):
        return self.ask(self.write(ASKED))

    def tune(self, name, trials=12, epochs=9, objective=ONE, function="{op: sphere, curve: 0.2}", search=ASHA,
             sampler="random"):
        text = FUNCTION.format(name=name, trials=trials, epochs=epochs, objective=objective, function=function, search=search,
                               sampler=sampler)
        self.dlrun("tune", self.write(text), "-q", "-w", 1)
