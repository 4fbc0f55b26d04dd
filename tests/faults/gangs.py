# SPDX-License-Identifier: Apache-2.0
"""A study whose trials train with several ranks, and the processes of these ranks."""
from pathlib import Path

from support import RUNTIME, processes_with

STUDY = """\
study: gang
seed: 5
objective: {{metric: val.accuracy, direction: maximize}}
space: {{lr: {{at: optimizer.lr, choices: [{lr}]}}}}
search: {{sampler: grid, lanes: 8}}
limits: {{hang: {hang}s}}
trial:
  data: {{op: csv, path: DIGITS, header: false, target: -1, split: {{train: 0.7, val: 0.15, test: 0.15}}}}
  model:
    nodes:
      - {{name: fc1, op: linear, out: 16}}
      - {{name: act1, op: relu}}
      - {{name: head, op: linear, out: classes, role: head}}
  optimizer: {{op: sgd, lr: 0.02, momentum: 0.9}}
  epochs: 6
  batch_size: 32
  parallel: {{op: {op}, ranks: 3{more}}}
  cluster: processes
"""


def study(op="ar_sgd", lr=0.02, hang=60, more=""):
    return STUDY.format(op=op, lr=lr, hang=hang, more=more)


def ranks():
    """Processes of gangs, by their numbers; -1 for the one that Slurm started on a host, which starts the others there."""
    found = {}
    for pid in processes_with("RUN_OF_TESTS", RUNTIME.name):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[1:2] == [b"--gang"]:
            found[int(words[2] or -1)] = pid
    return found
