# SPDX-License-Identifier: Apache-2.0
"""One study of each kind that a page can be about, made by dlrun itself in seconds. Names of commands are words of `dlrun`."""
import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = """\
study: hostile
seed: 1
objective: {metric: value, direction: minimize}
space:
  x: {type: float, low: 1e-3, high: 1, scale: log}
  n: {type: int, low: 1, high: 9}
  word: {type: categorical, choices: ["<img src=x onerror=alert(1)>", "</script><b>", "$x$ & \\"y\\"", "\\u202e\\t雪🙂", "LONG"]}
search: {sampler: random, lanes: 2}
limits: {trials: 16}
trial: {kind: command, command: [sh, values.sh, "{x}", "{n}"], epochs: 3}
""".replace("LONG", "x" * 10_000)
VALUES = """\
if [ $2 = 9 ]; then echo '<img src=x onerror=alert(3)> \\033[31m' >&2; exit 3; fi
for step in 1 2 3; do printf '{"metric": "value", "step": %d, "value": %s}\\n' $step $1 >&3; done
"""
FRONT = """\
study: front
seed: 3
objective: [{metric: value1, reference: 140}, {metric: value2, reference: 50}]
feasible: [{metric: c1, max: 25}, {metric: c2, min: 7.7}]
space: {x1: {type: float, low: 0, high: 5}, x2: {type: float, low: 0, high: 3}}
search: {sampler: nsga2, lanes: 2}
limits: {trials: 60}
trial: {kind: function, function: bnh}
"""
BRED = """\
study: bred
seed: 3
objective: {metric: value, direction: minimize}
space: {x1: {type: float, low: -5, high: 10}, x2: {type: float, low: 0, high: 15}}
search: {sampler: random, pruner: {op: pbt, population: 6}, lanes: 4}
trial: {kind: function, function: branin, epochs: 6}
"""
FAILED = """\
study: failed
objective: {metric: value, direction: minimize}
space: {x: {type: float, low: 0, high: 1}}
limits: {trials: 3}
trial: {kind: command, command: [sh, -c, "echo no luck; exit 3"], epochs: 1}
"""
BEGUN = """\
study: begun
objective: {metric: value, direction: minimize}
space: {x: {type: float, low: 0, high: 1}}
limits: {trials: 3}
trial: {kind: asked}
"""
GANG = """\
study: gang
objective: {metric: val.accuracy, direction: maximize}
space: {method: {at: parallel.op, choices: [bsp, asp, ad_psgd, aladdin]}}
search: {sampler: grid}
trial:
  data: {op: csv, path: digits.csv.gz, header: false, target: -1, scale: 16, split: {train: 0.7, val: 0.15, test: 0.15}}
  model: {nodes: [{op: linear, out: 32, name: fc}, {op: relu, name: act}, {op: linear, out: classes, name: head}]}
  optimizer: {op: sgd, lr: 0.05, momentum: 0.9}
  epochs: 3
  parallel: {op: bsp, ranks: 4}
  cluster: {op: virtual, gradient_ms: 10, stragglers: [{rank: 1, factor: 4}]}
"""
PLACED = """\
study: placed
objective: {metric: val.accuracy, direction: maximize}
space: {placer: {at: placement.placer, choices: [round-robin, heft]}}
search: {sampler: grid, lanes: 1}
resources: {devices: 2}
trial:
  data: {op: csv, path: digits.csv.gz, header: false, target: -1, scale: 16, split: {train: 0.7, val: 0.3, test: 0}}
  epochs: 2
  placement: auto
  model:
    nodes:
      - {name: left, op: linear, out: 16}
      - {name: right, op: linear, out: 16, from: input}
      - {name: sum, op: add, from: [left, right]}
      - {name: head, op: linear, out: classes, role: head}
"""
PARTS = """\
ablation:
  components:
    - {id: hidden, drop: {name: act1}}
    - {id: dropout, drop: {name: drop}}
    - {id: gelu, swap: {name: act1}, to: {op: gelu}}
  replicates: {n: 3}
"""


def write(folder):
    texts = {"hostile.yaml": HOSTILE, "values.sh": VALUES, "front.yaml": FRONT, "bred.yaml": BRED, "failed.yaml": FAILED,
             "begun.yaml": BEGUN, "gang.yaml": GANG, "placed.yaml": PLACED, "parts.yaml": PARTS}
    for name, text in texts.items():
        (folder / name).write_text(text)
    shutil.copy(ROOT / "examples/digits/data/digits.csv.gz", folder)
    digits = (ROOT / "examples/digits/study.yaml").read_text().replace("data/digits", "digits")
    (folder / "digits.yaml").write_text(digits + "winner: {candidates: 3, seeds: 3}\n")


COMMANDS = [["tune", f"{name}.yaml"] for name in ("digits", "hostile", "front", "bred", "gang", "placed")] + [
    ["ask", "begun.yaml"],
    ["train", "--from", "digits", "--policy", "race", "--epochs", "6", "--seeds", "2"],
    ["ablate", "digits.yaml", "parts.yaml", "--name", "parts"],
    ["ablate", "digits.yaml", "parts.yaml", "--name", "crossed", "--set", "ablation.design=factorial"],
    ["note", "digits", "<script>alert(2)</script>"],
]
PAGES = {name: [name] for name in ("digits", "digits-winner", "digits-final-race", "digits-final", "hostile", "front", "bred", "gang", "placed",
                                   "failed", "begun", "parts", "crossed")} | {"several": ["digits", "bred", "parts"]}


def dlrun(folder, *arguments, is_expected_to_fail=False):
    program = Path(os.environ.get("DLRUN_BIN") or ROOT / "build/release/bin").resolve() / "dlrun"
    done = subprocess.run([program, *arguments, "-q"], cwd=folder, env={**os.environ, "DLRUN_STORE": str(folder / "store")},
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if is_expected_to_fail == (done.returncode == 0):
        raise SystemExit(f"dlrun {' '.join(arguments)} ended with {done.returncode}\n{done.stderr}")


def pages(folder):
    """Makes the studies, and writes a page of each kind. @return files"""
    write(folder)
    for command in COMMANDS:
        dlrun(folder, *command)
    dlrun(folder, "tune", "failed.yaml", is_expected_to_fail=True)
    for name, studies in PAGES.items():
        dlrun(folder, "report", *studies, "--html", f"{name}.html")
    return [folder / f"{name}.html" for name in PAGES]
