#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Types into an interactive program on a terminal and waits for what it shows.

    type_into.py 'zsh -f -i' TYPED EXPECTED [TYPED EXPECTED]...

Backslash escapes are understood (\\t, \\n). Prints "seen: EXPECTED" for each, or what was shown instead, and ends with 1.
"""
import os
import pty
import select
import sys
import time

SECONDS = 30


def wait_for(main, expected):
    """What was shown up to `expected`, and whether it came."""
    shown, deadline = "", time.monotonic() + SECONDS
    while expected not in shown and time.monotonic() < deadline:
        if select.select([main], [], [], 0.2)[0]:
            try:
                shown += os.read(main, 4096).decode(errors="replace")
            except OSError:
                break
    return shown, expected in shown


def main():
    program = sys.argv[1].split()
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(program[0], program)
    words = [word.encode().decode("unicode_escape") for word in sys.argv[2:]]
    for typed, expected in zip(words[::2], words[1::2]):
        os.write(terminal, typed.encode())
        shown, came = wait_for(terminal, expected)
        print(f"seen: {expected.strip()}" if came else f"not seen: {expected!r} in {shown!r}")
        if not came:
            return 1
    os.close(terminal)
    os.waitpid(child, 0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
