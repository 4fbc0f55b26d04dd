# SPDX-License-Identifier: Apache-2.0
"""Real small ablation studies of data whose contributions are known: what they say beside what is true.

Each study has data of its own: two columns that decide the label, one of them weakly, a third that stands there twice (so
that neither copy is needed, and both are), two columns of noise, and one that is the same in every row. The network has a branch
whose value is always 0. Dropping that column or that branch changes the graph, the column also the first weights of the others;
neither can matter.
"""
import json
import math
import random
import tempfile
from collections import Counter
from pathlib import Path

from benchlib import DLRUN, timed

HELPS = ("strong", "weak", "pair")                 # true: the network is worse without
NOT_NEEDED = ("copy1", "copy2", "noise1", "noise2")  # true: it is no worse
PLACEBO = ("constant", "dead")                     # true: it is the same
TRAIN, VAL = 250, 500  # draws, each four rows

STUDY = """study: truth
seed: {seed}
objective: {{metric: val.accuracy, direction: maximize, at: last}}
space: {{rate: {{at: optimizer.lr, type: constant, value: 0.01}}}}
trial:
  data: {{op: csv, path: train.csv, val: val.csv, test: val.csv, target: y, standardise: true}}
  model:
    nodes:
      - {{name: fc1, op: linear, out: 16}}
      - {{name: norm1, op: batchnorm}}
      - {{name: act1, op: relu}}
      - name: extra
        op: residual
        shortcut: identity
        body:
          - {{name: fc2, op: linear, out: 16}}
          - {{name: none, op: hardshrink, lambd: 1.0e+6}}
      - {{name: head, op: linear, out: classes, role: head}}
  optimizer: {{op: adam, lr: 0.01, weight_decay: 0.001}}
  schedule: {{op: cosine}}
  epochs: 15
  batch_size: 50
ablation:
  components:
    - {{id: strong, drop_feature: strong}}
    - {{id: weak, drop_feature: weak}}
    - {{id: copy1, drop_feature: copy1}}
    - {{id: copy2, drop_feature: copy2}}
    - {{id: pair, drop_feature: [copy1, copy2], as: group}}
    - {{id: noise1, drop_feature: noise1}}
    - {{id: noise2, drop_feature: noise2}}
    - {{id: constant, drop_feature: constant}}
    - {{id: dead, drop_branch: extra.body}}
  replicates: {{n: 10}}
  analysis: {{rope: 0.01}}
"""


def rows(chance, count):
    """A label is drawn by the logit 2 strong + weak + 1.5 copy; each comes with the noise of all four signs, so that in this
    data too noise says nothing of it."""
    lines = ["strong,weak,copy1,copy2,noise1,noise2,constant,y"]
    for _ in range(count):
        strong, weak, copy, noise1, noise2 = (chance.gauss(0, 1) for _ in range(5))
        is_one = chance.random() < 1 / (1 + math.exp(-(2 * strong + weak + 1.5 * copy)))
        for one in (-noise1, noise1):
            lines += [f"{strong:.4f},{weak:.4f},{copy:.4f},{copy:.4f},{one:.4f},{other:.4f},1,{'no yes'.split()[is_one]}"
                      for other in (-noise2, noise2)]
    return "\n".join(lines) + "\n"


def verdicts(seed):
    """{component: verdict} of one study."""
    with tempfile.TemporaryDirectory(prefix="dlrun-truth-") as folder:
        place, chance = Path(folder), random.Random(seed)
        (place / "train.csv").write_text(rows(chance, TRAIN))
        (place / "val.csv").write_text(rows(chance, VAL))
        (place / "study.yaml").write_text(STUDY.format(seed=seed))
        timed([DLRUN, "ablate", place / "study.yaml", "--workers", 2, "--store", place / "store", "--quiet"])
        said = timed([DLRUN, "report", "--section", "ablation", "--format", "json", "--store", place / "store"]).output
    table = next(t for t in json.loads(said)["tables"] if t["title"] == "contributions")
    return {row["component"]: row["verdict"].split()[0].rstrip(":") for row in table["rows"]}


class Counts:
    """Verdicts over studies, by component."""

    def __init__(self, studies):
        self.studies = studies
        self.of = {component: Counter() for component in HELPS + NOT_NEEDED + PLACEBO}
        for seed in range(1, studies + 1):
            for component, verdict in verdicts(seed).items():
                self.of[component][verdict] += 1

    def share(self, components, *words):
        """Of the verdicts on these components, how many are one of the words, in per cent."""
        said = sum(self.of[component][word] for component in components for word in words)
        return 100 * said / (self.studies * len(components))
