# SPDX-License-Identifier: Apache-2.0
"""Virtual environments with the pinned packages of a list, made once on a machine and kept in dlrun's cache, so that every
checkout has them. Tests that run at the same time wait for one another."""
import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dlrun" / "environments"
SKIPPED = 77  # what ctest takes for a test that was skipped


def environment(requirements):
    """Python of the environment with the packages of this file. Raises CalledProcessError where they cannot be installed."""
    digest = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = CACHE / f"{requirements.parent.name}-{requirements.stem}-{digest}"
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / f"{folder.name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "installed").exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
            subprocess.run([str(folder / "bin/python"), "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", str(requirements)],
                           check=True)
            (folder / "installed").touch()
    return folder / "bin/python"


def environment_or_skip(requirements):
    """The same; ends this program as a skipped test, aloud, where the packages cannot be installed."""
    try:
        return environment(requirements)
    except (subprocess.CalledProcessError, OSError) as fault:
        print(f"SKIPPED: the packages of {requirements.name} cannot be installed here: {fault}", file=sys.stderr, flush=True)
        sys.exit(SKIPPED)


def enter(requirements):
    """Continues this program with the Python of the environment, or skips it."""
    python = environment_or_skip(requirements)
    if Path(sys.prefix) != python.parents[1]:
        os.execv(python, [str(python), "-B", *sys.argv])
