# SPDX-License-Identifier: Apache-2.0
"""The referee of the attack tells what differs: differences are planted, one of each kind, and it must find them."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ATTACK = Path(__file__).with_name("attack.py")


class Referee(unittest.TestCase):
    def attack(self, *options, study="programs"):
        words = [sys.executable, ATTACK, "--seed", "1", "--only", "0", "--studies", study, "--kinds", "interrupt", *options]
        with tempfile.TemporaryDirectory() as folder:  # folders of differences are kept there
            done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "TMPDIR": folder})
        return done.returncode, done.stdout

    def test_nothing_planted(self):
        code, text = self.attack()
        self.assertEqual(code, 0, text)
        self.assertIn("attack: 1 disturbances, 0 differences", text)

    def require_found(self, plant, what):
        code, text = self.attack("--plant", plant)
        self.assertEqual(code, 1, text)
        self.assertRegex(text, what)
        self.assertIn("repeat: tests/attack/attack.py --seed 1 --only 0 --studies programs --kinds interrupt", text)

    def test_a_value_that_was_not_measured(self):
        self.require_found("value", r"export differs: .*objective")

    def test_a_process_that_is_left(self):
        self.require_found("process", r"process left: python3")

    def test_a_file_that_is_left(self):
        self.require_found("file", r"unexpected file: studies/leftover.tmp")

    def test_an_artifact_that_has_changed(self):
        self.require_found("damage", r"verify: .*artifact .* is damaged .exit code 4.")


if __name__ == "__main__":
    unittest.main()
