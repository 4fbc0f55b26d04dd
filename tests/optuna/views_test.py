# SPDX-License-Identifier: Apache-2.0
"""A study's file is read by the real Optuna, live and without an export, and Optuna goes on with an exported one.

DLRUN_OPTUNA names another list of packages than optuna-5.0.0.txt, for the long form."""
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import unittest
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))
from environments import enter  # noqa: E402

enter(Path(__file__).with_name(os.environ.get("DLRUN_OPTUNA", "optuna-5.0.0") + ".txt"))

import optuna  # noqa: E402
import sqlalchemy  # noqa: E402
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution  # noqa: E402
from optuna.trial import TrialState  # noqa: E402
from studies import TWO, Studies  # noqa: E402
from support import ROOT  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)
DISTRIBUTIONS = {
    "lr": FloatDistribution(1e-4, 0.1, log=True),
    "drop": FloatDistribution(0, 0.5, step=0.1),
    "width": IntDistribution(32, 224, step=32),
    "depth": IntDistribution(1, 64, log=True),
    "opt": CategoricalDistribution(["sgd", True, 3, 0.1]),
    "momentum": FloatDistribution(0, 0.99),
    "size": CategoricalDistribution(["small", "medium", "large"]),
    "fixed": CategoricalDistribution([5]),
}
FIELDS = ["number", "state", "values", "datetime_start", "datetime_complete", "params", "distributions", "user_attrs",
          "system_attrs", "intermediate_values"]


def load(study, url):
    return optuna.load_study(study_name=study, storage=url, sampler=optuna.samplers.TPESampler(n_startup_trials=2, seed=1))


def fields(trial):
    return {name: getattr(trial, name) for name in FIELDS}


def study_attributes(study):
    return study._storage.get_study_system_attrs(study._study_id)


def make_tables(file):
    """A file with Optuna's own tables."""
    optuna.create_study(study_name="theirs", storage=f"sqlite:///{file}")


def columns(file):
    """{table or view: its columns}"""
    with closing(sqlite3.connect(file)) as rows:
        names = [row[0] for row in rows.execute("select name from sqlite_master where type in ('table', 'view')")]
        return {name: [row[1] for row in rows.execute(f"pragma table_info({name})")] for name in names}


def definitions(file):
    """SQL of all tables and indexes, without spaces."""
    with closing(sqlite3.connect(file)) as rows:
        sql = rows.execute("select sql from sqlite_master where sql is not null")
        return sorted(re.sub(r"\s+", "", row[0]) for row in sql)


class Views(Studies):
    def test_the_schema_is_that_of_optuna(self):
        self.create_asked()
        theirs = self.folder / "theirs.db"
        make_tables(theirs)
        ours = columns(self.folder / "store" / "studies" / "asked.db")
        for name, wanted in columns(theirs).items():
            self.assertEqual(ours.get(name), wanted, name)

    def test_every_field_of_a_study_that_is_going_on(self):
        told = [self.create_asked(), self.ask()]
        self.dlrun("tell", "asked", 0, "loss=0.5", "cost=7", "--step", 1)
        self.dlrun("tell", "asked", 0, "loss=0.1", "cost=8.5", "--step", 2)
        self.dlrun("tell", "asked", 1, "--failed", "no \"power\" 🔥")
        told.append(self.ask())
        self.dlrun("tell", "asked", 2, "loss=0.25", "--step", 1)
        self.dlrun("note", "asked/0", "first")
        self.dlrun("note", "asked/0", "second")
        self.dlrun("tag", "asked/0", "good")
        self.dlrun("note", "asked", "of all")
        study = load("asked", self.url("asked"))
        self.assertEqual([d.name for d in study.directions], ["MINIMIZE"])
        trials = study.trials
        self.assertEqual([t.state for t in trials], [TrialState.COMPLETE, TrialState.FAIL, TrialState.RUNNING, TrialState.WAITING])
        for trial, (number, params) in zip(trials, told):
            self.assertEqual(trial.number, number)
            self.assertEqual(trial.params, params)
            self.assertEqual([type(v) for v in trial.params.values()], [type(params[k]) for k in trial.params])
            self.assertEqual(trial.distributions, {name: DISTRIBUTIONS[name] for name in params})
        self.assertEqual(trials[0].values, [0.1])
        self.assertEqual([t.intermediate_values for t in trials], [{1: 0.5, 2: 0.1}, {}, {1: 0.25}, {}])
        self.assertEqual(trials[0].system_attrs, {"constraints": [0.5 / 8]})
        self.assertEqual(trials[0].user_attrs["dlrun:tags"], ["good"])
        self.assertEqual(trials[0].user_attrs["dlrun:notes"], ["first", "second"])
        self.assertEqual(trials[0].user_attrs["dlrun:epochs"], 2)
        self.assertEqual(trials[1].user_attrs["dlrun:cause"], "exception")
        self.assertEqual(trials[1].user_attrs["dlrun:message"], "no \"power\" 🔥")
        self.assertEqual(study_attributes(study), {
            "study:metric_names": ["loss"], "dashboard:note_ver": 1, "dashboard:note_str:0": "of all",
            "dashboard:0:note_ver": 2, "dashboard:0:note_str:0": "first\n\nsecond"})
        now = datetime.now(timezone.utc).replace(tzinfo=None)
        for moment in (trials[0].datetime_start, trials[0].datetime_complete, trials[2].datetime_start):
            self.assertLess(abs(now - moment), timedelta(minutes=10))  # not in local time
        self.assertIsNone(trials[2].datetime_complete)
        self.dlrun("tell", "asked", 2, "loss=0.2", "cost=1", "--step", 2)
        self.assertEqual(study.trials[2].state, TrialState.COMPLETE)
        self.assertEqual(study.best_trial.number, 2 if optuna.__version__ > "4" else 0)  # feasibility counts since 4.0

    def test_asking_for_a_trial_fails_and_changes_nothing(self):
        self.tune("one")
        study = load("one", self.url("one"))
        with self.assertRaisesRegex(optuna.exceptions.StorageInternalError, "(?s).*") as caught:
            study.ask()
        self.assertIn("view", str(caught.exception.__cause__))
        self.assertEqual(len(load("one", self.url("one")).trials), 12)
        self.dlrun("verify", "one")

    def test_numbers_are_those_of_dlrun(self):
        self.tune("one")
        with closing(sqlite3.connect(self.folder / "store" / "studies" / "one.db")) as rows:
            trials = rows.execute("select trial, state, objective, epochs from v_trials order by trial").fetchall()
            values = dict(rows.execute("select trial || ' ' || step, value from v_metrics where metric = 'value'"))
        seen = load("one", self.url("one")).trials
        names = {"completed": "COMPLETE", "pruned": "PRUNED"}
        self.assertEqual([(t.number, t.state.name, t.value, t.user_attrs["dlrun:epochs"]) for t in seen],
                         [(n, names[state], value, epochs) for n, state, value, epochs in trials])
        self.assertEqual({f"{t.number} {step}": value for t in seen for step, value in t.intermediate_values.items()}, values)
        self.assertGreater(sum(t.state == TrialState.PRUNED for t in seen), 0)

    def test_reading_all_trials_takes_time_in_proportion_to_them(self):
        """Counted in steps of SQLite's machine: a search through all trials for each 500 would be quadratic."""
        counts = []
        for trials in (1000, 3000):
            self.tune(f"s{trials}", trials, 1, search="", function="sphere")
            steps = [0]

            def count(steps=steps):
                steps[0] += 1

            def connected(connection, _):
                connection.set_progress_handler(count, 100)

            storage = optuna.storages.RDBStorage(self.url(f"s{trials}"))
            sqlalchemy.event.listen(storage.engine, "connect", connected)
            storage.engine.dispose()
            study = load(f"s{trials}", storage)
            self.assertEqual(len(study.trials), trials)
            counts.append(steps[0])
        self.assertGreater(counts[0], 100)
        self.assertLess(counts[1], 4 * counts[0])

    def test_a_study_of_an_earlier_dlrun_gets_the_views_when_it_is_opened(self):
        shutil.copytree(ROOT / "tests" / "golden" / "stores" / "schema17", self.folder / "store")
        with self.assertRaises(KeyError):  # Optuna makes its own tables in the file
            load("first", self.url("first"))
        self.dlrun("note", "first/0", "hello")
        self.assertGreater(len(load("first", self.url("first")).trials), 0)


