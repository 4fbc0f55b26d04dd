# SPDX-License-Identifier: Apache-2.0
"""dlrun reproduce: a trial of each quick example comes out bit by bit as it was; each input that is another one is named,
and data that is not what it was is said before anything runs."""
import json
import os
import shutil
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from support import DIGITS, HAS_TRAINER, ROOT, TRAIN_STUDY, Folder  # noqa: E402

EXAMPLES = ROOT / "examples"
SHORT = ("--set", "limits.trials=2", "--set", "epochs=2", "--set", "search.pruner=none")


# Adds x in each epoch to the number that its checkpoint holds, with which it goes on.
ADDING = """\
import json
def objective(trial):
    n = json.load(open(trial.resume)) if trial.resume else 0.0
    for epoch in trial.steps:
        n += trial.params["x"]
        if epoch % trial.params["every"] == 0:
            file = trial.folder / f"{epoch}.json"
            file.write_text(json.dumps(n))
            trial.checkpoint(file)
        trial.report(epoch, value=n)
"""

ADDING_STUDY = """\
study: NAME
objective: {metric: value, direction: maximize}
space: {x: {type: float, low: 0.0, high: 1.0}, every: {value: EVERY}}
search: {sampler: random, lanes: 2, pruner: PRUNER}
limits: {trials: 3}
resources: {parked: 0}
trial: {kind: python, function: "adding.py:objective", epochs: 4}
"""


