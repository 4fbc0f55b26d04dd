# SPDX-License-Identifier: Apache-2.0
"""Studies that the real Optuna carried out come into a store, are reported and learned from, and go back as they were."""
import json
import math
import os
import sys
import unittest
from datetime import datetime
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))
from environments import enter  # noqa: E402

enter(Path(__file__).with_name(os.environ.get("DLRUN_OPTUNA", "optuna-5.0.0") + ".txt"))

import optuna  # noqa: E402
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution  # noqa: E402
from optuna.trial import TrialState, create_trial  # noqa: E402
from studies import Studies  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)
FIELDS = ["number", "state", "values", "datetime_start", "datetime_complete", "params", "distributions", "user_attrs",
          "system_attrs", "intermediate_values"]
RATE = FloatDistribution(1e-5, 0.1, log=True)
OPTIMIZER = CategoricalDistribution(["sgd", "adam", None, True, 2, 0.5])


def fields(trial):
    """Comparable: NaN is not equal to itself."""
    found = {name: getattr(trial, name) for name in FIELDS}
    found["intermediate_values"] = {step: repr(value) for step, value in trial.intermediate_values.items()}
    if optuna.__version__ > "4":  # Optuna 3.2 reads parameters in the order of an index
        found["order"] = list(trial.params)
    return found


def finished(state=TrialState.COMPLETE, rate=0.01, optimizer="adam", **more):
    """A trial as an earlier run left it."""
    params = {"rate": rate, "which one": optimizer, **more.pop("params", {})}
    distributions = {"rate": RATE, "which one": OPTIMIZER, **more.pop("distributions", {})}
    trial = create_trial(state=state, params=params, distributions=distributions, **more)
    trial.datetime_start = datetime(2025, 3, 30, 1, 59, 59, 123456)
    trial.datetime_complete = datetime(2025, 3, 30, 3, 0, 0, 654321) if state.is_finished() else None
    return trial


