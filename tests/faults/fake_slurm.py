#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sbatch, squeue and scancel without a cluster, under those names in a folder on PATH: jobs are processes of this machine,
their numbers files of FAKE_SLURM. What a file of that folder says happens instead, as a real Slurm 22.05 does it:

  refuse N        the next N submissions fail
  lie N           the next N submissions say that they failed, and did not
  deaf N          the next N questions to the queue fail as they do without a controller
  slow N          the next N submissions take a while, in which the queue shows a part of their jobs
  states          what follows takes the place of what squeue would print"""
import fcntl
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

PLACE = Path(os.environ.get("FAKE_SLURM", ""))
DOWN = "slurm_load_jobs error: Unable to contact slurm controller (connect failure)"
REFUSED = "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's size " \
          "and/or time limits)"


@contextmanager
def locked(place):
    """Nobody else reads or writes what is to happen."""
    with open(place / "lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def takes(name):
    """One of so many that are to happen."""
    path = PLACE / name
    with locked(PLACE):
        left = int(path.read_text()) if path.exists() else 0
        if left > 0:
            path.write_text(str(left - 1))
    return left > 0


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def processes_of(session):
    """Slurm signals each process of a job, whatever process group it is in."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rsplit(")", 1)[1].split()[3]) == session:
                yield int(stat.parent.name)
        except OSError:
            pass


def end(session):
    for pid in processes_of(session):
        try:
            os.kill(pid, signal.SIGTERM)
        except ProcessLookupError:
            pass


def submit(arguments):
    last = int(next(re.match(r"--array=0-(\d+)", a) for a in arguments if a.startswith("--array"))[1])
    script = Path(arguments[-1])
    output = re.search(r"^#SBATCH --output=(.*)$", script.read_text(), re.M)[1].strip('"').replace("%%", "%")
    number = len(list(PLACE.glob("*.batch"))) + 1
    (PLACE / f"{number}.batch").write_text("")
    is_slow, jobs = takes("slow"), []
    for task in range(last + 1):
        environment = {**os.environ, "SLURM_JOB_ID": str(number * 1000 + task), "SLURM_ARRAY_JOB_ID": str(number),
                       "SLURM_ARRAY_TASK_ID": str(task)}
        with open(output.replace("%A", str(number)).replace("%a", str(task)), "a") as log:
            job = subprocess.Popen([str(script)], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                   start_new_session=True)
        jobs.append(job.pid)
    for task, pid in enumerate(jobs):
        if is_slow and task == 1:
            time.sleep(2)
        (PLACE / f"{number}_{task}.job").write_text(str(pid))
    return number


def sbatch(arguments):
    if takes("refuse"):
        sys.exit(REFUSED)
    number = submit(arguments)
    if takes("lie"):
        sys.exit("sbatch: error: Batch job submission failed: Socket timed out on send/recv operation")
    print(number)


def squeue(_):
    if takes("deaf"):
        sys.exit(DOWN)
    if (PLACE / "states").exists():
        return sys.stdout.write((PLACE / "states").read_text())
    for path in sorted(PLACE.glob("*.job")):
        state = "RUNNING" if is_running(int(path.read_text())) else "COMPLETED"
        print(f"{path.stem}|{state}|here|None")
    return None


def scancel(arguments):
    everything = any(a.startswith("--name") for a in arguments)
    for path in PLACE.glob("*.job"):
        pid = int(path.read_text())
        if (everything or path.stem in arguments) and is_running(pid):
            end(pid)


if __name__ == "__main__":
    {"sbatch": sbatch, "squeue": squeue, "scancel": scancel}[Path(sys.argv[0]).name](sys.argv[1:])
