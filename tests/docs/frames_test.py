#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The real pandas on a study: the snippet of docs/store.md, and Parquet that pyarrow wrote for `dlrun report`."""
import contextlib
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "support"))
from environments import enter  # noqa: E402

if __name__ == "__main__":
    enter(HERE / "requirements-frames.txt")

BIN = Path(os.environ.get("DLRUN_BIN", "build/release/bin")).resolve()
STUDY = """\
study: digits
seed: 3
objective: {metric: val.accuracy, direction: maximize}
space:
  lr: {type: float, low: 0.1, high: 1}
  opt: {type: categorical, choices: [adam, "sgd, 'plain'"]}
search: {sampler: random, lanes: 1, pruner: {op: median, min_budget: 1, startup_trials: 2}}
limits: {trials: 8}
trial: {kind: command, command: [sh, run.sh, '{lr}'], epochs: 2}
"""
PROGRAM = """\
for step in 1 2; do echo "::dlrun {\\"metric\\": \\"val.accuracy\\", \\"step\\": $step, \\"value\\": $1}"; done
"""
FOLDER = tempfile.TemporaryDirectory(prefix="dlrun-frames-")


def dlrun(*words):
    environment = {**os.environ, "DLRUN_PYTHON": sys.executable}
    return subprocess.run([BIN / "dlrun", *words], cwd=FOLDER.name, check=True, stdout=subprocess.PIPE, env=environment).stdout


def setUpModule():
    Path(FOLDER.name, "study.yaml").write_text(STUDY)
    Path(FOLDER.name, "run.sh").write_text(PROGRAM)
    dlrun("tune", "study.yaml", "-w", "1", "-q")


def tearDownModule():
    FOLDER.cleanup()


def rows(*question):
    return json.loads(dlrun("report", *question, "--format", "json"))["rows"]


def snippet():
    return re.search(r"^## In Python$.*?^```python\n(.*?)^```$", (HERE.parents[1] / "docs/store.md").read_text(), re.M | re.S).group(1)


class Frames(unittest.TestCase):
    def run_snippet(self):
        """The names that the snippet has set, and what it printed."""
        names, before, printed = {}, os.getcwd(), io.StringIO()
        os.chdir(FOLDER.name)
        self.addCleanup(os.chdir, before)
        with contextlib.redirect_stdout(printed):
            exec(snippet(), names)  # noqa: S102
        self.addCleanup(names["study"].close)
        return names, printed.getvalue()

    def test_the_snippet_has_every_trial_with_its_parameters(self):
        names, printed = self.run_snippet()
        table = names["table"]
        told = rows("--trials")
        self.assertEqual(len(table), len(told))
        for row in told:
            for key in ("state", "objective", "lr", "opt"):
                self.assertEqual(table.loc[row["trial"], key], row[key], key)
        self.assertEqual(str(table.lr.dtype), "float64")
        self.assertEqual(str(table.started.dtype)[:10], "datetime64")
        self.assertIn("adam", printed)

    def test_the_snippet_has_curves_and_costs(self):
        names, printed = self.run_snippet()
        curves = names["curves"]
        trial = rows("--sql", "select trial from best limit 1")[0]["trial"]
        self.assertEqual(list(curves[curves.trial == trial].step), [1, 2])
        cost = {row["what"]: row["value"] for table in json.loads(dlrun("report", "--section", "cost", "--format", "json"))["tables"]
                for row in table["rows"] if "what" in row and "value" in row}
        self.assertRegex(printed.splitlines()[-1], rf"^0 +{cost['trained']} ")

    def test_pandas_reads_the_parquet_of_all_trials(self):
        import pandas
        dlrun("report", "--trials", "-o", "trials.parquet")
        frame = pandas.read_parquet(Path(FOLDER.name, "trials.parquet"))
        told = rows("--trials")
        self.assertEqual(list(frame.columns), list(told[0]))
        for mine, row in zip(frame.to_dict("records"), told, strict=True):
            for key, value in row.items():
                is_missing = mine[key] is None or (isinstance(mine[key], float) and math.isnan(mine[key]))
                self.assertTrue(is_missing if value is None else mine[key] == value, (key, mine[key], value))

    def test_values_keep_their_types_and_all_their_digits(self):
        import pyarrow.parquet
        bytes_ = dlrun("report", "--format", "parquet", "--sql",
                       "select 9007199254740993 as i, 0.1 as r, 'a,\u00e4\n' as t, null as n, 'x' as m, 9e999 as f union all "
                       "select -1, 2, null, null, 1, -9e999")
        table = pyarrow.parquet.read_table(io.BytesIO(bytes_))
        self.assertEqual([str(kind) for kind in table.schema.types], ["int64", "double", "string", "null", "string", "double"])
        self.assertEqual(table.to_pydict(), {"i": [9007199254740993, -1], "r": [0.1, 2.0], "t": ["a,\u00e4\n", None],
                                             "n": [None, None], "m": ["x", "1"], "f": [math.inf, -math.inf]})


if __name__ == "__main__":
    unittest.main()
