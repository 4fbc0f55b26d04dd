# SPDX-License-Identifier: Apache-2.0
"""Virtual environments with the packages of a list beside this file, made once and kept under build/."""
import fcntl
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = HERE.parents[1] / "build" / "environments"


def environment(name):
    """Folder of the environment with the packages of NAME.txt. Tests that run at the same time wait for one another."""
    wanted = (HERE / f"{name}.txt").read_text()
    folder, stamp = CACHE / name, CACHE / name / "installed.txt"
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != wanted:
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
            packages = ["-r", str(HERE / f"{name}.txt")]
            subprocess.run([str(folder / "bin" / "pip"), "install", "-q", *packages], check=True)
            stamp.write_text(wanted)
    return folder


def enter(name):
    """Continues this program with the Python of the environment."""
    folder = environment(name)
    if Path(sys.prefix) != folder:
        python = str(folder / "bin" / "python")
        os.execv(python, [python, "-B", *sys.argv])
