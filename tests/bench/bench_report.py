# SPDX-License-Identifier: Apache-2.0
"""Reports of large studies: the table, the page, its size, and how soon a browser shows it (tests/browser/look.py, headless
Chromium with software rendering). Random trials with 8 parameters, as many as the rows say; medians of three runs."""
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchlib import DLRUN, ROOT, Row, timed

STUDY = """\
study: large
objective: {{metric: value, direction: minimize}}
space:
{space}
search: {{sampler: random, lanes: 8}}
limits: {{trials: {trials}}}
trial: {{kind: function, function: {{op: rosenbrock}}, epochs: 1}}
"""
RUNS = 3


def fill(folder, trials):
    """A store with one study of so many trials."""
    space = "\n".join(f"  x{i}: {{type: float, low: -5, high: 10}}" for i in range(8))
    (folder / "study.yaml").write_text(STUDY.format(space=space, trials=trials))
    timed([DLRUN, "tune", folder / "study.yaml", "--store", folder / "store", "-w", "2", "-q"])
    return ["--store", folder / "store"]


def measured(command):
    """(seconds, MB of memory), medians."""
    runs = [timed([DLRUN, "report", "large", "-q", *command]) for _ in range(RUNS)]
    return statistics.median(run.seconds for run in runs), statistics.median(run.peak_mb for run in runs)


def row(name, value, unit, most):
    return Row(name, value, unit, target=f"<= {most:g} {unit}", met=value <= most)


def large_rows(folder):
    store = fill(folder, 100_000)
    page = folder / "large.html"
    table, _ = measured(store)
    seconds, memory = measured(["--html", page, *store])
    return [row("table 100,000", table, "s", 0.2), row("html 100,000", seconds, "s", 5), row("memory 100,000", memory, "MB", 300),
            row("html size 100,000", page.stat().st_size / 1e6, "MB", 15)]


def browser_times(page):
    """{what: seconds} of the page in a light window; the further plots as a list under `plot`."""
    done = subprocess.run([sys.executable, ROOT / "tests/browser/look.py", page], capture_output=True, text=True)
    line = next(line for line in done.stdout.splitlines() if " light 1280: " in line)
    found = {"plot": []}
    for name, seconds in re.findall(r"([a-z ]+?) ([\d.]+) s", line.split("1280:")[1]):
        name = name.strip()
        if name.startswith("plot "):
            found["plot"].append(float(seconds))
        else:
            found[name] = float(seconds)
    return found


def browser_rows(folder):
    store = fill(folder, 10_000)
    page = folder / "page.html"
    measured(["--html", page, *store])
    times = browser_times(page)
    return [row("html size 10,000", page.stat().st_size / 1e6, "MB", 10), row("first text", times["readable"], "s", 1),
            row("first plot", times["first plot"], "s", 4), row("next plot", max(times["plot"]), "s", 2)]


def rows(full):
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        return browser_rows(Path(one)) + large_rows(Path(other))