class Reproducing(Folder):
    def run_study(self, verb, *words):
        done = self.run_dlrun(verb, *words, "-q")
        self.assertEqual(done.returncode, 0, done.stderr)

    def reproduce(self, trial, *options, code=0):
        """Verdict, differences and inputs."""
        done = self.run_dlrun("reproduce", trial, "--format", "json", *options)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        answer = json.loads(done.stdout)
        tables = {table["title"]: table["rows"] for table in answer.get("tables", [answer])}
        return tables["reproduction"][0]["reproduction"], tables

    def rows(self, study, statement):
        done = self.run_dlrun("report", study, "--sql", statement, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [tuple(row.values()) for row in json.loads(done.stdout)["rows"]]

    def check(self, trial, values, checkpoints):
        text, tables = self.reproduce(trial)
        self.assertEqual(text, f"reproduced: {values} of {values} values and {checkpoints} of {checkpoints} checkpoints are "
                               "bit-equal")
        self.assertEqual(list(tables), ["reproduction"])


class Programs(Reproducing):
    def test_examples_of_functions_and_programs(self):
        self.run_study("tune", EXAMPLES / "function" / "study.yaml", "--name", "function")
        self.assertRegex(self.reproduce("function/0")[0], "^reproduced: ")
        self.run_study("tune", EXAMPLES / "command" / "study.yaml", "--name", "program")
        text, _ = self.reproduce("program/0")
        self.assertRegex(text, r"^reproduced: (\d+) of \1 values and (\d+) of \2 checkpoints are bit-equal$")

    def adding(self, name, every, pruner):
        self.write(ADDING, "adding.py")
        study = ADDING_STUDY.replace("NAME", name).replace("EVERY", every).replace("PRUNER", pruner)
        self.run_study("tune", self.write(study))

    def test_a_program_that_goes_on_with_its_checkpoint(self):
        for every in ("1", "3"):  # after epoch 3 alone: the piece up to 2 leaves none, and the next begins anew
            self.adding("cut" + every, every, "{op: asha, eta: 2, min_budget: 1}")
            self.assertRegex(self.reproduce(f"cut{every}/best")[0], "^reproduced: ")

    def test_an_heir_of_a_program(self):
        self.adding("heirs", "1", "{op: pbt, population: 3, interval: 1}")
        heir, = self.rows("heirs", "select max(trial) from trials where donor is not null")[0]
        self.assertRegex(self.reproduce(f"heirs/{heir}")[0], "^reproduced: ")


@unittest.skipUnless(HAS_TRAINER, "this build has no trainer")
class Examples(Reproducing):
    def short(self, folder, file="study.yaml", *options):
        self.run_study("tune", EXAMPLES / folder / file, "--name", folder, *SHORT, *options)

    def test_digits_with_its_rungs_and_its_test(self):
        self.run_study("tune", EXAMPLES / "digits" / "study.yaml", "--name", "digits", "--set", "limits.trials=12")
        (values, checkpoints), = self.rows(
            "digits", "select (select count(*) from metrics where trial = b.trial and committed), (select count(*) from "
                      "artifacts where trial = b.trial) from best b limit 1")
        self.assertGreater(values, 4 * 9)  # its test split is among them
        self.check("digits/best", values, checkpoints)
        pruned, epochs = self.rows("digits", "select trial, epochs from trials where state = 'pruned' limit 1")[0]
        self.check(f"digits/{pruned}", 4 * epochs, 2 * self.rows(
            "digits", f"select count(*) from pieces where trial = {pruned}")[0][0])

    def test_an_heir_of_population_based_training(self):
        self.run_study("tune", EXAMPLES / "digits" / "population.yaml", "--name", "bred", "--set",
                       "search.pruner={op: pbt, population: 4}", "--set", "epochs=3", "--set", "keep={last: 9, rungs: true}")
        heir, = self.rows("bred", "select max(trial) from trials where donor is not null")[0]
        self.assertRegex(self.reproduce(f"bred/{heir}")[0], "^reproduced: ")
        lost, = self.rows("bred", f"select artifact from edges where trial = {heir} and kind = 'inherited_from'")[0]
        for file in (self.folder / "dlrun-store" / "artifacts").rglob(lost + "*"):
            file.unlink()
        done = self.run_dlrun("reproduce", f"bred/{heir}")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn(f"the checkpoint it began with is gone: {lost}", done.stderr)

    def test_tables_texts_and_series(self):
        self.short("titanic")
        self.assertRegex(self.reproduce("titanic/1")[0], "^reproduced: ")
        self.run_study("tune", EXAMPLES / "titanic" / "outputs.yaml", "--name", "outputs", *SHORT)
        self.assertRegex(self.reproduce("outputs/0")[0], "^reproduced: ")
        self.short("weather")
        self.assertRegex(self.reproduce("weather/1")[0], "^reproduced: ")

    def test_folds(self):
        self.run_study("tune", EXAMPLES / "titanic" / "folds.yaml", "--name", "folds", *SHORT, "--set", "limits.trials=1")
        self.assertRegex(self.reproduce("folds/0")[0], "^reproduced: ")
        self.assertRegex(self.reproduce("folds/0", "--fold", "3")[0], "^reproduced: ")

    def test_a_variant_that_began_with_the_baselines_weights(self):
        self.run_study("ablate", EXAMPLES / "titanic" / "study.yaml", EXAMPLES / "titanic" / "ablation.yaml", "--name", "parts",
                       "--set", "ablation.replicates.n=2", "--set", "epochs=2", "--set", "ablation.start_from=baseline")
        variant, = self.rows("parts", "select max(trial) from edges where kind = 'inherited_from'")[0]
        self.assertRegex(self.reproduce(f"parts/{variant}")[0], "^reproduced: ")

    def test_the_best_variant_which_measured_the_test_split(self):
        self.run_study("ablate", EXAMPLES / "titanic" / "study.yaml", EXAMPLES / "titanic" / "ablation.yaml", "--name", "tested",
                       "--set", "ablation.replicates.n=2", "--set", "epochs=2", "--set", "ablation.start_from=baseline")
        variant, = self.rows("tested", "select min(trial) from metrics where metric like 'test.%' and trial in (select trial from "
                                     "edges where kind = 'inherited_from')")[0]
        self.assertRegex(self.reproduce(f"tested/{variant}")[0], "^reproduced: ")


@unittest.skipUnless(HAS_TRAINER, "this build has no trainer")
class Inputs(Reproducing):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "digits.csv.gz"
        shutil.copy(DIGITS, self.data)
        study = self.write(TRAIN_STUDY.replace("DIGITS", str(self.data)).replace("trials: 16", "trials: 3"))
        self.run_study("tune", study)

    def test_threads(self):
        """The norm of 65,536 gradients is summed in as many parts as there are threads, on every CPU."""
        wide = TRAIN_STUDY.replace("low: 32, high: 128", "low: 1024, high: 1056").replace("trials: 16", "trials: 1")
        self.run_study("tune", self.write(wide + "  clip_norm: 0.1\n", "wide.yaml"), "--name", "wide")
        text, tables = self.reproduce("wide/0", "--threads", "2", code=6)
        self.assertIn("two runs here agree, and what they ran on differs: threads, numerics", text)
        self.assertEqual(tables["inputs that differ"][0], {"input": "threads", "recorded": "1", "now": "2"})
        self.assertRegex(self.reproduce("wide/0")[0], "^reproduced: ")

    def test_a_flipped_byte_under_the_same_time_and_size(self):
        before = self.data.stat()
        whole = bytearray(self.data.read_bytes())
        whole[4] ^= 1
        with open(self.data, "r+b") as file:  # the same inode
            file.write(whole)
        os.utime(self.data, ns=(before.st_atime_ns, before.st_mtime_ns))
        done = self.run_dlrun("reproduce", "digits/0")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn(f"it is '{self.data}' that is another file", done.stderr)
        self.assertNotIn("running", done.stderr)

    def test_data_that_changed_between_two_runs_train_no_trial(self):
        self.run_study("enqueue", "digits", "lr=0.01", "width=64")
        whole = bytearray(self.data.read_bytes())
        whole[4] ^= 1
        self.data.write_bytes(whole)
        done = self.run_dlrun("resume", "digits")
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertIn("the data is not what it was: its sha256 is ", done.stderr)
        self.assertEqual(self.rows("digits", "select count(*) from trials where state = 'failed'"), [(0,)])
        whole[4] ^= 1
        self.data.write_bytes(whole)
        self.run_study("resume", "digits")
        self.assertEqual(self.rows("digits", "select count(*) from trials where state <> 'failed'"), [(4,)])

    def test_data(self):
        whole = bytearray(self.data.read_bytes())
        whole[4] ^= 1  # the time in gzip's header: the same numbers, another file
        self.data.write_bytes(whole)
        done = self.run_dlrun("reproduce", "digits/0")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("error: the data has changed: its sha256 is ", done.stderr)
        self.assertNotIn("running", done.stderr)
        self.data.unlink()
        done = self.run_dlrun("reproduce", "digits/0")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn(str(self.data), done.stderr)
        self.assertNotIn("running", done.stderr)


if __name__ == "__main__":
    unittest.main()
