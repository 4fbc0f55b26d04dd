# SPDX-License-Identifier: Apache-2.0
"""The training after a search: it begins with the search's weights, equals never having stopped, and nothing that happens on
the way changes it."""
import json
import os
import shutil
import sqlite3
import sys
import unittest
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from support import DIGITS, HAS_TRAINER, Folder, children, kill, rows_of  # noqa: E402

STUDY = """\
study: short
seed: 5
objective: {metric: val.accuracy, direction: maximize, at: last}
space:
  lr: {at: optimizer.lr, type: float, low: 1e-2, high: 0.2, scale: log}
search: {sampler: random, lanes: 4}
limits: {trials: 4}
keep: {best: 4}
trial:
  data: {op: csv, path: DIGITS, header: false, target: -1, scale: 16, split: {train: 0.7, val: 0.15, test: 0.15}}
  model:
    nodes:
      - {name: fc1, op: linear, out: 32}
      - {name: norm1, op: batchnorm}
      - {name: act1, op: relu}
      - {name: drop1, op: dropout, p: 0.1}
      - {name: head, op: linear, out: classes, role: head}
  optimizer: {op: sgd, lr: 0.05, momentum: 0.9}
  schedule: {op: cosine}
  epochs: 3
  horizon: 8
  batch_size: 32
"""


