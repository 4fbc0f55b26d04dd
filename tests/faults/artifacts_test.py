# SPDX-License-Identifier: Apache-2.0
"""Checkpoints that go missing or are damaged while a study is under way: pieces that made them are run again and the study
ends as it would have. What the study cannot train again ends it with 4 before anything is decided, and the command that
the message names brings it back."""
import os
import re
import shutil
import unittest

from courier_test import CAN_COVER, Apart
from support import HAS_TRAINER, TRAIN_STUDY, Folder

SHIM = os.environ.get("DLRUN_SHIM", "")
ASHA = TRAIN_STUDY.replace("trials: 16", "trials: 9")
PBT = """\
study: digits
seed: 7
objective: {metric: val.accuracy, direction: maximize}
space: {lr: {at: optimizer.lr, type: float, low: 1e-3, high: 1e-1, scale: log}}
search: {sampler: random, pruner: {op: pbt, population: 4, interval: 1}, lanes: 4}
""" + TRAIN_STUDY[TRAIN_STUDY.index("trial:\n"):].replace("epochs: 9", "epochs: 3")
ABLATION = """\
study: parts
seed: 7
objective: {metric: val.accuracy, direction: maximize}
ablation:
  components: [{id: drop1, drop: {name: drop1}}, {id: act1, drop: {name: act1}}]
  replicates: {n: 2}
  start_from: baseline
search: {lanes: 4}
""" + TRAIN_STUDY[TRAIN_STUDY.index("trial:\n"):].replace("epochs: 9", "epochs: 2")
COMMAND = """\
study: sphere
seed: 7
objective: {metric: value, direction: minimize}
space: {x: {type: float, low: -1.0, high: 1.0}}
search: {sampler: random, lanes: 4, pruner: {op: asha, eta: 3, min_budget: 1, max_budget: 9}}
limits: {trials: 9}
trial: {kind: command, command: [python3, FOLDER/train.py, "{x}"], epochs: 9}
"""
# A program whose values depend on the whole checkpoint of the step before. Trials from the gate's number on are held.
PROGRAM = """\
import hashlib, json, os, sys, time
gate = "FOLDER/gate"
while os.path.exists(gate) and int(os.environ["DLRUN_TRIAL"]) >= int(open(gate).read()):
    time.sleep(0.02)
x, first, last = float(sys.argv[1]), int(os.environ["DLRUN_FROM_STEP"]), int(os.environ["DLRUN_TO_STEP"])
before = open(os.environ["DLRUN_RESUME"]).read() if os.environ["DLRUN_RESUME"] else ""
assert bool(before) == (first > 0)
digest = hashlib.sha256(before.encode()).hexdigest()
with open(3, "w") as out:
    for step in range(first + 1, last + 1):
        value = x * x + int(digest[:4], 16) / 1e6 / step
        state = f"{x} {step} {digest}EXTRA"
        digest = hashlib.sha256(state.encode()).hexdigest()
        with open(os.path.join(os.environ["DLRUN_DIR"], str(step)), "w") as file:
            file.write(state)
        out.write(json.dumps({"checkpoint": str(step), "step": step}) + "\\n")
        out.write(json.dumps({"metric": "value", "step": step, "value": value}) + "\\n")
        out.flush()
"""


class Mending(Folder):
    def artifacts(self, store="store"):
        return sorted(path for path in (self.folder / store / "artifacts").rglob("*") if path.is_file())

    def remove_artifacts(self):
        self.assertTrue(self.artifacts())
        shutil.rmtree(self.folder / "store" / "artifacts")

    def flip(self, file):
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.chmod(0o600)
        file.write_bytes(data)

    def log(self):
        return self.ask("select * from dl_log order by seq")

    def require_mended(self, fault, calm="calm"):
        """The study of the store is whole, as the undisturbed one is. @return what the driver said"""
        said = self.end_of(self.start("resume", "--workers", 2, "--store", "store"))
        self.assertIn(fault, said)
        self.assertRegex(said, r"trial \d+: its checkpoint '(last|best)' of epoch \d+ is (missing|damaged) \(artifact [0-9a-f]{12}\): "
                               r"(epoch|step)s? \d+( to \d+)? (is|are) (trained|run) again")
        self.assertEqual(self.logical("store"), self.logical(calm))
        for store in ("store", calm):  # a worker that was killed may leave files that no result names
            self.end_of(self.start("gc", "--store", store))
        self.assertEqual([path.name for path in self.artifacts()], [path.name for path in self.artifacts(calm)])
        verified = self.run_dlrun("verify", "--store", "store")
        self.assertEqual(verified.returncode, 0, verified.stdout)
        cost = self.run_dlrun("report", "--section", "cost", "--store", "store")
        self.assertIn("trained again", cost.stdout)
        return said


