#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over the driver's sources (lib and apps without libtorch), once per content.

  tidy.py BUILD_DIR [--jobs N] [--seconds S] [FILE...]

Ends with 1 at a finding, or if a source of lib or apps has no compile command. After S seconds it stops, says how many
are left, and the next run goes on with those. sources.py says how clean files are remembered.
"""
import subprocess
import sys

import sources

TIDY = "clang-tidy-14"
TORCH_FOLDERS = ("nn", "data", "train", "dlrun-trainer")  # clang takes a minute for each of their files


def main():
    asked = sources.arguments(__doc__)
    version = subprocess.run([TIDY, "--version"], stdout=subprocess.PIPE, check=True).stdout
    settings = (sources.ROOT / ".clang-tidy").read_bytes()
    commands = sources.configured_alone(asked.build)
    sources.require_all("tidy", sources.missing(commands, ("lib", "apps"), TORCH_FOLDERS))
    ours = {place: command for place, command in sources.chosen(commands, asked.files).items()
            if place.parts[0] in ("lib", "apps") and place.parts[1] not in TORCH_FOLDERS}

    def command_line(place, _):
        return [TIDY, "--quiet", "-p", str(asked.build / "alone"), "--extra-arg=-Wno-unknown-warning-option", str(place)]

    return sources.check_each("tidy", ours, version + settings, command_line, asked.jobs, asked.seconds)


if __name__ == "__main__":
    sys.exit(main())
