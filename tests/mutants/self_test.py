#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bugs are planted at the place that they name and nowhere else, and every kept one still has its place."""
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import planting
from generated import changed

SOURCE = "int one() {\n  return a + b;\n}\n\nint two() {\n  return a + b;\n}\n"
BUG = planting.Mutant("minus", "lib/x.cpp", "int two()", "a + b", "a - b", ("unit_x",), "subtracts")


class Planting(unittest.TestCase):
    def test_only_the_function_that_is_named_is_changed(self):
        self.assertEqual(BUG.planted_in(SOURCE), SOURCE[:-len("a + b;\n}\n")] + "a - b;\n}\n")

    def test_a_place_that_is_gone_is_an_error(self):
        for gone in (replace(BUG, function="int three()"), replace(BUG, old="a * b")):
            with self.assertRaisesRegex(planting.NotApplicable, "0 times, not once"):
                gone.planted_in(SOURCE)

    def test_a_place_that_is_there_twice_is_an_error(self):
        with self.assertRaisesRegex(planting.NotApplicable, "2 times, not once"):
            replace(BUG, function="return a").planted_in(SOURCE)

    def test_a_bug_that_changes_nothing_is_an_error(self):
        with tempfile.TemporaryDirectory() as root:
            Path(root, "lib").mkdir()
            Path(root, "lib/x.cpp").write_text(SOURCE)
            self.assertEqual(planting.check([BUG], Path(root)), [])
            self.assertEqual(planting.check([replace(BUG, new="a + b")], Path(root)), ["minus: it changes nothing"])

    def test_a_table_without_a_key_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "x.toml").write_text('[[mutant]]\nname = "minus"\ntests = []\n')
            with self.assertRaisesRegex(planting.NotApplicable, "x.toml"):
                planting.kept(Path(folder))

    def test_every_kept_bug_has_its_place(self):
        self.assertEqual(planting.check(planting.kept().values()), [])


class Generated(unittest.TestCase):
    def test_a_changed_line_is_told(self):
        made = changed(Path("lib/x.cpp"), SOURCE, SOURCE.replace("a + b", "a * b", 1))
        self.assertEqual((made.line, made.old, made.new), (2, "return a + b;", "return a * b;"))
        self.assertEqual(made.text, SOURCE.replace("a + b", "a * b", 1))

    def test_comments_blanks_and_unlikely_kinds_are_passed_over(self):
        for before, after in (("// a + b\n", "// a - b\n"), ("a;\n", "a ;\n"), ("a b;\n", "a  b;\n"), ("a;\n", "break;\n")):
            self.assertIsNone(changed(Path("lib/x.cpp"), before, after), (before, after))


if __name__ == "__main__":
    unittest.main()
