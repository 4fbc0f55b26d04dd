#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the transcripts tests/cli/*.test against built programs and compares what they print.

    tests/cli/run.py --bin build/dev/bin [--approve] [FILE...]

A transcript is a list of commands, each with what it must print. It runs from top to bottom in an empty folder of its
own, by bash, with `dlrun` on PATH and a clean environment:

    # a comment
    %file study.yaml          the lines up to %end become this file
    %end
    %needs zsh                the transcript is skipped where this program is missing, and says so
    $ dlrun version           a command; the next lines are what it must print
    | dlrun 0.1.0             a line of standard output
    ! error: ...              a line of standard error
    = 2                       the exit code, where it is not 0
    $tty 60 dlrun studies     the same on a terminal of 60 columns; both streams come as `|` lines

Placeholders in expected lines: <n> a whole number, <x> any number, <time> a UTC time, <hex> hexadecimal digits,
<*> anything within the line; a line that is `| <...>` or `! <...>` stands for any number of lines.
Lines of progress come whenever a second has passed: they count only where the transcript has one in that place.
--approve writes what was printed into transcripts that differ; lines that match keep their placeholders.
A store that a transcript leaves in ./dlrun-store must be whole: `dlrun verify --decisions all` runs behind its last line.
"""
import argparse
import difflib
import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time

SECONDS = 300  # a command that takes longer hangs
PLACEHOLDERS = {
    "<n>": r"-?\d+",
    "<x>": r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?",
    "<time>": r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?",
    "<hex>": r"[0-9a-f]+",
    "<*>": r".*?",
}
PROGRESS = r"\d+(?:/\d+)? trials(?:, \d+ (?:running|paused|pruned|failed))*(?:, best \S+ \(trial \d+\))?, \d.* (?:s|min|h|left)"


class Step:
    """A command and what it is expected to print; `start` and `end` are its lines in the transcript."""

    def __init__(self, line, start):
        self.start, self.end = start, start + 1
        self.columns = 0
        if line.startswith("$tty "):
            columns, self.command = line[5:].split(" ", 1)
            self.columns = int(columns)
        else:
            self.command = line[2:]
        self.out, self.err, self.code = [], [], 0


def pattern(line):
    parts = re.split("(" + "|".join(map(re.escape, PLACEHOLDERS)) + ")", line)
    return "".join(PLACEHOLDERS.get(part, re.escape(part)) for part in parts)


def matches(expected, actual):
    """Do the lines agree? `<...>` alone stands for any number of lines, as few as will do."""
    if not expected:
        return not actual
    if expected[0] == "<...>":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    return bool(actual) and re.fullmatch(pattern(expected[0]), actual[0]) and matches(expected[1:], actual[1:])


def without_progress(lines, expected):
    """The lines without those of progress, unless some are expected."""
    if any(line.startswith("<n>/") for line in expected):
        return lines
    return [line for line in lines if not re.fullmatch(PROGRESS, line)]


def readable(printed):
    """Escape sequences must be seen in a transcript."""
    text = printed.decode(errors="replace")
    return "".join(c if c >= " " or c == "\n" else "\\x%02x" % ord(c) for c in text)


def run_piped(command, folder, env):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=SECONDS)
    return readable(done.stdout), readable(done.stderr), done.returncode


def run_on_terminal(command, columns, folder, env):
    """Both streams and the input are one pseudo-terminal."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    child = subprocess.Popen(["bash", "-c", command], cwd=folder, env={**env, "TERM": "xterm"}, stdin=side,
                             stdout=side, stderr=side, start_new_session=True)
    os.close(side)
    chunks, deadline = [], time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if not select.select([main], [], [], 1)[0]:
            continue
        try:
            chunk = os.read(main, 65536)
        except OSError:  # the last holder of the other side has gone
            break
        if not chunk:
            break
        chunks.append(chunk)
    else:
        child.kill()
    os.close(main)
    return readable(b"".join(chunks)).replace("\\x0d\n", "\n"), "", child.wait()


def environment(folder, bin_folder):
    home = folder / ".home"
    home.mkdir()
    keep = {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "ASAN_OPTIONS") if name in os.environ}
    runtime = home / "run"
    runtime.mkdir(mode=0o700)
    return {**keep, "PATH": f"{bin_folder}:{os.environ['PATH']}", "HOME": str(home), "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "XDG_CACHE_HOME": str(home / "cache"), "XDG_RUNTIME_DIR": str(runtime), "TMPDIR": str(home),
            "DLRUN_POWERCAP": str(home / "none"), "DLRUN_NVML": str(home / "none")}  # energy is measured only where a transcript says so


