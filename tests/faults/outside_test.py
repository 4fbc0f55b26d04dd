# SPDX-License-Identifier: Apache-2.0
"""Faults that no setting of a trial asked for: they cost no attempt, are told once, and end the run with 75 when nothing
else can go on. What the study finds does not depend on them."""
import os
import resource
import shutil
import unittest

from memory_test import make_group
from remote_support import RemoteFolder
from support import DIGITS, HAS_TRAINER, TRAIN_STUDY, Folder

SANITIZED = os.environ.get("DLRUN_SANITIZED") == "1"

STUDY = """\
study: sphere
seed: 7
objective: {metric: loss, direction: minimize}
space: {x: {type: float, low: 0, high: 1}}
search: {sampler: random, lanes: 2, pruner: none}
limits: {trials: 5}
retry: {delay: 0.01}
trial: {kind: command, command: [./step, "{x}"], folder: FOLDER}
"""

HEAD = """\
#!/usr/bin/env python3
import json, os, resource, sys, time
trial, attempt = int(os.environ["DLRUN_TRIAL"]), int(os.environ["DLRUN_ATTEMPT"])
reports = os.fdopen(int(os.environ["DLRUN_REPORT_FD"]), "w")
"""

TAIL = """\
print(json.dumps({"metric": "loss", "step": 1, "value": float(sys.argv[1])}), file=reports)
"""

# The worker may write files of a mebibyte, the program larger ones.
LARGE_CHECKPOINT = """\
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
with open(f"{trial}.checkpoint", "wb") as file:
    file.write(os.urandom(2 << 20))
print(json.dumps({"checkpoint": os.path.abspath(f"{trial}.checkpoint"), "step": 1}), file=reports)
"""

# Two of them do not fit, one does. The first two begin together, and whoever has all holds it until the other has been killed.
HUNGRY = """\
def is_alive(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
def pid_of(other):
    while not os.path.exists(f"{other}.pid"):
        time.sleep(0.01)
    return int(open(f"{other}.pid").read())
first = trial < 2 and attempt == 1 and not os.path.exists("calm")
if first:
    with open(f"{trial}.new", "w") as file:
        file.write(str(os.getpid()))
    os.rename(f"{trial}.new", f"{trial}.pid")
    other = pid_of(1 - trial)
kept = bytearray(b"x") * (300 << 20) if trial < 2 else 0
while first and is_alive(other):
    time.sleep(0.01)
"""


class Outside(Folder):
    def setUp(self):
        super().setUp()
        self.study = self.write(STUDY.replace("FOLDER", str(self.folder)))

    def program(self, middle):
        path = self.write(HEAD + middle + TAIL, "step")
        path.chmod(0o700)
        return path

    def require_no_trial_paid(self):
        self.assertEqual(self.ask("select count(*) from v_trials where state = 'failed'"), [(0,)])

    def require_same(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.run_dlrun("verify", "--store", "store").returncode, 0)
        self.assertEqual(self.tune(self.study, self.folder / "calm", workers=1).returncode, 0)
        self.assertEqual(self.digest(self.folder / "store"), self.digest(self.folder / "calm"))
        self.require_no_trial_paid()

    def test_a_worker_that_cannot_write(self):
        self.program(LARGE_CHECKPOINT)
        most = 1 << 20
        done = self.run_dlrun("tune", self.study, "--workers", 2, "--store", "store",
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY)))
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertIn("error: nothing can go on: cannot write", done.stderr)
        self.assertEqual(done.stderr.count("no fault of the trial"), 1, done.stderr)
        self.require_no_trial_paid()
        self.assertEqual(self.ask("select distinct cause from v_attempts where cause not null"), [("machine",)])
        self.write(HEAD + TAIL, "step")  # its result counts, not the bytes of its checkpoint
        self.require_same(self.run_dlrun("resume", "--store", "store"))

    def test_a_program_that_goes_away(self):
        path = self.program('if trial == 2: os.rename("step", "gone")\n')
        done = self.tune(self.study, self.folder / "store", workers=1)
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertIn("nothing can go on: cannot run './step'", done.stderr)
        self.require_no_trial_paid()
        (self.folder / "gone").rename(path)
        self.program("")
        self.require_same(self.run_dlrun("resume", "--store", "store"))

    @unittest.skipIf(SANITIZED, "the sanitizer takes more memory than the group has")
    def test_memory_that_another_took(self):
        group = make_group(self, f"dlrun-outside-{os.getpid()}", {"memory.limit_in_bytes": 500 << 20}, {"memory.max": 500 << 20})
        self.program(HUNGRY)
        done = self.run_dlrun("tune", self.study, "--workers", 2, "--store", "store",
                              preexec_fn=lambda: (group / "cgroup.procs").write_text(str(os.getpid())))
        self.assertIn("it runs again, alone on its host", done.stderr)
        (self.folder / "calm").mkdir()
        self.require_same(done)
        self.assertEqual(self.ask("select count(*) > 0 from v_attempts where cause = 'crowded'"), [(1,)])

    @unittest.skipIf(SANITIZED, "the sanitizer takes more memory than the group has")
    def test_memory_that_nobody_took(self):
        group = make_group(self, f"dlrun-outside-{os.getpid()}", {"memory.limit_in_bytes": 200 << 20}, {"memory.max": 200 << 20})
        self.program("kept = bytearray(b'x') * (300 << 20) if trial == 1 else 0\n")
        done = self.run_dlrun("tune", self.study, "--workers", 1, "--store", "store",
                              preexec_fn=lambda: (group / "cgroup.procs").write_text(str(os.getpid())))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.ask("select trial, cause from v_attempts where cause not null"), [(1, "oom")])


@unittest.skipUnless(HAS_TRAINER, "no trainer library")
class Data(RemoteFolder):
    """Workers read the data when they begin, after the driver has."""
    STUDY = TRAIN_STUDY.replace("study: digits", "study: sphere").replace("trials: 16", "trials: 3") + "retry: {delay: 0.01}\n"

    def test_data_that_goes_away(self):
        data, away = self.folder / "digits.csv.gz", self.folder / "away"
        shutil.copy(DIGITS, data)
        self.study.write_text(self.STUDY.replace("DIGITS", str(data)))
        driver = self.listen()
        data.rename(away)
        worker = self.join()
        err = self.end_of(driver, 75)
        self.assertIn("nothing can go on: the data is not what it was", err)
        self.assertEqual(err.count("no fault of the trial"), 1, err)
        self.require_ended(worker)
        away.rename(data)
        self.require_same(self.start("resume", "--store", "store"))
        self.assertEqual(self.ask("select count(*) from v_trials where state = 'failed'"), [(0,)])


if __name__ == "__main__":
    unittest.main()