@unittest.skipUnless(HAS_TRAINER and SHIM, "the trainer or the shim is not built")
class Training(Mending):
    """The driver is killed at two thirds of its calls to the disk: by their number, not by the clock."""

    def run_to(self, text):
        """An undisturbed study, and one that was killed in the middle."""
        study = self.write(text)
        verb = "ablate" if "ablation:" in text else "tune"
        count = self.folder / "count"
        watched = {**os.environ, "LD_PRELOAD": SHIM, "FAULT_COUNT": str(count)}
        self.end_of(self.start(verb, study, "--workers", 2, "--store", "calm", env=watched))
        late = str(int(count.read_text()) * 2 // 3)
        done = self.finish(self.start(verb, study, "--workers", 2, "--store", "store",
                                      env={**watched, "FAULT_CRASH_AT": late}))
        self.assertNotEqual(done.returncode, 0)
        self.await_("the end of the killed driver's workers", lambda: self.kill_orphans())

    def test_all_checkpoints_removed(self):
        self.run_to(ASHA)
        self.remove_artifacts()
        self.require_mended("is missing")
        self.artifacts()[0].unlink()  # of a study that is over
        self.require_mended("is missing")

    def test_a_flipped_byte_in_each(self):
        self.run_to(ASHA)
        for file in self.artifacts():
            if not re.search(r"\.tmp\d+$", file.name):  # the draft of a killed writer is no artifact, and may be empty
                self.flip(file)
        self.require_mended("is damaged")

    def test_heirs_and_their_donors(self):
        self.run_to(PBT)
        self.remove_artifacts()
        self.require_mended("is missing")

    def test_variants_that_start_from_the_baseline(self):
        self.run_to(ABLATION)
        self.remove_artifacts()
        self.require_mended("is missing")


class Programs(Mending):
    def run_to(self, extra=""):
        """A study that is held: trials from the fifth on do not end before it is killed."""
        self.write(PROGRAM.replace("EXTRA", extra), "train.py")
        study = self.write(COMMAND)
        self.hold_from(4)
        driver = self.start("tune", study, "--workers", 2, "--store", "store")
        self.await_("two trials that wait, held", lambda: self.count("v_attempts where state = 'completed'") >= 4 and
                    self.count("v_attempts where state = 'running'") >= 2, while_runs=driver)
        self.kill(driver)
        self.kill_orphans()
        self.open_gate()
        return study

    def test_all_checkpoints_removed(self):
        study = self.run_to()
        self.end_of(self.start("tune", study, "--workers", 2, "--store", "calm"))
        self.remove_artifacts()
        self.require_mended("is missing")
        for file in self.artifacts():  # what a writer leaves that is killed is no damage
            file.with_name(file.name + ".tmp1").touch()
        self.assertEqual(self.run_dlrun("verify", "--store", "store").returncode, 0)

    def test_a_program_that_is_not_deterministic(self):
        self.run_to(extra="{time.time_ns()}")
        self.remove_artifacts()
        said = self.end_of(self.start("resume", "--workers", 2, "--store", "store"), 4)
        self.assertIn("the program is not deterministic", said)
        self.assertRegex(said, "help: bring back the file from a copy of the store; `dlrun reproduce [a-z]+/[0-9]+` shows")
        self.assertEqual(self.count("v_trials where state = 'failed'"), 0)


@unittest.skipUnless(CAN_COVER, "no mount namespaces here")
class Elsewhere(Apart):
    SIZE = 1 << 10

    def test_a_worker_that_does_not_see_the_store_makes_them_again(self):
        driver = self.listen()
        worker = self.join(self.carried(), is_covered=True)
        self.await_("checkpoints", lambda: self.count("v_attempts where state = 'completed'") >= 3, while_runs=driver)
        self.kill(driver)
        self.kill(worker)
        self.kill_orphans()
        for i, path in enumerate(self.artifacts()):
            if i % 2 == 0:
                path.unlink()
            else:
                path.chmod(0o600)
                path.write_bytes(path.read_bytes()[:-1] + b"?")
        driver = self.listen(verb="resume")
        self.join(self.carried(), is_covered=True)
        said = self.require_same(driver)
        self.assertIn("run again", said)
        self.require_whole()


@unittest.skipUnless(HAS_TRAINER, "the trainer is not built")
class Foreign(Mending):
    """Weights that another study made, or a file of the user's."""

    def held(self, *words):
        """A study that is decided and that nobody works at, killed."""
        driver = self.start(*words, "--workers", 0, "--listen", "127.0.0.1", "--store", "store")
        self.await_("a decision", lambda: self.rows_of_newest("select count(*) from dl_decision")[0][0] > 0, while_runs=driver)
        self.kill(driver)

    def rows_of_newest(self, statement):
        from support import rows_of
        path = self.folder / "store" / "studies" / f"{self.study}.db"
        return rows_of(path, statement) or [(0,)]

    def refused(self):
        """What `resume` says, which changes nothing."""
        before = self.rows_of_newest("select * from dl_log order by seq")
        said = self.end_of(self.start("resume", self.study, "--workers", 2, "--store", "store"), 4)
        self.assertEqual(self.rows_of_newest("select * from dl_log order by seq"), before)
        return said

    def require_done(self):
        self.end_of(self.start("resume", self.study, "--workers", 2, "--store", "store"))
        self.assertEqual(self.rows_of_newest("select count(*) from v_trials where state = 'failed'"), [(0,)])
        self.assertEqual(self.run_dlrun("verify", self.study, "--store", "store").returncode, 0)

    def test_a_donor_of_another_study(self):
        text = ASHA.replace("trials: 9", "trials: 4").replace("max_budget: 9", "max_budget: 3")
        search = self.write(text.replace("epochs: 9", "epochs: 3"))
        self.end_of(self.start("tune", search, "--workers", 2, "--store", "store"))
        self.study = "digits-final"
        best, = self.ask("select a.sha256 from v_best b join v_artifacts a using (trial) where a.role = 'best' and deleted is null "
                         "order by a.piece desc limit 1")[0]
        file = next(path for path in self.artifacts() if path.name.startswith(best))
        aside = file.rename(self.folder / file.name)
        said = self.end_of(self.start("train", "--from", "digits", "--epochs", 3, "--store", "store"), 4)
        self.assertRegex(said, f"artifact {best[:12]} is missing: it is the checkpoint of trial digits/.*\n.*--restore")
        aside.rename(file)
        self.held("train", "--from", "digits", "--epochs", 3)
        ((donor,),) = self.rows_of_newest("select json_extract(spec, '$.trial.warm_start.donors[0].sha256') from dl_study")
        file = next(path for path in self.artifacts() if path.name.startswith(donor))
        for hurt, fault in ((file.unlink, "is missing"), (lambda: self.flip(file), "is damaged")):
            hurt()
            said = self.refused()
            self.assertIn(f"artifact {donor[:12]} {fault}", said)
            command = re.search(r"`dlrun (reproduce (digits/\d+) --restore --store \S+)`", said)
            self.assertTrue(command, said)
            self.assertIn(f"of trial {command[2]} ", said)
            done = self.run_dlrun(*command[1].split())
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"restored artifact {donor[:12]}", done.stderr)
        self.require_done()

    def test_an_imported_weight(self):
        self.end_of(self.start("tune", self.write(ASHA.replace("trials: 9", "trials: 1")), "--workers", 1, "--store", "first"))
        self.end_of(self.start("export", "--weights", "digits/0", "-o", "start.safetensors", "--store", "first"))
        text = ASHA.replace("trials: 9", "trials: 2").replace("  epochs: 9\n", "  epochs: 9\n  init: start.safetensors\n")
        text = text.replace("type: int, low: 32, high: 128, step: 32", "type: constant, value: 64")
        self.study = "digits"
        width = self.ask("select value from v_params where name = 'width'", "first")[0][0]
        self.held("tune", self.write(text.replace("value: 64", f"value: {width}")))
        weights = self.folder / "start.safetensors"
        aside = weights.rename(self.folder / "aside")
        said = self.refused()
        self.assertIn(f"'{weights}', and that file is missing", said)
        self.assertIn("bring back the file whose SHA-256 is ", said)
        aside.rename(weights)
        self.require_done()


if __name__ == "__main__":
    unittest.main()