class Transcript:
    def __init__(self, path):
        self.path = path
        self.lines = path.read_text().splitlines()

    def actions(self):
        """Files to write and steps to run, in order."""
        i = 0
        while i < len(self.lines):
            line = self.lines[i]
            if line.startswith("%file "):
                end = self.lines.index("%end", i)
                yield ("file", line[6:].strip(), "\n".join(self.lines[i + 1:end]) + "\n")
                i = end
            elif line.startswith("%needs "):
                yield ("needs", line[7:].strip(), None)
            elif line.startswith("$"):
                step = Step(line, i)
                while i + 1 < len(self.lines) and self.lines[i + 1][:1] in ("|", "!", "="):
                    i += 1
                    mark, text = self.lines[i][0], self.lines[i][2:]
                    if mark == "=":
                        step.code = int(text)
                    else:
                        (step.out if mark == "|" else step.err).append(text)
                step.end = i + 1
                yield ("step", step, None)
            elif line and not line.startswith("#"):
                raise SystemExit(f"{self.path}:{i + 1}: not a line of a transcript: {line}")
            i += 1


def merged(expected, actual, folder):
    """What was printed, with the expected line kept wherever it matches, and times and our folder as placeholders."""
    lines = []
    for i, line in enumerate(actual):
        line = re.sub(PLACEHOLDERS["<time>"], "<time>", line).replace(str(folder), "<*>")
        same = i < len(expected) and expected[i] != "<...>" and re.fullmatch(pattern(expected[i]), actual[i])
        lines.append(expected[i] if same else line)
    return lines


def block(out, err, code):
    """The lines of a transcript that say so."""
    lines = [("| " + line).rstrip() for line in out] + [("! " + line).rstrip() for line in err]
    return lines + ([f"= {code}"] if code else [])


def damage(folder, env):
    """1 where `dlrun verify` finds something wrong with the store that a transcript leaves behind, and says it."""
    if not list(folder.glob("dlrun-store/studies/*.db")):
        return 0
    out, err, code = run_piped("dlrun verify --decisions all", folder, env)
    if code == 0:
        return 0
    print(f"dlrun verify ended with {code}\n{out}{err}")
    return 1


def run(path, bin_folder, approve):
    """Returns the number of steps that differ; -1 where the transcript was skipped."""
    transcript, faults, replacements = Transcript(path), 0, []
    with tempfile.TemporaryDirectory(prefix="dlrun-cli-", dir="/tmp") as name:
        folder = pathlib.Path(name)
        env = {**environment(folder, bin_folder), "REPO": str(pathlib.Path(__file__).resolve().parents[2])}
        for what, value, text in transcript.actions():
            if what == "needs":
                if not shutil.which(value, path=env["PATH"]):
                    print(f"SKIPPED {path.name}: {value} is not installed")
                    return -1
            elif what == "file":
                (folder / value).parent.mkdir(parents=True, exist_ok=True)
                (folder / value).write_text(text)
            else:
                try:
                    got = run_on_terminal(value.command, value.columns, folder, env) if value.columns \
                        else run_piped(value.command, folder, env)
                except subprocess.TimeoutExpired:
                    got = ("", f"no end after {SECONDS} s", -1)
                out, err, code = got[0].splitlines(), got[1].splitlines(), got[2]
                out = without_progress([line.rstrip() for line in out], value.out)
                err = without_progress([line.rstrip() for line in err], value.err)
                if matches(value.out, out) and matches(value.err, err) and code == value.code:
                    continue
                faults += 1
                replacements.append((value, block(merged(value.out, out, folder), merged(value.err, err, folder), code)))
                print(f"{path}:{value.start + 1}: $ {value.command}")
                want, have = block(value.out, value.err, value.code), block(out, err, code)
                print("\n".join("    " + line for line in difflib.unified_diff(want, have, "expected", "printed",
                                                                              lineterm="", n=3)))
        faults += damage(folder, env)
    if approve and replacements:
        for step, lines in reversed(replacements):
            transcript.lines[step.start + 1:step.end] = lines
        path.write_text("\n".join(transcript.lines) + "\n")
        print(f"approved {len(replacements)} steps of {path}")
        return 0
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of dlrun and dlrun-worker")
    parser.add_argument("--approve", action="store_true", help="write what is printed into the transcripts")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    files = options.files or sorted(pathlib.Path(__file__).parent.glob("*.test"))
    counts = [run(path, options.bin.resolve(), options.approve) for path in files]
    failed, skipped = sum(c > 0 for c in counts), sum(c < 0 for c in counts)
    print(f"{len(files) - failed - skipped} transcripts agree, {failed} differ, {skipped} skipped")
    return 1 if failed else 77 if skipped and skipped == len(files) else 0


if __name__ == "__main__":
    sys.exit(main())
