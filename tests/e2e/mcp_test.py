# SPDX-License-Identifier: Apache-2.0
"""The real client of the Model Context Protocol (the package mcp) speaks with `dlrun mcp`, in both of its ways."""
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "faults"), str(HERE.parent / "support")]
from environments import environment_or_skip  # noqa: E402
from support import BIN, Folder  # noqa: E402

STUDY = """\
study: first
objective: {metric: value, direction: minimize}
space:
  x1: {type: float, low: 0, high: 1}
  x2: {type: float, low: 0, high: 1}
search: {lanes: 8}
limits: {trials: 12}
trial: {kind: function, function: {op: sphere}}
"""
SLOW = """\
study: slow
objective: {metric: value, direction: minimize}
space: {x1: {type: float, low: 0, high: 1}}
limits: {trials: 1}
trial: {kind: command, command: [sleep, "100"]}
"""


PYTHON = environment_or_skip(HERE / "mcp.txt")


class Client(Folder):
    def test_every_way_of_the_client(self):
        (self.folder / "first.yaml").write_text(STUDY)
        (self.folder / "second.yaml").write_text(STUDY.replace("study: first", "study: second"))
        (self.folder / "slow.yaml").write_text(SLOW)
        subprocess.run([BIN / "dlrun", "tune", "-q", "first.yaml", "-w", "1"], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        for mode, revision in ("legacy", "2025-11-25"), ("auto", "2026-07-28"), ("2026-07-28", "2026-07-28"):
            with self.subTest(mode=mode):
                done = subprocess.run([PYTHON, HERE / "mcp_client.py", BIN / "dlrun", mode, revision], cwd=self.folder,
                                      capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual(done.stdout.splitlines()[-1], "all as expected")


if __name__ == "__main__":
    unittest.main(verbosity=2)
