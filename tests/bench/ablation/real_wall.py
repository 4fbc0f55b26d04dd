# SPDX-License-Identifier: Apache-2.0
"""Wall time of a real ablation study on this machine's cores: twenty variants of a small network, two seeds, runs of some six
seconds. The bound is max(total work / workers, longest run), of the seconds that the runs took."""
import csv
import os
import tempfile
from pathlib import Path

from benchlib import DLRUN, ROOT, timed

LEAST = 5  # seconds of a run
STUDY = """study: wall
objective: {{metric: val.accuracy, direction: maximize, at: last}}
space: {{rate: {{at: optimizer.lr, type: constant, value: 0.01}}}}
trial:
  data: {{op: csv, path: {data}, header: false, target: -1, scale: 16, split: {{train: 0.7, val: 0.15, test: 0.15}}}}
  model:
    nodes:
      - {{name: fc1, op: linear, out: 128}}
      - {{name: act1, op: relu}}
      - {{name: head, op: linear, out: classes, role: head}}
  optimizer: {{op: adam, lr: 0.01}}
  epochs: {epochs}
  batch_size: 32
ablation:
  replicates: {{n: 2}}
  components:
{components}
"""


def study(epochs):
    components = "\n".join(f"    - {{id: width{i}, set: {{model.nodes.fc1.out: {128 - 4 * i}}}}}" for i in range(1, 21))
    return STUDY.format(data=ROOT / "examples" / "digits" / "data" / "digits.csv.gz", epochs=epochs, components=components)


def share_of_bound(epochs):
    """(share, seconds of the shortest run)"""
    workers = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="dlrun-wall-") as folder:
        place = Path(folder)
        (place / "study.yaml").write_text(study(epochs))
        store = ("--store", place / "store")
        wall = timed([DLRUN, "ablate", place / "study.yaml", "--workers", workers, *store, "--quiet"]).seconds
        said = timed([DLRUN, "report", *store, "--format", "csv", "--sql", "select seconds from trials"]).output
    seconds = [float(row["seconds"]) for row in csv.DictReader(said.splitlines())]
    return max(sum(seconds) / workers, max(seconds)) / wall, min(seconds)


def real_wall():
    """With as many epochs as runs of LEAST seconds take here."""
    _, shortest = share_of_bound(20)
    return share_of_bound(int(20 * 1.3 * LEAST / shortest))
