#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of tests/long in a small checkout, where programs of the part `apart` succeed or fail as a test says."""
import datetime
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("tests/long", "tests/product.txt", "tests/README.md", "third_party/jobs")


class Long(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = Path(holder.name).resolve()
        for name in COPIED:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        self.program("cmake", "true")
        self.program("ctest", "true")
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)
        subprocess.run(["git", "add", "."], cwd=self.root, check=True)
        subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "all"], cwd=self.root, check=True)

    def program(self, name, command):
        file = self.root / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{command}\n")
        file.chmod(0o755)

    def long(self, *parts):
        path = f"{self.root / 'bin'}:{os.environ['PATH']}"
        return subprocess.run(["tests/long", *parts], cwd=self.root, env={**os.environ, "PATH": path}, capture_output=True, text=True)

    def row(self):
        rows = (self.root / "tests/README.md").read_text().splitlines()
        return next(row for row in rows if "| `apart`: " in row)

    def test_a_part_that_passed_gets_its_day(self):
        done = self.long("apart")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"long: apart passed in \d+ s")
        self.assertIn(f"| {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}, ", self.row())

    def test_a_part_fails_with_its_first_command_and_goes_no_further(self):
        before = self.row()
        self.program("cmake", "exit 1")
        self.program("ctest", "touch went_on")
        done = self.long("apart")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, r"long: apart FAILED after \d+ s")
        self.assertFalse((self.root / "went_on").exists())
        self.assertEqual(self.row(), before)

    def test_parts_after_one_that_failed_still_run(self):
        self.program("cmake", "exit 1")
        done = self.long("apart", "apart")
        self.assertEqual(done.stdout.count("FAILED"), 2, done.stdout)


if __name__ == "__main__":
    unittest.main()
