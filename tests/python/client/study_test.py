#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Studies as the client for Python reads them, of a program that answers as dlrun does."""
import pathlib
import sqlite3
import sys
import types
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))

import dlrun  # noqa: E402

MOST_ROWS = 10_000  # of one answer


class Program:
    """Answers of `dlrun check` and `dlrun report --sql`, from tables in memory."""

    def __init__(self, trials, choices):
        self.calls = []
        self._tables = sqlite3.connect(":memory:")
        self._tables.row_factory = sqlite3.Row
        self._tables.execute("create table trials (trial, state, objective, epochs)")
        self._tables.execute("create table params (trial, name, value)")
        self._tables.execute("create table parameters (name, choices)")
        self._tables.executemany("insert into parameters values (?, ?)", choices.items())
        self._tables.execute("create view best as select * from trials order by objective")
        for number, params in enumerate(trials):
            self._tables.execute("insert into trials values (?, 'completed', ?, 1)", (number, float(number)))
            self._tables.executemany("insert into params values (?, ?, ?)",
                                     [(number, name, value) for name, value in params.items()])

    def __call__(self, words):
        self.calls.append(words)
        if words[0] == "check":
            return {"title": "plan of now"}
        rows = self._tables.execute(words[words.index("--sql") + 1]).fetchall()
        if len(rows) > MOST_ROWS:
            raise dlrun.Error(f"the answer has more than {MOST_ROWS} rows", 2)
        return {"study": "now", "rows": [dict(row) for row in rows]}


class StudyTest(unittest.TestCase):
    def setUp(self):
        self.addCleanup(setattr, dlrun, "_run", dlrun._run)

    def study(self, trials, choices=None, **options):
        self.program = dlrun._run = Program(trials, choices or {})
        return dlrun.open("now.yaml", **options)

    def test_more_rows_than_one_answer_has_are_read_in_several(self):
        study = self.study([{f"x{i}": i for i in range(5)}] * 2_001)
        trials = study.trials()
        self.assertEqual([trial["trial"] for trial in trials], list(range(2_001)))
        self.assertTrue(all(len(trial["params"]) == 5 for trial in trials))
        self.assertEqual(study.best["trial"], 0)

    def test_the_name_is_that_of_the_file_with_the_store_it_learns_from(self):
        study = self.study([], store="other")
        self.assertEqual(study.name, "now")
        self.assertEqual(self.program.calls[0][2:4], ["--store", str(pathlib.Path("other").resolve())])

    def test_parameters_named_as_columns_of_a_trial_get_a_prefix(self):
        self.addCleanup(sys.modules.pop, "pandas")
        sys.modules["pandas"] = types.SimpleNamespace(DataFrame=list)
        rows = self.study([{"state": "solid", "x": 1, "param.epochs": 2, "epochs": 3}, {"x": 4}]).dataframe()
        own = {"trial": 0, "state": "completed", "objective": 0.0, "epochs": 1}
        self.assertEqual(rows[0], {**own, "param.epochs": 3, "param.param.epochs": 2, "param.state": "solid", "x": 1})
        self.assertEqual(rows[1], {"trial": 1, "state": "completed", "objective": 1.0, "epochs": 1, "x": 4})

    def test_choices_are_those_that_ask_gives(self):
        shown = {"flag": "false", "text": "true", "sizes": "[1,2]", "lr": 1.0, "none": None, "n": 3}
        choices = {"flag": "[true,false]", "text": '["true","other"]', "sizes": "[[1,2],[3]]", "lr": "[1.0,2.0]",
                   "none": "[null,true]"}
        best = self.study([shown], choices).best["params"]
        self.assertEqual(best, {"flag": False, "text": "true", "sizes": [1, 2], "lr": 1.0, "none": None, "n": 3})


if __name__ == "__main__":
    unittest.main()
