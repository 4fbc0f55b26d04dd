# SPDX-License-Identifier: Apache-2.0
"""What it costs to carry a study with its checkpoints into another store: memory, which must not grow with what is carried, and
seconds beside tar of the same folder (memory is an upper bound, for a process begins as a copy of this one), which hashes nothing and waits for no disk."""
import random
import shutil
import statistics
import tempfile
from array import array
from pathlib import Path

from benchlib import DLRUN, Row, say, timed

TRIALS, FLOATS = 1000, 500_000  # a checkpoint of 2 MB for each trial: 2 GB
MOST_MB, MOST_GROWTH = 64, 1.1
PAIRS = 3

STUDY = """\
study: carried
objective: {{metric: value, direction: minimize}}
space:
  x: {{type: float, low: 0, high: 1}}
search: {{sampler: random}}
limits: {{trials: {trials}}}
keep: {{best: {trials}}}
trial: {{kind: command, command: [python3, leave.py, "{{x}}"]}}
"""
# The same weights with other mantissas: no two files have a run of bytes in common.
PROGRAM = """\
import os, random, sys
weights = open("weights.bin", "rb").read()
size, small = len(weights), int.from_bytes(b"\\xff\\xff\\x07\\x00" * (len(weights) // 4), "little")
change = int.from_bytes(random.Random(sys.argv[1]).randbytes(size), "little") & small
with open(os.environ["DLRUN_DIR"] + "/weights", "wb") as file:
    file.write((int.from_bytes(weights, "little") ^ change).to_bytes(size, "little"))
line = '{"metric": "value", "step": 1, "value": %s}\\n{"checkpoint": "weights", "step": 1}\\n'
os.write(3, (line % sys.argv[1]).encode())
"""


def study_of(folder, trials):
    """A store whose checkpoints are as many, normally distributed as weights are, each of its own content."""
    folder.mkdir()
    draw = random.Random(1)
    (folder / "weights.bin").write_bytes(array("f", (draw.gauss(0, 0.05) for _ in range(FLOATS))).tobytes())
    (folder / "leave.py").write_text(PROGRAM)
    (folder / "study.yaml").write_text(STUDY.format(trials=trials))
    timed([DLRUN, "tune", "study.yaml", "-q", "--workers", 2], cwd=folder)
    shutil.rmtree(folder / "dlrun-store" / "studies" / "carried")  # attempts' folders: neither side takes them
    return folder


def exported(folder, *options):
    (folder / "out.tar").unlink(missing_ok=True)
    return timed([DLRUN, "export", "--archive", "-q", "-o", "out.tar", *options], cwd=folder)


def imported(folder):
    shutil.rmtree(folder / "there", ignore_errors=True)
    return timed([DLRUN, "import", "-q", "out.tar", "--store", "there"], cwd=folder)


def packed(folder, *options):
    (folder / "by-tar").unlink(missing_ok=True)
    return timed(["tar", "cf", "by-tar", *options, "dlrun-store"], cwd=folder)


def unpacked(folder):
    shutil.rmtree(folder / "by-tar.d", ignore_errors=True)
    (folder / "by-tar.d").mkdir()
    return timed(["tar", "xf", "by-tar", "-C", "by-tar.d"], cwd=folder)


def memory_row(name, large, small):
    peak, tenth = max(t.peak_mb for t in large), max(t.peak_mb for t in small)
    return Row(f"weights.archive.{name}.memory", peak, "MB", "a tenth", tenth, peak / tenth,
               f"<= {MOST_MB} MB, <= {MOST_GROWTH} times", peak <= MOST_MB and peak <= MOST_GROWTH * tenth)


def seconds_row(name, ours, theirs, peer, note=""):
    mine, other = (statistics.median(t.seconds for t in side) for side in (ours, theirs))
    return Row(f"weights.archive.{name}.seconds", mine, "s", peer, other, mine / other, "<= 3 times", mine <= 3 * other, note)


def gain_of(folder, plain):
    return 100 * (1 - (folder / "out.tar").stat().st_size / plain)


def rows(pairs=PAIRS):
    with tempfile.TemporaryDirectory() as place:
        say(f"weights: archives of {TRIALS} trials")
        large, small = study_of(Path(place, "large"), TRIALS), study_of(Path(place, "small"), TRIALS // 10)
        few = [(exported(small), imported(small)) for _ in range(pairs)]
        many = [(exported(large), packed(large), imported(large), unpacked(large)) for _ in range(pairs)]
        plain = (large / "out.tar").stat().st_size
        zipped = [(exported(large, "--zstd"), packed(large, "--zstd")) for _ in range(pairs)] if shutil.which("zstd") else []
        ours, tars, arrivals, untars = zip(*many)
        size = f"{plain / 1e9:.2f} GB"
        out = [memory_row("export", ours, [f[0] for f in few]), memory_row("import", arrivals, [f[1] for f in few]),
               seconds_row("export", ours, tars, "tar c", size), seconds_row("import", arrivals, untars, "tar x", f"{size}; every file is fsynced")]
        if zipped:
            out.append(seconds_row("zstd", [z[0] for z in zipped], [z[1] for z in zipped], "tar --zstd", f"{gain_of(large, plain):.1f} % smaller"))
        return out
