# SPDX-License-Identifier: Apache-2.0
"""The built-in trainer against the same loop in Python PyTorch (same wheel, one thread), and 32 short trials end to end
against Optuna + PyTorch in two processes that share a journal file."""
import math
import shutil
import subprocess
import tempfile
from pathlib import Path

from benchlib import BIN, DLRUN, PEERS, ROOT, Row, environment, median_pair, say, single_thread_env, timed

DIGITS = ROOT / "examples" / "digits" / "data" / "digits.csv.gz"
TRIALS, EPOCHS, WIDTH = 32, 6, 128

STUDY = """\
study: digits-bench
seed: 7
objective: {{metric: val.accuracy, direction: maximize}}
space:
  lr:       {{at: optimizer.lr, type: float, low: 1e-3, high: 1e-1, scale: log}}
  momentum: {{at: optimizer.momentum, type: float, low: 0.0, high: 0.95}}
search: {{sampler: random, lanes: 8}}
limits: {{trials: {trials}}}
trial:
  kind: train
  data: {{op: csv, path: {digits}, header: false, target: -1, split: {{train: 0.7, val: 0.15, test: 0.15}}}}
  model:
    nodes:
      - {{name: fc1, op: linear, out: {width}}}
      - {{name: act1, op: relu}}
      - {{name: head, op: linear, out: classes, role: head}}
  loss: cross_entropy
  optimizer: {{op: sgd, lr: 0.05, momentum: 0.9}}
  epochs: {epochs}
  batch_size: 32
"""


NETS = Path(__file__).resolve().parent / "training"
DATA = ROOT / "build" / "bench" / "data"


def microseconds(command):
    """The last word a step benchmark prints."""
    return float(timed(command, env=single_thread_env()).output.split()[-1])


def step_row(python, net, steps, target, pairs, loader=()):
    ours, theirs = median_pair(
        lambda: microseconds([BIN / "bench_trainer", NETS / f"{net}.yaml", DATA, str(steps)]),
        lambda: microseconds([python, PEERS / "torch_train.py", net, str(steps), *loader]), pairs)
    ratio = theirs / ours
    peer = "PyTorch 2.11.0, DataLoader" if loader else "PyTorch 2.11.0, rows by index"
    return Row(f"training.{net} step", ours, "us", peer, theirs, ratio, f">= {target}x", ratio >= target)


def make_data(python):
    if not DATA.exists():
        subprocess.run([str(python), str(PEERS / "make_data.py"), str(DATA)], check=True)
        shutil.copy(DIGITS, DATA)


def tune(folder):
    spec = Path(folder) / "digits.yaml"
    spec.write_text(STUDY.format(trials=TRIALS, epochs=EPOCHS, width=WIDTH, digits=DIGITS))
    shutil.rmtree(Path(folder) / "store", ignore_errors=True)
    return timed([DLRUN, "tune", spec, "--workers", "2", "--store", Path(folder) / "store", "--quiet"]).seconds


def optuna_pair(python, folder):
    """Two processes on one journal; wall time until the later one ends."""
    journal = Path(folder) / "optuna.log"
    journal.unlink(missing_ok=True)
    one = f"{python} {PEERS / 'optuna_torch.py'} {journal} {DIGITS} {TRIALS} {EPOCHS} {WIDTH}"
    return timed(["bash", "-c", f"{one} & {one}; wait"], env=single_thread_env()).seconds


def end_to_end_row(python, folder, pairs):
    ours, theirs = median_pair(lambda: tune(folder), lambda: optuna_pair(python, folder), pairs)
    ratio = theirs / ours
    return Row(f"training.{TRIALS} trials end to end", ours, "s", "Optuna 5.0.0 + PyTorch, two processes", theirs, ratio,
               ">= 2x", ratio >= 2)


STEPS = {"digits": (4000, 2.0), "lenet": (400, 1.25), "resnet": (20, 0.97), "lstm": (150, 0.97), "tabular": (300, 0.97)}


def mean_row(rows):
    mean = math.exp(sum(math.log(row.ratio) for row in rows) / len(rows))
    return Row("training.geometric mean of the steps", None, "", "PyTorch 2.11.0", None, mean, ">= 1.1x", mean >= 1.1)


def rows(full):
    pairs = 7 if full else 3
    python = environment("training")
    if not (BIN / "bench_trainer").exists():
        subprocess.run(["cmake", "--build", "--preset", "release", "--target", "bench_trainer", "-j2"], cwd=ROOT, check=True)
    make_data(python)
    say("steps per second")
    result = [step_row(python, net, steps, target, pairs) for net, (steps, target) in STEPS.items()]
    result.append(mean_row(result))
    if full:
        result += [step_row(python, net, *STEPS[net], pairs, ("loader",)) for net in ("digits", "lenet")]
    with tempfile.TemporaryDirectory(prefix="dlrun-bench-") as folder:
        return result + [end_to_end_row(python, folder, pairs)]
