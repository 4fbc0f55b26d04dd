# SPDX-License-Identifier: Apache-2.0
"""Code that knows nothing of dlrun: how much of it is run, and run again. A script that prints its loss after each of nine
epochs of 50 ms, 24 trials, two workers, under ASHA of both types, Hyperband and median. The peer is dlrun itself where no
program may wait (`resources: {parked: 0}`), so that each piece starts the script again."""
import json
import tempfile
from pathlib import Path

import bench_python
from benchlib import DLRUN, Row, timed

SCRIPT = """\
import sys, time
x, trace = float(sys.argv[1]), open(sys.argv[2], "a")
print(x, 0, file=trace, flush=True)
for epoch in range(1, 10):
    time.sleep(0.05)
    print(x, epoch, file=trace, flush=True)
    print(f"loss: {(x - 0.3) ** 2 + 1 / epoch}")
"""
STUDY = """\
study: open
seed: {seed}
objective: {{metric: loss, direction: minimize}}
space: {{x: {{type: float, low: 0, high: 1}}}}
search: {{sampler: random, lanes: 4, pruner: {pruner}}}
limits: {{trials: 24}}
{more}
trial:
  kind: command
  command: [python3, script.py, "{{x}}", {trace}]
  metrics_regex: {{loss: 'loss: ([0-9.eE+-]+)'}}
  epochs: 9
"""
PRUNERS = {"asha": "{op: asha}", "asha stop": "{op: asha, type: stop}", "hyperband": "{op: hyperband}",
           "median": "{op: median, startup_trials: 4, interval: 3}"}


def run(folder, name, pruner, seed, more=""):
    """(starts, epochs done, epochs of the plan, seconds)"""
    place = Path(folder) / name
    place.mkdir()
    (place / "script.py").write_text(SCRIPT)
    (place / "study.yaml").write_text(STUDY.format(seed=seed, pruner=pruner, more=more, trace=place / "trace"))
    seconds = timed([DLRUN, "tune", "study.yaml", "--workers", "2", "--store", "store", "-q"], cwd=place).seconds
    out = timed([DLRUN, "report", "--sql", "select sum(epochs) as epochs from trials", "--format", "json", "--store",
                 "store"], cwd=place).output
    epochs = [int(line.split()[1]) for line in (place / "trace").read_text().splitlines()]
    return epochs.count(0), len(epochs) - epochs.count(0), json.loads(out)["rows"][0]["epochs"], seconds


def rows(full):
    out = []
    with tempfile.TemporaryDirectory() as folder:
        for name, pruner in PRUNERS.items():
            mine = [run(folder, f"{name} {seed}", pruner, seed) for seed in range(5 if full else 2)]
            other = [run(folder, f"{name} {seed} again", pruner, seed, "resources: {parked: 0}")
                     for seed in range(5 if full else 2)]
            starts, done, plan, seconds = map(sum, zip(*mine))
            starts_again, done_again, plan_again, seconds_again = map(sum, zip(*other))
            trials = 24 * len(mine)
            out += [
                Row(f"open.{name}: starts", starts, "starts", "parked: 0", starts_again, starts / starts_again,
                    f"{trials}", starts == trials),
                Row(f"open.{name}: epochs repeated", done - plan, "epochs", "parked: 0", done_again - plan_again, None, "0",
                    done == plan, f"of {plan} that the plan wants"),
                Row(f"open.{name}: seconds", seconds, "s", "parked: 0", seconds_again, seconds / seconds_again, "< 1x",
                    seconds < seconds_again)]
    return out + bench_python.rows(full)
