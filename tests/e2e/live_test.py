#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`dlrun tune` and `dlrun top` on a terminal: they draw a study that stands still, follow the terminal's size, and end
with the study, by signals, or when the terminal is closed."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
import support  # noqa: E402

SEQUENCE = re.compile(r"\x1b\[(\d*)([AJK])|[\r\n]|[^\x1b\r\n]+")


class Terminal:
    """As much of a terminal as plain redrawing needs: lines, cursor up, and the two ways of clearing."""

    def __init__(self, columns, rows=24):
        self.main, self.side = pty.openpty()
        self.resize(columns, rows)
        self.lines, self.row, self.column = [""], 0, 0
        self.unread = b""

    def resize(self, columns, rows=24):
        fcntl.ioctl(self.main, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def start(self, folder, *words):
        """The child has this for its terminal, so that it is told of its size and its end."""
        def adopt():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        process = subprocess.Popen([str(word) for word in words], cwd=folder, stdin=self.side, stdout=self.side,
                                   stderr=self.side, env={**os.environ, "TERM": "xterm"}, preexec_fn=adopt)
        os.close(self.side)
        return process

    def read(self):
        """Takes in what has come. @return False: nothing can come any more"""
        while select.select([self.main], [], [], 0.05)[0]:
            try:
                chunk = os.read(self.main, 65536)
            except OSError:
                return False
            if not chunk:
                return False
            self.feed(self.unread + chunk)
        return True

    def feed(self, data):
        cut = max(data.rfind(b"\n"), data.rfind(b"J")) + 1  # whole sequences and characters only
        self.unread = data[cut:]
        for found in SEQUENCE.finditer(data[:cut].decode()):
            self.take(found)

    def take(self, found):
        text, line = found.group(0), self.lines[self.row]
        if found.group(2) == "A":
            self.row = max(self.row - int(found.group(1) or 1), 0)
        elif found.group(2):
            self.lines[self.row] = line[:self.column]
            if found.group(2) == "J":
                del self.lines[self.row + 1:]
        elif text == "\r":
            self.column = 0
        elif text == "\n":
            self.row += 1
            if self.row == len(self.lines):
                self.lines.append("")
        else:
            self.lines[self.row] = line[:self.column] + text + line[self.column + len(text):]
            self.column += len(text)

    def text(self):
        return "\n".join(self.lines)


class Live(support.Folder):
    def begin(self, terminal, *words):
        process = terminal.start(self.folder, support.BIN / "dlrun", *words)
        self.started.append(process)
        return process

    def await_text(self, terminal, pattern):
        def has_come():
            terminal.read()
            return re.search(pattern, terminal.text())

        return self.await_(f"{pattern!r} on the terminal", has_come)

    def end(self, terminal, process):
        while terminal.read():
            pass
        os.close(terminal.main)
        return process.wait(support.DEADLINE)

    def begin_held(self):
        """A study whose eight trials stand still, started without a terminal."""
        study = self.write_gated()
        self.hold_from(0)
        driver = self.start("tune", study, "-w", "3", "--store", "store")
        self.await_("three running trials", lambda: self.count("v_attempts where state = 'running'") >= 3, driver)
        return driver

    def test_tune_draws_running_trials_and_takes_them_away(self):
        study = self.write_gated()
        self.hold_from(0)
        terminal = Terminal(80)
        process = self.begin(terminal, "tune", study, "-w", "2", "--color", "never")
        self.await_text(terminal, r"(?m)^trial 1 +0/9 +- +x=")
        self.assertRegex(terminal.text(), r"(?m)^\[\.+\]   0 %  0/~\d+ epochs, \d")
        self.assertRegex(terminal.text(), r"(?m)^0/30 trials, 2 of 2 workers busy$")
        self.assertTrue(all(len(line) < 80 for line in terminal.lines), terminal.text())
        self.open_gate()
        self.assertEqual(self.end(terminal, process), 0)
        self.assertNotRegex(terminal.text(), r"(?m)^trial 1 |workers busy|epochs,")
        self.assertRegex(terminal.text(), r"(?m)^sphere: \d+ completed, \d+ pruned \(limit of 30 trials\)$")

    def test_a_dumb_terminal_gets_plain_lines(self):
        terminal = Terminal(80)
        process = terminal.start(self.folder, "env", "TERM=dumb", support.BIN / "dlrun", "tune",
                                 self.write(support.FUNCTION_STUDY), "-w", "2", "--color", "never")
        self.started.append(process)
        self.assertEqual(self.end(terminal, process), 0)
        self.assertNotIn("\x1b", terminal.text())
        self.assertNotIn("workers busy", terminal.text())

    def test_top_follows_the_size_of_its_terminal_and_the_study_to_its_end(self):
        driver = self.begin_held()
        terminal = Terminal(100)
        process = self.begin(terminal, "top", "--store", "store", "--color", "never")
        self.await_text(terminal, r"(?m)^sphere: running\n\[\.+\]   0 %  0/~\d+ epochs, .*\n0/30 trials, 3 of 3 workers busy")
        terminal.resize(30)
        self.await_text(terminal, r"(?m)^0/30 trials,\n3 of 3 workers busy")
        self.open_gate()
        self.end_of(driver)
        self.assertEqual(self.end(terminal, process), 0)
        self.assertRegex(terminal.text(), r"(?m)^sphere: finished$")
        self.assertRegex(terminal.text(), r"30/30 trials, ")
        self.assertIn("sphere: finished (limit of 30 trials); no driver runs it", terminal.text())

    def test_signals_end_top_and_leave_the_study(self):
        driver = self.begin_held()
        for number in (signal.SIGINT, signal.SIGTERM):
            terminal = Terminal(80)
            process = self.begin(terminal, "top", "--store", "store")
            self.await_text(terminal, "workers busy")
            process.send_signal(number)
            self.assertEqual(self.end(terminal, process), 0)
            self.assertIn("sphere: running", terminal.text())
        self.assertIsNone(driver.poll())
        self.open_gate()
        self.end_of(driver)

    def test_a_closed_terminal_ends_top_and_leaves_the_study(self):
        driver = self.begin_held()
        terminal = Terminal(80)
        process = self.begin(terminal, "top", "--store", "store")
        self.await_text(terminal, "workers busy")
        os.close(terminal.main)
        self.assertEqual(process.wait(support.DEADLINE), 0)
        self.assertIsNone(driver.poll())
        self.open_gate()
        self.end_of(driver)


if __name__ == "__main__":
    unittest.main()
