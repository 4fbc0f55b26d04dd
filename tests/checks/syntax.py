#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles each source alone, without code (-fsyntax-only), once per content: unity builds hide a missing include.

  syntax.py BUILD_DIR [--jobs N] [--seconds S] [FILE...]

Ends with 1 at a finding, or if a source of lib or apps has no compile command. After S seconds it stops, says how many
are left, and the next run goes on with those. sources.py says how clean files are remembered.
"""
import shlex
import subprocess
import sys

import sources


def command_line(_, command):
    """The compile command without its output."""
    words = shlex.split(command)
    output = words.index("-o")
    return [*words[:output], *words[output + 2:], "-fsyntax-only"]


def main():
    asked = sources.arguments(__doc__)
    commands = sources.configured_alone(asked.build)
    sources.require_all("syntax", sources.missing(commands, ("lib", "apps")))
    compiler = shlex.split(next(iter(commands.values())))[0]
    version = subprocess.run([compiler, "--version"], stdout=subprocess.PIPE, check=True).stdout
    return sources.check_each("syntax", sources.chosen(commands, asked.files), version, command_line, asked.jobs,
                              asked.seconds)


if __name__ == "__main__":
    sys.exit(main())
