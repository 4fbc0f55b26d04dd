#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`dlrun sql` on a terminal: what a person types, Tab and the arrows among it, and the keys that end a query or the shell."""
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
import support  # noqa: E402

STUDY = """\
study: few
seed: 3
objective: {metric: value, direction: minimize}
space:
  x: {type: float, low: -1, high: 1}
search: {sampler: random, lanes: 1}
limits: {trials: 3}
trial: {kind: function, function: {op: sphere}, epochs: 2}
"""
FOLDER = tempfile.TemporaryDirectory(prefix="dlrun-sql-")
ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n;"
COMMANDS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
PROMPT = "sql> "


def setUpModule():
    Path(FOLDER.name, "few.yaml").write_text(STUDY)
    subprocess.run([support.BIN / "dlrun", "tune", "few.yaml", "-w", "1", "-q"], cwd=FOLDER.name, check=True,
                   stdout=subprocess.DEVNULL)


def tearDownModule():
    FOLDER.cleanup()


class Shell:
    """A shell with a terminal of its own."""

    def __init__(self, home, *words):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(FOLDER.name)
            for name in ("XDG_STATE_HOME", "EDITRC"):
                os.environ.pop(name, None)
            os.environ.update(TERM="xterm", HOME=home, NO_COLOR="1", LC_ALL="C.UTF-8")
            os.execv(support.BIN / "dlrun", ["dlrun", "sql", *words])
        self.await_text(PROMPT)

    def await_text(self, expected):
        """Everything that was shown up to the expected text, without the commands to the terminal."""
        shown, deadline = "", time.monotonic() + support.DEADLINE
        while expected not in COMMANDS.sub("", shown):
            if time.monotonic() > deadline:
                raise AssertionError(f"not seen: {expected!r} in {shown!r}")
            if select.select([self.terminal], [], [], 0.2)[0]:
                try:
                    shown += os.read(self.terminal, 65536).decode(errors="replace")
                except OSError as end:
                    raise AssertionError(f"ended before {expected!r}: {shown!r}") from end
        return COMMANDS.sub("", shown).replace("\r", "")

    def await_editing(self):
        """The prompt comes a moment before the terminal hands over single keys."""
        deadline = time.monotonic() + support.DEADLINE
        while termios.tcgetattr(self.terminal)[3] & termios.ICANON:
            if time.monotonic() > deadline:
                raise AssertionError("no line is edited")
            time.sleep(0.01)

    def type(self, keys, expected=PROMPT):
        self.await_editing()
        return self.press(keys, expected)

    def press(self, keys, expected=PROMPT):
        """The same while a query runs."""
        os.write(self.terminal, keys.encode())
        return self.await_text(expected)

    def end(self, keys="\x04"):
        """The exit code of the shell after these keys."""
        self.await_editing()
        os.write(self.terminal, keys.encode())
        deadline = time.monotonic() + support.DEADLINE
        while time.monotonic() < deadline:
            if select.select([self.terminal], [], [], 0.2)[0]:
                try:
                    os.read(self.terminal, 65536)
                except OSError:
                    break
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


class SqlShell(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.TemporaryDirectory(prefix="dlrun-home-")
        self.addCleanup(self.home.cleanup)

    def shell(self, *words):
        return Shell(self.home.name, *words)

    def test_a_statement_may_have_many_lines(self):
        shell = self.shell("few")
        shell.type("select count(*) as trials\n", "...> ")
        shell.type("from trials\n", "...> ")
        self.assertIn("trials\n     3\n", shell.type(";\n"))
        self.assertEqual(shell.end(), 0)

    def test_tab_completes_tables_columns_functions_and_keywords(self):
        shell = self.shell("few")
        shell.type("sel\t", "ect")
        shell.type(" medi\t", "an(")
        shell.type("objective_st\t", "ep")
        shell.type(") as m from tri\t", "als")
        self.assertIn("\nm\n2\n", shell.type(";\n").replace(" ", ""))
        shell.type("select trials.obj\t", "ective")  # as far as both agree
        self.assertRegex(shell.type("\t", PROMPT + "select trials.objective"), r"\nobjective +objective_step\n")
        shell.type("\x03")
        shell.type(".sch\t", "ema")
        shell.type(" tag\t", "s")
        self.assertIn("columns of tags\n", shell.type("\n"))
        self.assertEqual(shell.end(), 0)

    def test_a_fault_is_shown_with_its_place_and_ends_nothing(self):
        shell = self.shell("few")
        shell.type("select 1,\n", "...> ")
        shown = shell.type("  objectiv from trials;\n")
        self.assertIn("error: sql:2:3: no such column: objectiv\n    2 |   objectiv from trials;\n          ^\n", shown)
        self.assertIn("did you mean '.tables'?", shell.type(".tabels\n"))
        self.assertIn("\n42\n", shell.type("select 6 * 7 as n;\n").replace("  ", ""))
        self.assertEqual(shell.end(".quit\n"), 0)

    def test_ctrl_c_drops_a_statement_and_ends_a_query(self):
        shell = self.shell("few")
        shell.type("select 1,\n", "...> ")
        self.assertIn("^C\n" + PROMPT, shell.type("\x03"))
        shell.type(ENDLESS + "\n", "\n")
        child = self.await_child(shell.pid)
        self.assertIn("error: the query was cancelled\n", shell.press("\x03"))
        self.assertFalse(Path(f"/proc/{child}").exists())
        self.assertIn("\n7\n", shell.type("select 7 as n;\n").replace("  ", ""))
        self.assertEqual(shell.end(), 0)

    def await_child(self, parent):
        deadline = time.monotonic() + support.DEADLINE
        while time.monotonic() < deadline:
            children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
            if children:
                return children[0]
            time.sleep(0.02)
        raise AssertionError("no query runs")

    def test_statements_come_back_in_the_next_shell(self):
        first = self.shell("few")
        first.type("select 'first',\n", "...> ")
        first.type("1 as one;\n")
        self.assertEqual(first.end(), 0)
        second = self.shell("few")
        second.type("\x1b[A", "select 'first', 1 as one;")
        self.assertIn("first", second.type("\n"))
        self.assertEqual(second.end(), 0)
        kept = Path(self.home.name, ".local/state/dlrun/sql_history")
        self.assertEqual(kept.stat().st_mode & 0o777, 0o600)

    def test_formats_change_in_between(self):
        shell = self.shell("few", "--format", "csv")
        self.assertIn("\na,b\n1,2\n", shell.type("select 1 as a, 2 as b;\n"))
        shell.type(".format j\t\n")
        self.assertIn('"a": 1', shell.type("select 1 as a;\n"))
        self.assertEqual(shell.end(), 0)

    def test_letters_beyond_ascii_are_edited_as_letters(self):
        shell = self.shell("few")
        self.assertIn("\n\u00fc\n", shell.type("select '\u00e4\x7f\u00fc' as x;\n").replace("  ", ""))
        self.assertEqual(shell.end(), 0)


if __name__ == "__main__":
    unittest.main()
