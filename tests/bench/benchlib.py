# SPDX-License-Identifier: Apache-2.0
"""What all benchmarks share: rows, the peers' environments, timing of whole commands, interleaved pairs."""
import datetime
import hashlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("DLRUN_BIN") or ROOT / "build" / "release" / "bin").resolve()
DLRUN = BIN / "dlrun"
PEERS = Path(__file__).resolve().parent / "peers"


@dataclass
class Row:
    """One measured figure. `ratio` is value / peer_value for costs, the other way round for speeds: see `better`."""

    name: str
    value: Optional[float]
    unit: str
    peer: str = ""
    peer_value: Optional[float] = None
    ratio: Optional[float] = None
    target: str = ""
    met: Optional[bool] = None
    note: str = ""


def say(text):
    print(text, file=sys.stderr, flush=True)


def require_release_build():
    """Builds what is measured and what measures, unless DLRUN_BIN names programs that are there."""
    if os.environ.get("DLRUN_BIN"):
        return
    say("building the release preset, where it is not up to date")
    subprocess.run([str(ROOT / "third_party" / "install")], check=True)
    subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "release", "-j2", "--target", "programs", "bench_programs"], cwd=ROOT,
                   check=True, stdout=subprocess.DEVNULL)


def environment(name):
    """Python of a virtual environment under build/ that holds peers/<name>.txt; made at the first call."""
    requirements = PEERS / f"{name}.txt"
    folder = ROOT / "build" / "bench" / name
    stamp = folder / "installed.txt"
    python = folder / "bin" / "python"
    if not stamp.exists() or stamp.read_text() != requirements.read_text():
        say(f"installing the peers of {requirements.name}")
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", "-r", str(requirements)], check=True)
        stamp.write_text(requirements.read_text())
    return python


@dataclass
class Timing:
    seconds: float
    peak_mb: float
    output: str
    said: str = ""   # on standard error


def timed(command, cwd=None, env=None):
    """Runs a whole command; its wall time and the peak memory of its largest process. A failure ends the benchmark."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        start = time.perf_counter()
        process = subprocess.Popen([str(c) for c in command], cwd=cwd, env=env, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, command))} ended with {process.returncode}\n{err.read()[-2000:]}")
        return Timing(seconds, usage.ru_maxrss / 1024, out.read(), err.read())


def kept(name, decides, measure):
    """The text of measure(), from the file of an earlier run where nothing that decides it has changed.

    @param decides  values that JSON can hold, such as versions, the script and its arguments
    """
    key = hashlib.sha256(json.dumps(decides).encode()).hexdigest()[:16]
    file = ROOT / "build" / "bench" / "regret" / f"{name}-{key}.txt"
    if not file.exists():
        output = measure()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(output)
    return file.read_text()


def median_pair(ours, theirs, pairs):
    """Medians of interleaved runs: [(ours, theirs), …], so that a busy machine hurts both alike."""
    values = [(ours(), theirs()) for _ in range(pairs)]
    return statistics.median(v[0] for v in values), statistics.median(v[1] for v in values)


def single_thread_env():
    return dict(os.environ, OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")


def number(value):
    if value is None:
        return ""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def table(rows):
    head = ["benchmark", "dlrun", "unit", "peer", "peer's", "ratio", "target", "met"]
    cells = [head] + [
        [r.name, number(r.value), r.unit, r.peer, number(r.peer_value), number(r.ratio), r.target,
         "" if r.met is None else ("yes" if r.met else "no")] for r in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    lines = ["| " + " | ".join(c.ljust(w) for c, w in zip(row, widths)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


def machine():
    with open("/proc/cpuinfo") as info:
        model = next((line.split(":")[1].strip() for line in info if line.startswith("model name")), "unknown")
    gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{datetime.date.today()}, {os.cpu_count()} cores ({model}), {gib:.0f} GiB, {platform.system()} {platform.release()}"