@unittest.skipUnless(HAS_TRAINER, "this build has no trainer")
class Final(Folder):
    def setUp(self):
        super().setUp()
        self.store = self.folder / "store"
        done = self.tune(self.write(STUDY), self.store, 2)
        self.assertEqual(done.returncode, 0, done.stderr)

    def train(self, *options, status=0):
        done = self.run_dlrun("train", "--from", "short", "--store", self.store, *options)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def rows(self, study, statement):
        done = self.run_dlrun("report", study, "--sql", statement, "--format", "json", "--store", self.store)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [tuple(row.values()) for row in json.loads(done.stdout)["rows"]]

    def best(self):
        return self.rows("short", "select trial from trials order by objective desc, trial limit 1")[0][0]

    def verified(self):
        done = self.run_dlrun("verify", "all", "--store", self.store)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def spoilt(self, statement):
        """The answer of verify for a copy of the final training's log after the statement."""
        other = self.folder / "spoilt"
        shutil.rmtree(other, ignore_errors=True)
        shutil.copytree(self.store, other)
        with closing(sqlite3.connect(other / "studies/short-final.db")) as log:
            log.execute(statement)
            log.commit()
        done = self.run_dlrun("verify", "short-final", "--store", other)
        self.assertEqual(done.returncode, 4, done.stderr)
        return done.stdout

    def test_resume_equals_never_having_stopped(self):
        self.train("--policy", "resume", "--name", "on")
        lr = self.rows("short", f"select value from params where trial = {self.best()} and name = 'lr'")[0][0]
        whole = STUDY.replace("study: short", "study: whole").replace("  horizon: 8\n", "").replace("epochs: 3", "epochs: 8")
        whole = whole.replace("limits: {trials: 4}", "limits: {trials: 1}")
        whole = whole.replace("type: float, low: 1e-2, high: 0.2, scale: log", f"type: constant, value: {lr!r}")
        done = self.tune(self.write(whole), self.store, 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_dlrun("reproduce", "on/0", "--store", self.store)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        values = "select step, metric, value from metrics where metric not like 'test.%' and step > 3 order by step, metric"
        self.assertEqual(self.rows("on", values), self.rows("whole", values))
        self.assertEqual(self.rows("on", "select min(step), max(step) from metrics"), [(4, 8)])
        self.verified()

    def test_where_it_came_from_is_in_the_store(self):
        done = self.train("--policy", "best", "--epochs", "4", "--final", "warm_start.exclude=[head]")
        self.assertIn("fresh: head.weight, head.bias", done.stderr)
        edges = self.rows("short-final", "select kind, from_study, from_trial, artifact from edges")
        last = self.rows("short", f"select sha256 from artifacts where trial = {self.best()} and role = 'last'")[0][0]
        self.assertEqual(edges, [("started_from", "short", self.best(), last)])
        rules = dict(self.rows("short-final", "select tensor, rule from starts"))
        self.assertEqual(rules["fc1.weight"], "copied")
        self.assertEqual(rules["head.weight"], "fresh")
        self.verified()
        first = "the first weights of trial 0 are not what the log says"
        self.assertIn(first, self.spoilt("UPDATE dl_start SET rule = 'averaged' WHERE tensor = 'fc1.weight'"))
        tested = "test.accuracy of trial 0 at epoch 4 is not what the log says"
        self.assertIn(tested, self.spoilt("UPDATE dl_metric SET value = value / 2 WHERE metric = (SELECT metric FROM "
                                          "dl_metric_name WHERE name = 'test.accuracy')"))

    def test_nothing_stays_in_the_folder_of_temporary_files(self):
        temporary = self.folder / "temporary"
        temporary.mkdir()
        around = {name: value for name, value in os.environ.items() if name != "XDG_RUNTIME_DIR"} | {"TMPDIR": str(temporary)}
        for command in (("train", "--from", "short", "--epochs", "4"), ("reproduce", "short-final/0")):
            done = self.run_dlrun(*command, "--store", self.store, env=around)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(list(temporary.iterdir()), [], command)

    def test_it_may_begin_after_an_epoch_that_was_kept(self):
        kept = STUDY.replace("study: short", "study: kept").replace("{best: 4}", "{best: 4, epochs: [2]}")
        done = self.tune(self.write(kept), self.store, 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_dlrun("train", "--from", "kept", "--policy", "best", "--epochs", "4", "--store", self.store, "--final",
                              "warm_start.from.at=2")
        self.assertEqual(done.returncode, 0, done.stderr)
        given = self.rows("kept-final", "select from_trial, artifact from edges")
        best = ("select a.trial, a.sha256 from artifacts a join metrics m using (trial, step) where a.role = 'epoch' and a.step "
                "= 2 and m.metric = 'val.accuracy' order by m.value desc, a.trial limit 1")
        self.assertEqual(given, self.rows("kept", best))

    def test_a_donor_stays_when_its_study_is_deleted(self):
        self.train("--policy", "best", "--epochs", "4")
        done = self.run_dlrun("delete", "short", "--yes", "--store", self.store)
        self.assertEqual(done.returncode, 0, done.stderr)
        artifact = self.rows("short-final", "select artifact from edges")[0][0]
        self.assertTrue((self.store / "artifacts" / artifact[:2] / f"{artifact}.safetensors").exists())

    def test_kills_change_nothing(self):
        options = ("--policy", "greedy_soup", "--compare", "best,shrink_perturb,per_layer_best,resume,kaiming_longer", "--seeds",
                   "3", "--workers", "2")
        self.train(*options, "--name", "calm")
        for moment in (4, 9, 13):
            driver = self.start("train", "--from", "short", "--store", self.store, *options, "--name", "hurt")
            log = self.store / "studies" / "hurt.db"
            self.await_(f"{moment} trials, or the end",
                        lambda: driver.poll() is not None or (log.exists() and self.completed("hurt") >= moment))
            for child in children(driver.pid):
                kill(child)
            self.kill(driver)
        self.train(*options, "--name", "hurt")
        self.assertEqual(self.logical_of("hurt"), self.logical_of("calm"))
        query = "select trial, number, tensor, rule, artifact from starts order by trial, number"
        self.assertEqual(self.rows("hurt", query), self.rows("calm", query))
        self.verified()
        done = self.run_dlrun("report", "calm", "--section", "final", "--store", self.store)
        self.assertIn("epochs to val.accuracy", done.stdout)
        for arm in ("kaiming", "kaiming_longer", "best", "resume", "greedy_soup", "per_layer_best", "shrink_perturb"):
            self.assertRegex(done.stdout, rf"\n{arm} +[0-3] of 3 ")

    def completed(self, study):
        try:
            return self.rows(study, "select count(*) from trials where state = 'completed'")[0][0]
        except AssertionError:
            return 0

    def logical_of(self, study):
        done = self.run_dlrun("export", "--logical", study, "--store", self.store)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.replace(f'"{study}"', '"NAME"')

    def test_a_model_that_was_changed_is_compared_with_the_donor_before_anything_runs(self):
        wider = ("--final", "set={model.nodes.fc1.out: 48}")
        done = self.train(*wider, status=2)
        self.assertRegex(done.stderr, r"short/\d+, epoch 3 does not fit the model of the final training: E404: 'fc1.weight' is F32 "
                                      r"\[32, 64\] in the file, but F32 \[48, 64\] in the model")
        self.assertIn("policy: partial takes what fits", done.stderr)
        done = self.train(*wider, "--policy", "partial", "--final", "warm_start.on_mismatch=slice", "--plan")
        self.assertRegex(done.stdout, r"8 of the model's 8 tensors are taken; in part: fc1.weight, ")
        done = self.train(*wider, "--policy", "partial", status=2)
        self.assertIn("E402: ", done.stderr)
        done = self.train("--final", "set={optimizer: {op: adam}}", "--final", "warm_start.optimizer=carry", status=2)
        self.assertIn('E403: ', done.stderr)
        done = self.train(*wider, "--policy", "partial", "--final", "warm_start.on_mismatch=slice", "--compare",
                          "best", "--seeds", "2", status=2)
        self.assertIn("E404: 'fc1.weight'", done.stderr)
        self.assertFalse((self.store / "studies" / "short-final.db").exists())

    def test_a_checkpoint_that_the_store_has_not_is_missed_at_the_check(self):
        for sha256, fault in (("0" * 64, "the store has no checkpoint 0000"),):
            study = self.write(STUDY.replace("trial:\n", f"trial:\n  warm_start: {{donors: [{{sha256: '{sha256}'}}]}}\n"), "donor.yaml")
            done = self.run_dlrun("check", study, "--store", self.store)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(fault, done.stderr)

    def test_faults_are_said_before_anything_runs(self):
        self.assertIn("there is no 'resum' to compare with", self.train("--compare", "resum", "--seeds", "3", status=2).stderr)
        self.assertIn("one seed cannot tell rivals from luck", self.train("--compare", "resume", status=2).stderr)
        self.assertIn("none of 3 remains", self.train("--policy", "resume", "--epochs", "3", status=2).stderr)
        longer = self.train("--policy", "resume", "--epochs", "9", "--plan", status=2).stderr
        self.assertRegex(longer, r"E406: 'resume' goes on with short/\d+, epoch 3, whose schedule spans \d epochs, but the final training has 9")
        other = self.train("--compare", "resume", "--seeds", "2", "--final", "set.optimizer.lr=0.5", "--plan", status=2).stderr
        self.assertRegex(other, r"E406: 'resume' goes on with short/\d+, epoch 3, whose 'optimizer' differs from the final training's")
        race = ("--policy", "race", "--final")
        none = self.train(*race, "warm_start.race.arms=[none, resume]", "--epochs", "9", "--plan", status=2).stderr
        self.assertRegex(none, r"E406: 'resume' goes on with short/\d+, epoch 3, whose schedule spans 8 epochs")
        rest = self.train(*race, "warm_start.race.arms=[none, resume]", "--epochs", "3", "--plan", status=2).stderr
        self.assertRegex(rest, r"was trained 3 epochs, so none of 3 remains")
        rival = self.train(*race, "set.optimizer.lr=0.5", "--compare", "resume", "--seeds", "2", "--plan", status=2).stderr
        self.assertRegex(rival, r"E406: 'resume' goes on with")
        self.assertIn("no trial of 'short' can give weights",
                      self.train("--final", "warm_start.from.at=2", status=2).stderr)
        self.assertFalse((self.store / "studies" / "short-final.db").exists())


@unittest.skipUnless(HAS_TRAINER, "this build has no trainer")
class FinalOfAStudy(Folder):
    def logical_of(self, study, store):
        done = self.run_dlrun("export", "--logical", study, "--store", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def kill_at(self, study, verb, database):
        """A driver with all that it started, as soon as the database has a trial."""
        driver = self.start(*verb, "--store", "store", "--workers", 2)
        self.await_(f"a trial in {database}", lambda: rows_of(database, "select 1 from v_trials"), while_runs=driver)
        self.kill(driver)
        self.kill_orphans()

    def test_resume_goes_on_with_the_final_training(self):
        """`resume` ended with 0 when the search was over, and the final training never came."""
        study = self.write(STUDY + "final: {epochs: 5}\n")
        self.assertEqual(self.tune(study, self.folder / "calm").returncode, 0)
        database = self.folder / "store" / "studies" / "short.db"
        self.kill_at("short", ("tune", study), database)
        final = database.with_name("short-final.db")
        self.kill_at("short", ("resume", "short"), final)
        done = self.run_dlrun("resume", "short", "--store", "store")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("short", "short-final"):
            self.assertEqual(self.logical_of(name, "store"), self.logical_of(name, "calm"))

    def test_resume_goes_on_with_the_final_training_that_was_begun(self):
        """The file says something else by now: its second wish has begun, the first one is what the store kept."""
        study = self.write(STUDY + "final: {epochs: 5}\n")
        self.kill_at("short", ("tune", study), self.folder / "store" / "studies" / "short.db")
        study = self.write(STUDY + "final: {epochs: 6}\n")
        self.kill_at("short", ("tune", study), self.folder / "store" / "studies" / "short-final.db")
        done = self.run_dlrun("resume", "short", "--store", "store")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"epochs":6', self.logical_of("short-final", "store").replace(" ", ""))

    def test_resume_goes_on_with_the_race_for_the_winner(self):
        """Killed in the search, in the race and in the final training; on one worker in place of two. The race is the study
        that started last: `resume` ends it, notes the winner with the search and goes on."""
        study = self.write(STUDY + "winner: {candidates: 3, seeds: 4}\nfinal: {epochs: 5}\n")
        self.assertEqual(self.tune(study, self.folder / "calm", 2).returncode, 0)
        studies = self.folder / "store" / "studies"
        self.kill_at("short", ("tune", study), studies / "short.db")
        self.kill_at("short", ("resume", "short"), studies / "short-winner.db")
        self.kill_at("short", ("resume",), studies / "short-final.db")
        done = self.run_dlrun("resume", "short", "--store", "store", "--workers", 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("short", "short-winner", "short-final"):
            self.assertEqual(self.logical_of(name, "store"), self.logical_of(name, "calm"))
        winner = "select trial, race, completed, runs, measured, metric, value, low, high from dl_winner"
        self.assertEqual(rows_of(studies / "short.db", winner), rows_of(self.folder / "calm" / "studies" / "short.db", winner))
        best = rows_of(studies / "short.db", "select trial from v_best limit 1")[0][0]
        self.assertEqual(rows_of(studies / "short.db", "select trial, runs from dl_winner"), [(best, 4)])
        self.assertEqual(rows_of(studies / "short-final.db", "select distinct from_trial from v_edges where kind = 'started_from'"), [(best,)])

    def test_a_race_for_the_start_is_the_same_however_it_runs(self):
        """On four workers; and killed in the search, in the race and in the final training, then on one worker."""
        study = self.write(STUDY + "final: {seeds: 3, warm_start: {policy: race}, compare: [fresh_shrunk, kaiming_longer]}\n")
        self.assertEqual(self.tune(study, self.folder / "calm", 4).returncode, 0)
        studies = self.folder / "store" / "studies"
        self.kill_at("short", ("tune", study), studies / "short.db")
        self.kill_at("short", ("resume", "short"), studies / "short-final-race.db")
        self.kill_at("short", ("resume",), studies / "short-final.db")
        done = self.run_dlrun("resume", "short", "--store", "store", "--workers", 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("short", "short-final-race", "short-final"):
            self.assertEqual(self.logical_of(name, "store"), self.logical_of(name, "calm"))
        arms = "select distinct value from v_params where name = 'variant' order by 1"
        self.assertEqual(rows_of(studies / "short-final-race.db", arms), [("baseline",), ("resume",), ("shrink_perturb",)])
        self.assertEqual(rows_of(studies / "short-final-race.db", "select max(step), count(distinct trial) from v_metrics"), [(2, 6)])
        chosen = rows_of(studies / "short-final.db", "select json_extract(spec, '$.final.warm_start.race.chose') from dl_study")[0][0]
        best = rows_of(studies / "short-final-race.db", "select p.value from v_params p join v_trials t using (trial) where p.name = "
                       "'variant' group by 1 order by avg(t.objective) desc limit 1")[0][0]
        self.assertEqual(chosen, "none" if best == "baseline" else best)
        if chosen != "none":
            self.assertEqual(rows_of(studies / "short-final.db", "select count(*) from v_start_notes where text = "
                                     "'chosen by the race short-final-race'"), [(3,)])
        report = self.run_dlrun("report", "short-final", "--section", "final", "--store", "store").stdout
        self.assertTrue(report.splitlines()[1].startswith("Beside fresh weights (`kaiming`), was it worth it? "), report)
        self.assertIn(f"The race `short-final-race` chose `{chosen}` by val.accuracy after 2 epochs (`none` 0.", report)
        self.assertIn("It trained 12 epochs, 4 for each of 3 seeds", report)
        self.assertRegex(report, r"\nrace +[0-3] of 3 ")
        self.assertEqual(rows_of(studies / "short-final.db", "select max(step) from v_metrics"), [(8 + 4 + 3 * (chosen == "shrink_perturb"),)])  # kaiming_longer
        done = self.run_dlrun("verify", "all", "--store", "store")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_resuming_the_race_goes_on_to_the_final_training(self):
        study = self.write(STUDY + "final: {epochs: 6, warm_start: {policy: race, race: {arms: [none, best], epochs: 1}}}\n")
        self.assertEqual(self.tune(study, self.folder / "calm").returncode, 0)
        studies = self.folder / "store" / "studies"
        self.kill_at("short", ("tune", study), studies / "short-final-race.db")
        done = self.run_dlrun("resume", "short-final-race", "--store", "store")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.logical_of("short-final", "store"), self.logical_of("short-final", "calm"))

    def test_faults_of_final_end_before_the_search(self):
        for final, fault in (("{warm_start: {exclude: [nolayer]}}", "names no tensor of the model"),
                             ("{warm_start: {from: {study: nowhere}}}", "the store has no study 'nowhere'")):
            done = self.tune(self.write(STUDY + f"final: {final}\n"), self.folder / "store")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(fault, done.stderr)
            self.assertIn("study.yaml:23", done.stderr)
            self.assertFalse((self.folder / "store").exists())

    def test_a_study_whose_data_were_moved_trains_on_them_after_its_search(self):
        """The search read the new place, and then the final training looked for the data in the old one."""
        old, new = self.folder / "old", self.folder / "new"
        old.mkdir()
        shutil.copy(DIGITS, old / "digits.csv.gz")
        study = self.write(STUDY.replace("study: short", "study: moved").replace("DIGITS", "digits.csv.gz"), "old/study.yaml")
        self.assertEqual(self.tune(study, "store", 2).returncode, 0)
        old.rename(new)
        done = self.run_dlrun("tune", new / "study.yaml", "--set", "final={epochs: 4}", "--store", "store")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f'trial.data.path: "{old}/digits.csv.gz" -> "{new}/digits.csv.gz"', done.stderr)
        self.assertEqual(rows_of(self.folder / "store/studies/moved-final.db", "select max(step) from v_metrics"), [(4,)])
        for command in (("reproduce", "moved/0"), ("verify", "all")):
            done = self.run_dlrun(*command, "--store", "store")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_dry_run_trains_nothing_afterwards(self):
        done = self.run_dlrun("tune", self.write(STUDY + "final: {epochs: 5}\n"), "--dry-run", "--store", "store")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_study_with_final_trains_it_at_its_end(self):
        store = self.folder / "store"
        done = self.tune(self.write(STUDY + "final: {epochs: 5, warm_start: {policy: greedy_soup}}\n"), store, 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("begins by 'greedy_soup'", done.stderr)
        self.assertTrue((store / "studies" / "short-final.db").exists())
        done = self.run_dlrun("tune", self.write(STUDY + "final: {epochs: 4}\n"), "--store", store, "--name", "other", "--set",
                              "limits.trials=3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((store / "studies" / "other-final.db").exists())


if __name__ == "__main__":
    unittest.main()
