# SPDX-License-Identifier: Apache-2.0
"""Commands whose output is shown, and folders: shared by all systems."""
import os
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
BUILDS = ROOT / "build/systems"
JOBS = subprocess.run([ROOT / "third_party/jobs"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def run(*command, **options):
    """Runs a command in view; ends the part if it fails."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, **options)
    if done.returncode != 0:
        raise SystemExit(f"systems: '{command[0]}' ended with {done.returncode}")


def step(name, *command, **options):
    """`run`, and a line with its name and seconds."""
    began = time.monotonic()
    run(*command, **options)
    print(f"systems: {name}: {time.monotonic() - began:.0f} s", flush=True)
