# SPDX-License-Identifier: Apache-2.0
"""The studies that are attacked: small ones of every kind, each with the command that starts it."""
import random
from dataclasses import dataclass
from pathlib import Path

PROGRAM = Path(__file__).with_name("program.py")

# Losses that the attack causes are retried for ever and soon. An injected lack of memory is far below this limit.
PATIENT = """\
retry: {worker_lost: 1000, signal: 1000, delay: 0.01, max_delay: 0.05, quarantine: off}
resources: {memory_mb: 4000}
"""
PLANE = """\
seed: 7
objective: {metric: value, direction: minimize}
space:
  x: {type: float, low: -1.0, high: 1.0}
  y: {type: float, low: -1.0, high: 1.0}
"""
TPE_ASHA = PLANE + """\
search: {sampler: tpe, lanes: 6, pruner: {op: asha, eta: 3, min_budget: 1, max_budget: 9}}
limits: {trials: 24}
trial: {kind: function, function: {op: sphere, sleep: 0.002}, epochs: 9}
"""
GP = PLANE + """\
search: {sampler: gp, lanes: 3, pruner: {op: median, startup_trials: 4}}
limits: {trials: 12}
trial: {kind: function, function: {op: sphere, sleep: 0.002}, epochs: 3}
"""
CMA = PLANE + """\
search: {sampler: cma_es, lanes: 4}
limits: {trials: 24}
trial: {kind: function, function: {op: sphere, noise: 0.1, sleep: 0.002}, epochs: 2, replicates: 2}
"""
PBT = PLANE + """\
search: {sampler: random, pruner: {op: pbt, population: 4, interval: 1}, lanes: 4}
trial: {kind: function, function: {op: sphere, sleep: 0.002}, epochs: 6}
"""
PROGRAMS = """\
seed: 7
objective: {metric: value, direction: minimize}
space: {x: {type: float, low: 0.0, high: 1.0}}
search: {sampler: random, lanes: 4, pruner: {op: hyperband, eta: 3, min_budget: 1}}
limits: {trials: 12}
trial: {kind: command, command: [python3, -S, -E, PROGRAM, "{x}"], epochs: 9}
"""
NETWORK = """\
  data: {op: csv, path: table.csv, target: y, split: {train: 0.6, val: 0.2, test: 0.2}}
  model:
    nodes:
      - {name: fc1, op: linear, out: 8}
      - {name: act1, op: relu}
      - {name: drop1, op: dropout, p: 0.1}
      - {name: head, op: linear, out: classes, role: head}
  batch_size: 16
"""
TRAIN_PBT = """\
seed: 7
objective: {metric: val.loss, direction: minimize}
space: {lr: {at: optimizer.lr, type: float, low: 1e-3, high: 0.5, scale: log}}
search: {sampler: random, pruner: {op: pbt, population: 4, interval: 1}, lanes: 4}
trial:
  optimizer: {op: sgd, lr: 0.05, momentum: 0.9}
  epochs: 4
""" + NETWORK
STAGES = """\
seed: 5
objective: {metric: val.loss, direction: minimize, at: best}
space: {gamma: {at: schedule.gamma, type: float, low: 0.1, high: 0.4, step: 0.1}}
search: {sampler: grid, lanes: 4}
keep: {best: 4}
trial:
  optimizer: {op: sgd, lr: 0.2, momentum: 0.9}
  schedule: {op: multi_step, milestones: [3]}
  epochs: 4
  replicates: 2
""" + NETWORK + """\
final: {epochs: 5, seeds: 2, warm_start: {policy: best}}
"""
ABLATION = """\
seed: 3
objective: {metric: val.loss, direction: minimize, at: last}
trial:
  optimizer: {op: adam, lr: 0.01}
  epochs: 3
""" + NETWORK + """\
ablation:
  components:
    - {id: dropout, drop: {kind: dropout}}
    - {id: sgd, swap: optimizer, to: {op: sgd, lr: 0.05, momentum: 0.9}}
    - {id: c1, drop_feature: c1}
  replicates: {n: 2}
"""


@dataclass(frozen=True)
class Study:
    name: str
    text: str
    weight: int           # how often it is drawn in twenty: by what a run of it costs
    verb: str = "tune"
    has_programs: bool = False
    needs_trainer: bool = False

    @property
    def has_checkpoints(self):
        return self.has_programs or self.needs_trainer


STUDIES = {study.name: study for study in (
    Study("tpe-asha", TPE_ASHA, 4),
    Study("gp", GP, 2),
    Study("cma", CMA, 2),
    Study("pbt", PBT, 3),
    Study("programs", PROGRAMS, 4, has_programs=True),
    Study("train-pbt", TRAIN_PBT, 2, needs_trainer=True),
    Study("stages", STAGES, 1, needs_trainer=True),
    Study("ablation", ABLATION, 2, verb="ablate", needs_trainer=True))}


def write_study(study, folder):
    """The study's file, and beside it the table that trainings read. @return the file's name"""
    text = f"study: {study.name}\n{PATIENT}{study.text}".replace("PROGRAM", str(PROGRAM))
    (folder / "study.yaml").write_text(text)
    if study.needs_trainer:
        chance = random.Random(1)
        rows = ["c1,c2,c3,y"]
        for _ in range(90):
            a, b, c = (round(chance.gauss(0, 1), 3) for _ in range(3))
            rows.append(f"{a},{b},{c},{'yes' if a + b * c > 0 else 'no'}")
        (folder / "table.csv").write_text("\n".join(rows) + "\n")
    return "study.yaml"