class Imports(Studies):
    def setUp(self):
        super().setUp()
        self.url_of_file = f"sqlite:///{self.folder}/past.db"

    def create(self, name="past", **options):
        return optuna.create_study(study_name=name, storage=self.url_of_file, **options)

    def bring(self, name="past", *options):
        return self.dlrun("import", "--optuna", self.folder / "past.db", "--study", name, *options)

    def sql(self, study, statement):
        """Rows as lists."""
        return [list(row.values()) for row in json.loads(
            self.dlrun("report", study, "--sql", statement, "--format", "json").stdout)["rows"]]

    maxDiff = None

    def require_same(self, before, after):
        self.assertEqual(before.directions, after.directions)
        self.assertEqual(before.user_attrs, after.user_attrs)
        attributes = [s._storage.get_study_system_attrs(s._study_id) for s in (before, after)]
        ids = [{t._trial_id: t.number for t in s.trials} for s in (before, after)]
        renamed = []
        for attrs, numbers in zip(attributes, ids):
            parts = {key: key.split(":") for key in attrs}
            renamed.append({":".join([p[0], str(numbers[int(p[1])]), *p[2:]]) if len(p) > 2 and p[1].isdigit() else key:
                            attrs[key] for key, p in parts.items()})
        self.assertEqual(*renamed)
        for a, b in zip(before.trials, after.trials):
            self.assertEqual(fields(a), fields(b))
        self.assertEqual(len(before.trials), len(after.trials))

    def full_study(self):
        """Every state, kind of value and attribute. A study before it takes the first ids."""
        other = self.create("other")
        other.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
        study = self.create(direction="maximize")
        study.set_user_attr("who", {"name": "Zoë 🙂", "age": [1, 2.5, None]})
        storage, sid = study._storage, study._study_id
        study.add_trial(finished(value=0.5, intermediate_values={0: 0.25, 3: math.nan, 7: 0.5}, user_attrs={"k\n": "v\"'<b>"}))
        study.add_trial(finished(value=0.75, optimizer=None, intermediate_values={0: -math.inf, 1: math.inf, 2: 0.1}))
        study.add_trial(finished(TrialState.PRUNED, value=0.3, optimizer=True, intermediate_values={0: 0.2, 1: 0.3}))
        study.add_trial(finished(value=math.inf, optimizer=2))
        study.add_trial(finished(TrialState.FAIL, optimizer=0.5, system_attrs={"fail_reason": "no \"power\""}))
        study.add_trial(finished(value=0.1, optimizer="sgd", params={"momentum": 0.9, "drop": 0.30000000000000004},
                                 distributions={"momentum": FloatDistribution(0, 1), "drop": FloatDistribution(0, 0.5, step=0.1)}))
        study.add_trial(finished(value=0.2, optimizer="sgd", params={"momentum": 0.95, "width": 48}, distributions={
            "momentum": FloatDistribution(0.5, 0.95), "width": IntDistribution(16, 64, step=16)}))
        study.add_trial(finished(TrialState.RUNNING, intermediate_values={0: 0.125}))
        study.enqueue_trial({"rate": 0.001, "which one": "adam"}, user_attrs={"mine": 1})
        first, last = study.trials[0]._trial_id, study.trials[-1]._trial_id
        storage.set_trial_system_attr(last, "constraints:too far", 1.5)
        storage.set_study_system_attr(sid, "dashboard:note_ver", 3)
        storage.set_study_system_attr(sid, "dashboard:note_str:0", "of the study")
        storage.set_study_system_attr(sid, f"dashboard:{first}:note_ver", 2)
        storage.set_study_system_attr(sid, f"dashboard:{first}:note_str:0", "of a trial")
        return study

    def test_nothing_is_lost_on_the_way_there_and_back(self):
        self.full_study()
        before = optuna.load_study(study_name="past", storage=self.url_of_file)
        self.bring()
        self.dlrun("export", "--optuna", self.folder / "back.db", "past")
        self.require_same(before, optuna.load_study(study_name="past", storage=f"sqlite:///{self.folder}/back.db"))
        self.require_same(before, optuna.load_study(study_name="past", storage=self.url("past")))  # live
        self.dlrun("import", "--optuna", self.folder / "back.db", "--as", "again")
        self.dlrun("export", "--optuna", self.folder / "twice.db", "again")
        self.require_same(before, optuna.load_study(study_name="again", storage=f"sqlite:///{self.folder}/twice.db"))
        self.dlrun("verify", "all", "--decisions")

    def test_trials_as_dlrun_has_them(self):
        self.full_study()
        said = self.bring().stderr
        self.assertIn("study 'past': 9 trials", said)
        self.assertIn("cancelled here, because they were not over: 2 trials", said)
        self.assertEqual(self.sql("past", "select trial, state, objective, epochs, cause from trials"), [
            [0, "completed", 0.5, 8, None], [1, "completed", 0.75, 4, None], [2, "pruned", 0.3, 2, None],
            [3, "failed", None, 0, "nan"], [4, "failed", None, 0, "exception"], [5, "completed", 0.1, 1, None],
            [6, "completed", 0.2, 1, None], [7, "cancelled", None, 0, "cancelled"],
            [8, "cancelled", None, 0, "cancelled"]])
        self.assertEqual(self.sql("past", "select trial, step, value, kind from metrics where trial < 3 order by 1, 2"), [
            [0, 1, 0.25, "finite"], [0, 4, None, "nan"], [0, 8, 0.5, "finite"],
            [1, 1, None, "-inf"], [1, 2, None, "inf"], [1, 3, 0.1, "finite"], [1, 4, 0.75, "finite"],
            [2, 1, 0.2, "finite"], [2, 2, 0.3, "finite"]])
        self.assertEqual(self.sql("past", "select name, value from params where trial = 5 order by name"), [
            ["drop", 0.3], ["has.drop", "yes"], ["has.width", "no"], ["momentum", 0.9], ["rate", 0.01], ["which_one", "sgd"]])
        self.assertEqual(self.sql("past", "select name, type, low, high, step, log from parameters where type <> 'categorical'"), [
            ["rate", "float", 1e-5, 0.1, None, 1], ["momentum", "float", 0, 1, None, 0], ["drop", "float", 0, 0.5, 0.1, 0],
            ["width", "int", 16, 64, 16, 0]])
        self.assertEqual(self.sql("past", "select trial, started, finished, seconds from trials limit 1"),
                         [[0, "2025-03-30T01:59:59.123Z", "2025-03-30T03:00:00.654Z", 3601.531]])
        self.assertEqual(self.sql("past", "select trial from best"), [[1], [0], [6], [5]])

    def test_it_is_over(self):
        self.full_study()
        self.bring()
        for words in (["resume", "past"], ["ask", "past"], ["tell", "past", "0", "value=1"], ["enqueue", "past", "rate=0.1"], ["retry", "past/4"]):
            done = self.run_dlrun(*words, "--store", self.folder / "store")
            self.assertEqual(done.returncode, 2, f"{words}\n{done.stdout}{done.stderr}")
            self.assertIn("was carried out by Optuna", done.stderr)

    def test_a_search_learns_from_it(self):
        study = self.create(sampler=optuna.samplers.RandomSampler(seed=1))
        study.optimize(lambda t: t.suggest_float("x", 0, 1) ** 2 + t.suggest_float("y", 0, 1) ** 2, n_trials=20)
        self.bring()
        self.assertEqual(self.sql("past", "select trial from best limit 1"), [[study.best_trial.number]])
        self.assertIn("fanova", self.dlrun("report", "past", "--section", "importance").stdout)
        self.tune("next", trials=2, epochs=1, function="sphere", sampler="tpe", search=", learn_from: [past]")
        learned = self.dlrun("explain", "next/0")
        self.assertEqual(learned.returncode, 0)
        self.assertEqual(self.sql("next", "select json_array_length(body, '$.trials') from events where kind = 'learned'"), [[20]])

    def test_several_objectives_and_constraints(self):
        study = self.create(directions=["minimize", "maximize"])
        for x, bounds in ((0.25, [-1.0, 0.0]), (0.5, [0.5, 0.25]), (0.75, [-2.0, -1.0])):
            trial = create_trial(values=[x, 2 * x], params={"x": x}, distributions={"x": FloatDistribution(0, 1)},
                                 system_attrs={"constraints": bounds})
            study.add_trial(trial)
        self.bring()
        self.assertEqual(self.sql("past", "select trial, metric, value from scores order by 1, 2"),
                         [[n, m, v] for n, x in enumerate((0.25, 0.5, 0.75)) for m, v in (("value1", x), ("value2", 2 * x))])
        self.assertEqual(self.sql("past", "select trial, violation from trials"), [[0, 0], [1, 0.75], [2, 0]])
        self.assertEqual(self.sql("past", "select trial from best"), [[0], [2]])

    def test_a_note_of_today_takes_the_place_of_the_one_that_came_along(self):
        self.full_study()
        self.bring()
        self.dlrun("note", "past/0", "new")
        self.dlrun("tag", "past/0", "good")
        study = optuna.load_study(study_name="past", storage=self.url("past"))
        attrs = study._storage.get_study_system_attrs(study._study_id)
        self.assertEqual({k: v for k, v in attrs.items() if k.startswith("dashboard")}, {
            "dashboard:note_ver": 3, "dashboard:note_str:0": "of the study", "dashboard:0:note_ver": 1,
            "dashboard:0:note_str:0": "new"})
        self.assertEqual(study.trials[0].user_attrs["dlrun:tags"], ["good"])


if __name__ == "__main__":
    unittest.main()
