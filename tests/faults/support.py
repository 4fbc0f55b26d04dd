# SPDX-License-Identifier: Apache-2.0
"""Running dlrun as a user does, in a folder of its own, and hurting it."""
import hashlib
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

BIN = Path(os.environ.get("DLRUN_BIN", "build/release/bin")).resolve()
ROOT = Path(__file__).resolve().parents[2]
DIGITS = ROOT / "examples" / "digits" / "data" / "digits.csv.gz"
HAS_TRAINER = (BIN / "libdlrun_trainer.so").exists()
RUNTIME = tempfile.TemporaryDirectory(prefix="dlrun-run-")  # sockets of drivers that are killed go with it
os.environ["XDG_RUNTIME_DIR"] = RUNTIME.name
DEADLINE = 120  # seconds any command of these tests may take: a hang is a failure

FUNCTION_STUDY = """\
study: sphere
seed: 7
objective: {metric: value, direction: minimize}
space:
  x: {type: float, low: -1.0, high: 1.0}
  y: {type: float, low: -1.0, high: 1.0}
search: {sampler: random, lanes: 8, pruner: {op: asha, eta: 3, min_budget: 1, max_budget: 9}}
limits: {trials: 60}
trial: {kind: function, function: {op: sphere, sleep: 0.01}, epochs: 9}
"""

TRAIN_STUDY = """\
study: digits
seed: 7
objective: {metric: val.accuracy, direction: maximize, at: best}
space:
  lr:    {at: optimizer.lr, type: float, low: 1e-3, high: 1e-1, scale: log}
  width: {at: model.nodes.fc1.out, type: int, low: 32, high: 128, step: 32}
search: {sampler: random, lanes: 8, pruner: {op: asha, eta: 3, min_budget: 1, max_budget: 9}}
limits: {trials: 16}
trial:
  kind: train
  data: {op: csv, path: DIGITS, header: false, target: -1, split: {train: 0.7, val: 0.15, test: 0.15}}
  model:
    nodes:
      - {name: fc1, op: linear, out: 64}
      - {name: act1, op: relu}
      - {name: drop1, op: dropout, p: 0.1}
      - {name: head, op: linear, out: classes, role: head}
  loss: cross_entropy
  optimizer: {op: sgd, lr: 0.05, momentum: 0.9}
  schedule: {op: cosine}
  epochs: 9
  batch_size: 32
"""


class Folder(unittest.TestCase):
    """A temporary folder with a study in it, gone after the test, with every process started in it."""

    def setUp(self):
        self.holder = tempfile.TemporaryDirectory(prefix="dlrun-faults-")
        self.addCleanup(self.holder.cleanup)
        self.folder = Path(self.holder.name)
        self.started = []
        self.addCleanup(self.kill_all)

    def kill_all(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
                process.wait()

    def write(self, text, name="study.yaml"):
        path = self.folder / name
        path.write_text(text.replace("DIGITS", str(DIGITS)))
        return path

    def start(self, *arguments, **options):
        process = subprocess.Popen([str(BIN / "dlrun"), *map(str, arguments)], cwd=self.folder, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.started.append(process)
        return process

    def run_dlrun(self, *arguments, **options):
        process = self.start(*arguments, **options)
        out, err = process.communicate(timeout=DEADLINE)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def tune(self, study, store, workers=2):
        return self.run_dlrun("tune", study, "--workers", workers, "--store", store)

    def logical(self, store):
        """The canonical export, whole."""
        done = self.run_dlrun("export", "--logical", "--store", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(len(done.stdout), 1000)
        return done.stdout

    def digest(self, store):
        return hashlib.sha256(self.logical(store).encode()).hexdigest()


def children(pid):
    """Workers of a driver, by the kernel's own list and their names: a sanitizer that looks for leaks when the driver
    ends is its child too, and killing that one leaves the driver stopped for good."""
    out = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            name, fields = (entry / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
        except OSError:
            continue
        state, parent = fields.split()[:2]
        if int(parent) == pid and state != "Z" and name.startswith("dlrun-worker"):
            out.append(int(entry.name))
    return out


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def kill(pid, number=signal.SIGKILL):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def wait_for(condition, seconds=30):
    """Polls for a state of the outside world; the deadline is for failing, never for passing."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False