class Exports(Studies):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "out.db"

    def export(self, *studies):
        self.dlrun("export", "--optuna", self.file, *studies)
        return f"sqlite:///{self.file}"

    def go_on(self, study, like, count):
        """Asks for trials with the parameters that the study has, and tells them."""
        numbers = []
        for _ in range(count):
            trial = study.ask()
            for name, distribution in like.distributions.items():
                trial._suggest(name, distribution)
            study.tell(trial, [0.5] * len(study.directions))
            numbers.append(trial.number)
        return numbers

    def test_the_tables_are_those_of_optuna(self):
        self.tune("one")
        self.export("one")
        make_tables(self.folder / "theirs.db")
        self.assertEqual(definitions(self.file), definitions(self.folder / "theirs.db"))

    def test_an_export_has_every_field_and_optuna_goes_on_with_it(self):
        self.create_asked()
        self.dlrun("tell", "asked", 0, "loss=0.5", "cost=9", "--step", 2)
        self.dlrun("note", "asked/0", "hello")
        self.tune("one")
        self.tune("two", objective=TWO, function="{op: zdt1, curve: 0.2}")
        url = self.export("all")
        for name in ("asked", "one", "two"):
            live, copy = load(name, self.url(name)), load(name, url)
            self.assertEqual([fields(t) for t in copy.trials], [fields(t) for t in live.trials])
            self.assertEqual(copy.user_attrs, live.user_attrs)
            self.assertEqual(copy.directions, live.directions)
            count = len(copy.trials)
            waiting = [t.number for t in copy.trials if t.state == TrialState.WAITING]
            self.assertEqual(self.go_on(copy, copy.trials[0], len(waiting) + 4), [*waiting, *range(count, count + 4)])
            self.assertEqual([t.number for t in load(name, url).trials], list(range(count + 4)))
        note = [k for k in study_attributes(load("asked", url)) if k.endswith("note_str:0")]
        self.assertEqual(note, [f"dashboard:{load('asked', url).trials[0]._trial_id}:note_str:0"])

    def test_a_trial_that_waits_is_the_next_one_that_optuna_gives(self):
        self.create_asked()
        self.dlrun("enqueue", "asked", "drop=0.3", "opt=true")
        self.dlrun("tell", "asked", 0, "loss=0.5", "cost=9", "--step", 2)
        study = load("asked", self.export("asked"))
        waiting = [t for t in study.trials if t.state == TrialState.WAITING]
        for trial in waiting:
            asked = study.ask()
            self.assertEqual(asked.number, trial.number)
            self.assertEqual({name: asked._suggest(name, d) for name, d in trial.distributions.items()}, trial.params)
        self.assertGreater(len(waiting), 0)

    def test_there_is_nothing_to_upgrade(self):
        self.tune("one")
        for url in (self.export("one"), self.url("one")):
            program = str(Path(sys.executable).with_name("optuna"))
            done = subprocess.run([program, "storage", "upgrade", "--storage", url], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn("up-to-date", done.stdout)


if __name__ == "__main__":
    unittest.main()
