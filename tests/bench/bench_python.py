# SPDX-License-Identifier: Apache-2.0
"""Functions of Python beside Optuna's own loop: 200 trials of a function that sleeps 2, 20 or 200 ms, two at a time, whole
commands of both, with the samplers that both choose by themselves. Optuna's figure is the smaller one of `n_jobs=2` and of
two processes on a journal. Then what a trial costs beyond its function, and how often a file is imported."""
import json
import statistics
import sys
import tempfile
from pathlib import Path

from benchlib import DLRUN, PEERS, Row, environment, timed

FUNCTION = """\
import time
with open({trace!r}, "a") as file:
    file.write("import\\n")

def objective(trial):
    time.sleep({ms} / 1e3)
    return (trial.params["x"] - 0.3) ** 2
"""
STUDY = """\
study: loop
objective: {{metric: loss, direction: minimize}}
space: {{x: {{type: float, low: 0, high: 1}}}}
{search}
limits: {{trials: {trials}}}
trial: {{kind: python, function: "train.py:objective"{isolate}, python: {python}}}
"""
WAYS = {"fork": "", "none": ", isolate: none"}


def ours(isolate, ms, trials=200, workers=2, search=""):
    """(seconds of the command, seconds a trial beyond its function, imports)"""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        trace = place / "trace"
        (place / "train.py").write_text(FUNCTION.format(trace=str(trace), ms=ms))
        (place / "study.yaml").write_text(STUDY.format(isolate=isolate, trials=trials, search=search, python=sys.executable))
        seconds = timed([DLRUN, "tune", "study.yaml", "--workers", str(workers), "--store", "store", "-q"], cwd=place).seconds
        out = timed([DLRUN, "report", "--sql", "select seconds from attempts order by started", "--format", "json",
                     "--store", "store"], cwd=place).output
        attempts = [row["seconds"] for row in json.loads(out)["rows"]]
        beyond = statistics.median(attempts) - ms / 1e3
        return seconds, beyond, trace.read_text().count("import")


def optunas(ms, trials=200):
    """{way: seconds of the command}"""
    out = {}
    for way in ("threads", "processes"):
        with tempfile.TemporaryDirectory() as folder:
            out[way] = timed([environment("overhead"), PEERS / "optuna_loop.py", way, ms, trials, folder]).seconds
    return out


def loop_rows(full):
    out = []
    for ms in (2, 20, 200):
        pairs = [({way: ours(isolate, ms)[0] for way, isolate in WAYS.items()}, optunas(ms)) for _ in range(5 if full else 3)]
        peer = statistics.median(min(theirs.values()) for _, theirs in pairs)
        for way in WAYS:
            value = statistics.median(mine[way] for mine, _ in pairs)
            ratio = statistics.median(min(theirs.values()) / mine[way] for mine, theirs in pairs)
            best = 200 * ms / 1e3 / 2
            is_met = ratio >= 1.5 if ms == 2 else value <= 1.03 * best if ms == 200 else None
            target = {2: ">= 1.5x", 20: "", 200: f"<= {1.03 * best:.1f} s"}[ms]
            out.append(Row(f"open.optuna {ms} ms: {way}", value, "s", "Optuna", peer, ratio, target, is_met))
    return out


def overhead_rows():
    """A free function, one worker, a random search, so that only the trial itself is counted."""
    out = []
    for way, isolate in WAYS.items():
        seconds, beyond, imports = ours(isolate, 0, 1000 if way == "none" else 200, 1, "search: {sampler: random}")
        target = "<= 1 ms" if way == "none" else "stated"
        out.append(Row(f"open.overhead python: {way}", beyond * 1e3, "ms a trial", target=target,
                       met=beyond <= 1e-3 if way == "none" else None, note=f"the whole command {seconds:.2f} s"))
        out.append(Row(f"open.imports: {way}", imports, "imports", target="1", met=imports == 1))
    return out


def rows(full):
    return loop_rows(full) + overhead_rows()
