# SPDX-License-Identifier: Apache-2.0
"""Checkpoints and results of single examples, as the client writes, names and refuses them."""
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))
import dlrun  # noqa: E402


class Array:
    """Stands for one of NumPy's or a tensor of torch's."""

    def __init__(self, items):
        self._items = items

    def tolist(self):
        return self._items


class Files(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="dlrun-client-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self._said, out = os.pipe()
        into, control = os.pipe()
        for descriptor in (self._said, out, into, control):
            self.addCleanup(os.close, descriptor)
        self.trial = dlrun.RunningTrial({"trial": 3, "replicate": 0, "fold": 0, "attempt": 1, "params": {}, "seed": 1,
                                         "from_step": 0, "to_step": 4, "folder": temporary.name}, dlrun.Link(out, into))
        os.write(control, b'{"to": 4}\n')
        self.said()

    def said(self):
        return [json.loads(line) for line in os.read(self._said, 65536).splitlines()]

    def texts(self):
        return {file.name: file.read_text(encoding="utf-8") for file in self.folder.iterdir()}

    def steps(self, kind):
        """Steps for which files of this kind have been said."""
        return [line["step"] for line in self.said() if kind in line]


class Checkpoints(Files):
    def test_they_are_those_of_the_step_reported_next(self):
        self.trial.checkpoint("two.pt")
        self.trial.report(2, loss=1)
        self.trial.checkpoint("four.pt")
        self.trial.report(4, loss=1)
        said = [line for line in self.said() if "value" not in line]
        self.assertEqual(said, [{"checkpoint": str(self.folder / "two.pt"), "step": 2},
                                {"checkpoint": str(self.folder / "four.pt"), "step": 4}])

    def test_the_newest_before_a_report_counts(self):
        for step in range(1, 4):
            self.trial.checkpoint(f"{step}.pt")
        self.trial.report(3, loss=1)
        self.assertEqual(self.said()[0], {"checkpoint": str(self.folder / "3.pt"), "step": 3})

    def test_a_step_may_be_named(self):
        self.trial.checkpoint("3.pt", step=3)
        self.assertEqual(self.steps("checkpoint"), [3])

    def test_without_a_report_they_belong_to_the_last_step(self):
        self.trial.checkpoint("end.pt")
        self.trial._end()
        self.assertEqual(self.steps("checkpoint"), [4])

    def test_a_function_that_stops_early_leaves_that_of_its_last_report(self):
        self.trial.report(2, loss=1)
        self.trial.checkpoint("end.pt")
        self.trial._end()
        self.assertEqual(self.steps("checkpoint"), [2])

    def test_a_script_that_may_have_failed_leaves_none_of_a_step_with_values(self):
        self.trial.report(2, loss=1)
        self.trial.checkpoint("end.pt")
        self.trial._end(has_returned=False)
        self.assertEqual(self.steps("checkpoint"), [3])


class Examples(Files):
    def refused(self, kind, sentence, ids, values):
        with self.assertRaisesRegex(kind, sentence):
            self.trial.examples(ids, values)
        self.assertEqual(self.texts(), {})

    def test_they_are_a_file_of_the_step_reported_next(self):
        self.trial.examples([11, 2], [0.5, 1])
        self.trial.report(3, loss=1)
        self.assertEqual(self.said()[0], {"examples": str(self.folder / "examples-3.csv"), "step": 3})
        self.assertEqual(self.texts(), {"examples-3.csv": "id,value\n2,1.0\n11,0.5\n"})

    def test_a_later_call_replaces_an_earlier_one(self):
        self.trial.examples([1], [0.5])
        self.trial.examples([1], [0.25])
        self.trial.report(1, loss=1)
        self.assertEqual(self.texts(), {"examples-1.csv": "id,value\n1,0.25\n"})
        self.trial.examples([1], [0.75])
        self.trial.report(2, loss=1)
        self.assertEqual(self.texts(), {"examples-2.csv": "id,value\n1,0.75\n"})
        self.assertEqual(self.steps("examples"), [1, 2])

    def test_behind_the_last_report_they_belong_to_the_last_step(self):
        self.trial.report(4, loss=1)
        self.trial.examples([1], [0.5])
        self.assertEqual(self.steps("examples"), [4])

    def test_where_no_report_follows_they_belong_to_the_last_one(self):
        self.trial.report(1, loss=1)
        self.trial.examples([1], [0.5])
        self.trial._end()
        self.assertEqual(self.steps("examples"), [1])
        self.trial.examples([1], [0.5])
        self.trial.report(2, loss=1)
        self.trial.examples([1], [0.25], step=3)
        self.trial._end()
        self.assertEqual(self.steps("examples"), [2, 3])

    def test_without_a_report_they_belong_to_the_last_step(self):
        self.trial.examples([1], [0.5])
        self.trial._end()
        self.assertEqual(self.steps("examples"), [4])

    def test_a_trial_that_was_ended_leaves_none(self):
        self.trial._has_ended = True
        self.trial.examples([1], [0.5])
        self.assertEqual(self.texts(), {})

    def test_ids_may_be_texts(self):
        self.trial.examples(["b,c", 'say "a"', "a"], [1, 0, 0.125], step=1)
        self.assertEqual(self.texts(), {"examples-1.csv": 'id,value\na,0.125\n"b,c",1.0\n"say ""a""",0.0\n'})

    def test_arrays_and_tensors_are_lists_too(self):
        self.trial.examples(Array([5, 3]), Array([0.5, 0.25]), step=1)
        self.assertEqual(self.texts(), {"examples-1.csv": "id,value\n3,0.25\n5,0.5\n"})

    def test_without_dlrun_they_are_checked_all_the_same(self):
        trial = dlrun.RunningTrial({"trial": 0, "replicate": 0, "fold": 0, "attempt": 0, "params": {}, "seed": 0,
                                    "from_step": 0, "to_step": 1, "folder": str(self.folder)})
        with self.assertRaises(ValueError):
            trial.examples([1], [])

    def test_what_is_wrong_is_said(self):
        self.refused(ValueError, "there are 2 ids, but 1 values", [1, 2], [0.5])
        self.refused(ValueError, "there are 0 examples; 1 to 1000000 are possible", [], [])
        self.refused(ValueError, "the id 7 is there twice", [7, 8, 7], [1.0, 2.0, 1.0])
        self.refused(ValueError, "the value of an example is to be finite, not nan", [1], [float("nan")])
        self.refused(TypeError, "'values' is to have a number for each example, not '1'", [1], ["1"])
        self.refused(TypeError, r"'values' is to have a number for each example, not \[1, 2\]", [1], [[1, 2]])
        self.refused(TypeError, "'values' is to be a list, an array or a tensor, not float", [1], 0.5)
        self.refused(TypeError, "'ids' is to be a list, an array or a tensor, not str", "ab", [1, 2])
        self.refused(TypeError, "'id' is to be a whole number, not 1.5", [1.5], [1])
        self.refused(TypeError, "ids are whole numbers or texts, not both", [1, "1"], [1, 2])
        for wrong in ("", "a\nb", "x" * 201, "\udc80"):
            self.refused(ValueError, "an id is a text of 1 to 200 bytes without control characters", [wrong], [1])


if __name__ == "__main__":
    unittest.main()
