# SPDX-License-Identifier: Apache-2.0
"""What went wrong stands in the lineage: cause, last words, attempts; the study goes on, and damaged checkpoints are
trained again."""
import json
import os
import unittest

from support import HAS_TRAINER, TRAIN_STUDY, Folder

IS_LONG = os.environ.get("DLRUN_FAULTS") == "long"

FAULTY = """\
study: faulty
seed: 3
objective: {metric: value, direction: minimize}
space:
  x: {type: float, low: -1.0, high: 1.0}
  fault: {at: function.fault, type: categorical, choices: [none, FAULT]}
search: {sampler: random, lanes: 4}
limits: {trials: 10LIMITS}
trial: {kind: function, function: {op: sphere, fault: none, sleep: 0.01}}
RETRY
"""

PROGRAM = """\
study: program
seed: 3
objective: {metric: loss, direction: minimize}
space:
  x: {type: float, low: -1.0, high: 1.0}
limits: {trials: 2}
retry: {worker_lost: 2}
trial:
  kind: command
  shell: true
  command: ["echo epoch one is over; until grep -qs over $DLRUN_DIR/attempt.log; do sleep 0.02; done; kill -9 $PPID"]
"""

FICKLE = """\
echo '{"metric":"loss","step":1,"value":'$DLRUN_ATTEMPT'}' >&3
echo '{"metric":"loss","step":2,"value":0}' >&3
if [ $DLRUN_ATTEMPT = 1 ]; then kill -9 $$; fi
"""


class Asking(Folder):
    def rows(self, sql):
        """Rows, each a tuple."""
        done = self.run_dlrun("report", "--store", "store", "--format", "json", "--sql", sql)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [tuple(row.values()) for row in json.loads(done.stdout)["rows"]]


class Lineage(Asking):
    def run_faulty(self, fault, limits="", retry=""):
        text = FAULTY.replace("FAULT", fault).replace("LIMITS", limits).replace("RETRY", retry)
        return self.tune(self.write(text), self.folder / "store", workers=2)

    def ends(self, fault):
        return set(self.rows("select t.state, t.cause, t.attempts from trials t join params p on p.trial = t.trial "
                            f"where p.name = 'fault' and p.value = '{fault}'"))

    def test_retries_are_as_many_as_allowed(self):
        for retry, attempts in ((0, 1), (1, 2), (3, 4)):
            with self.subTest(retry=retry):
                self.setUp()
                done = self.run_faulty("kill", retry=f"retry: {{worker_lost: {retry}}}")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.ends("kill"), {("failed", "worker_lost", attempts)})

    def test_failures_above_the_limit_end_with_1(self):
        self.assertEqual(self.run_faulty("crash", ", failures: 0").returncode, 1)
        self.assertEqual(self.ends("crash"), {("failed", "signal", 2)})
        again = self.tune(self.folder / "study.yaml", self.folder / "store")
        self.assertEqual(again.returncode, 1, "the same command says the same")

    def test_a_piece_has_its_time(self):
        done = self.run_faulty("hang", ", trial_wall: 1s, hang: 3s")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.ends("hang"), {("failed", "timeout", 1)})

    @unittest.skipUnless(IS_LONG, "takes the 30 s after which a silent worker is lost")
    def test_silence_is_a_loss_and_no_hang(self):
        """Without a second worker at what is late, which would end well."""
        done = self.run_faulty("freeze", ", hang: 10s", "retry: {worker_lost: 0}\nresources: {speculate: false}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.ends("freeze"), {("failed", "worker_lost", 1)})

    def test_last_words_of_a_program_survive_its_worker(self):
        done = self.tune(self.write(PROGRAM), self.folder / "store")
        self.assertEqual(done.returncode, 1, done.stderr)
        rows = self.rows("select cause, log_tail from attempts")
        self.assertEqual(len(rows), 6)
        for cause, tail in rows:
            self.assertEqual(cause, "worker_lost")
            self.assertIn("epoch one is over", tail)

    def test_a_value_that_differs_from_an_earlier_one_is_told(self):
        script = self.write(FICKLE, "fickle.sh")
        study = PROGRAM.replace("shell: true", "shell: false").replace("worker_lost: 2", "signal: 1")
        study = study[:study.index("  command:")] + f"  command: [sh, {script}]\n"
        done = self.tune(self.write(study), self.folder / "store")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("loss at step 1 is 2, but an earlier attempt measured 1", done.stderr)
        self.assertEqual({row[0] for row in self.rows("select distinct trial from divergences")}, {0, 1})


@unittest.skipUnless(HAS_TRAINER, "the trainer library is not built")
class DamagedCheckpoint(Asking):
    """Halving pauses every trial at its first rung; what is damaged then is needed by the promoted ones."""

    def damage(self, change):
        study = self.write(TRAIN_STUDY)
        driver = self.start("tune", study, "--workers", 1, "--store", "store")
        artifacts = self.folder / "store" / "artifacts"
        self.await_("artifacts", lambda: len(list(artifacts.glob("*/*.safetensors"))) >= 4, while_runs=driver)
        self.kill(driver)
        for file in artifacts.glob("*/*.safetensors"):
            change(file)
        done = self.tune(study, "store")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("is damaged (artifact ", done.stderr, "nobody needed what was damaged")
        self.assertEqual(self.rows("select trial from trials where state = 'failed'"), [])
        self.assertTrue(self.rows("select trial from repairs"))
        self.assertEqual(self.run_dlrun("verify", "--store", "store").returncode, 0)

    def test_a_flipped_bit_is_found(self):
        def flip(file):
            data = bytearray(file.read_bytes())
            data[len(data) // 2] ^= 4
            file.write_bytes(data)
        self.damage(flip)

    def test_a_cut_file_is_found(self):
        self.damage(lambda file: os.truncate(file, file.stat().st_size // 2))

    def test_an_empty_file_is_found(self):
        self.damage(lambda file: os.truncate(file, 0))


if __name__ == "__main__":
    unittest.main()
