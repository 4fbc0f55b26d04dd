# SPDX-License-Identifier: Apache-2.0
"""Running dlrun as a user does, in a folder of its own, and hurting it."""
import atexit
import hashlib
import os
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest
from contextlib import closing
from pathlib import Path

BIN = Path(os.environ.get("DLRUN_BIN", "build/release/bin")).resolve()
ROOT = Path(__file__).resolve().parents[2]
DIGITS = ROOT / "examples" / "digits" / "data" / "digits.csv.gz"
HAS_TRAINER = (BIN / "libdlrun_trainer.so").exists()
RUNTIME = tempfile.TemporaryDirectory(prefix="dlrun-run-")  # sockets of drivers that are killed go with it
atexit.register(RUNTIME.cleanup)
os.environ["XDG_RUNTIME_DIR"] = RUNTIME.name
os.environ["RUN_OF_TESTS"] = RUNTIME.name  # a mark of all that a test starts
DEADLINE = 300  # seconds after which a test gives up whatever it awaits: a hang is a failure, and nothing passes by it

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

# Command trials: a piece of trial N does not end before the gate (see Folder.hold_from) lets N through.
GATED_STUDY = """\
study: sphere
seed: 7
objective: {metric: value, direction: minimize}
space:
  x: {type: float, low: -1.0, high: 1.0}
search: {sampler: random, lanes: 8, pruner: {op: asha, eta: 3, min_budget: 1, max_budget: 9}}
limits: {trials: 30}
trial: {kind: command, command: [sh, FOLDER/gated.sh, "{x}"], epochs: 9}
"""
GATED_PROGRAM = """\
is_held() { [ -e FOLDER/gate ] && [ $DLRUN_TRIAL -ge $(cat FOLDER/gate) ]; }
step=$DLRUN_FROM_STEP
while [ $step -lt $DLRUN_TO_STEP ]; do
  while is_held; do sleep 0.05; done
  [ -e FOLDER/gated.sh ] || exit 1  # the test is over
  step=$((step + 1))
  echo '{"metric": "value", "step": '$step', "value": '$1'}'
done >&3
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
        """Also those whose parents are gone: workers of drivers that were killed, programs of workers."""
        for process in self.started:
            process.kill()
            process.wait()
            for pipe in (process.stdout, process.stderr):
                if pipe:
                    pipe.close()
        self.await_("the end of all that the test started", self.kill_orphans)

    def kill_orphans(self):
        left = processes_with("RUN_OF_TESTS", RUNTIME.name)
        for pid in left:
            kill(pid)
        return not left

    def write(self, text, name="study.yaml"):
        path = self.folder / name
        path.write_text(text.replace("DIGITS", str(DIGITS)).replace("FOLDER", str(self.folder)))
        return path

    def write_gated(self, text=GATED_STUDY):
        """A study of command trials that can be held."""
        self.write(GATED_PROGRAM, "gated.sh")
        return self.write(text)

    def hold_from(self, trial):
        """No piece of this trial and later ones ends before the gate is moved or opened."""
        self.write(f"{trial}\n", "gate.new").replace(self.folder / "gate")

    def open_gate(self):
        (self.folder / "gate").unlink()

    def start(self, *arguments, **options):
        return self.start_program(BIN / "dlrun", *arguments, cwd=self.folder, **options)

    def start_program(self, *words, **options):
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen([str(word) for word in words], text=True, **{**pipes, **options})
        self.started.append(process)
        return process

    def run_dlrun(self, *arguments, **options):
        return self.finish(self.start(*arguments, **options))

    def finish(self, process):
        """All that it said, once it has ended."""
        try:
            out, err = process.communicate(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            self.give_up(f"the end of {process.args}")
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def end_of(self, process, code=0):
        """Standard error of a process, once it has ended with this code."""
        done = self.finish(process)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def kill(self, process):
        """And its funeral."""
        process.kill()
        self.finish(process)

    def await_(self, what, condition, while_runs=None):
        """Polls for a state of the outside world. @param while_runs  a process without which it cannot come about any more"""
        end = time.monotonic() + DEADLINE
        while not (found := condition()):
            if while_runs and while_runs.poll() is not None and not condition():
                self.give_up(what, f"{while_runs.args} ended with {while_runs.returncode}: {self.finish(while_runs).stderr}")
            if time.monotonic() > end:
                self.give_up(what)
            time.sleep(0.02)
        return found

    def give_up(self, what, why=f"{DEADLINE} s are over"):
        self.fail(f"waited for {what}, but {why}\n{self.present_state()}")

    def present_state(self):
        processes = [f"{process.args}: {'runs' if process.poll() is None else process.returncode}" for process in self.started]
        tables = [f"{path}: {rows_of(path, f'select * from {table}')}" for path in sorted(self.folder.glob("*/studies/*.db"))
                  for table in ("v_attempts", "v_workers")]
        return "\n".join([*processes, *tables])

    def ask(self, statement, store="store"):
        """Rows of the store's first study, read beside a running driver; none while there is no such table."""
        path = next(iter(sorted((self.folder / store / "studies").glob("*.db"))), None)
        return rows_of(path, statement) if path else []

    def count(self, what, store="store"):
        """How many rows there are by now. @param what  what stands behind `from`"""
        return sum(number for (number,) in self.ask(f"select count(*) from {what}", store))

    def tune(self, study, store, workers=2):
        return self.run_dlrun("tune", study, "--workers", workers, "--store", store)

    def tune_with_kills(self, study, store, moments=(3, 8, 12)):
        """Begins the study again and again; after so many pieces a worker and its driver are killed."""
        for moment in moments:
            driver = self.start("tune", study, "--workers", 2, "--store", store)
            self.await_(f"{moment} pieces, or the end", lambda: driver.poll() is not None or
                        self.count("v_attempts where state = 'completed'", store) >= moment)
            for worker in children(driver.pid)[:1]:
                kill(worker)
            self.kill(driver)

    def logical(self, store):
        """The canonical export, whole."""
        done = self.run_dlrun("export", "--logical", "--store", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(len(done.stdout), 1000)
        return done.stdout

    def digest(self, store):
        return hashlib.sha256(self.logical(store).encode()).hexdigest()


def rows_of(database, statement):
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
            return connection.execute(statement).fetchall()
    except sqlite3.Error:
        return []


def files_of_processes(name):
    """/proc/PID/NAME of every process; any of them may end before it is read. (Path.glob looks at each of them itself, and
    raises an error where a process ends just then.)"""
    return [Path("/proc", pid, name) for pid in os.listdir("/proc") if pid.isdigit()]


def processes_with(variable, value):
    """Processes with this variable in their environment, except this one: descendants keep it, whoever their parent is."""
    found, entry = set(), f"{variable}={value}".encode()
    for path in files_of_processes("environ"):
        try:
            if entry in path.read_bytes().split(b"\0"):
                found.add(int(path.parent.name))
        except OSError:
            continue
    return found - {os.getpid()}


def stat_of(pid):
    """Name, state and parent of a process. @throws OSError  if there is none"""
    name, fields = Path(f"/proc/{pid}/stat").read_text().split("(", 1)[1].rsplit(")", 1)
    state, parent = fields.split()[:2]
    return name, state, int(parent)


def children(pid):
    """Workers of a driver, by the kernel's own list and their names: a sanitizer that looks for leaks when the driver
    ends is its child too, and killing that one leaves the driver stopped for good."""
    out = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            name, state, parent = stat_of(entry.name)
        except OSError:
            continue
        if parent == pid and state != "Z" and name.startswith("dlrun-worker"):
            out.append(int(entry.name))
    return out


def state_of(pid):
    """R, S, T and so on; Z also where there is none."""
    try:
        return stat_of(pid)[1]
    except OSError:
        return "Z"


def alive(pid):
    return state_of(pid) != "Z"


def is_stopped(pid):
    return state_of(pid) == "T"


def kill(pid, number=signal.SIGKILL):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass
