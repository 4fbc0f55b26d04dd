# SPDX-License-Identifier: Apache-2.0
"""Orchestration cost of a trial with a free objective: 6 parameters, random search, 32 lanes, two workers, durable store.

dlrun runs real worker processes and commits every result; the peers run the same search on their own storage.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchlib import BIN, DLRUN, PEERS, ROOT, Row, environment, median_pair, say, timed

STUDY = """\
study: {name}
seed: 7
objective: {{metric: value, direction: minimize}}
space:
{space}
search: {{sampler: random, lanes: 32}}
limits: {{trials: {trials}}}
trial: {{kind: function, function: {{op: sphere}}}}
"""


def study(folder, name, trials):
    space = "\n".join(f"  x{i}: {{type: float, low: -1.0, high: 1.0}}" for i in range(6))
    path = Path(folder) / f"{name}.yaml"
    path.write_text(STUDY.format(name=name, space=space, trials=trials))
    return path


def tune(folder, name, trials):
    """Whole command, start of driver and workers included."""
    store = Path(folder) / f"store-{name}"
    shutil.rmtree(store, ignore_errors=True)
    timing = timed([DLRUN, "tune", study(folder, name, trials), "--workers", "2", "--store", store, "--quiet"])
    return store, timing


def ours_per_trial(folder, trials, repeats):
    return statistics.median(tune(folder, f"free{i}", trials)[1].seconds / trials * 1e3 for i in range(repeats))


def peer(python, script, *arguments):
    """The peer's script prints milliseconds per trial."""
    return float(timed([python, PEERS / script, *arguments]).output.split()[-1])


def trial_rows(folder, full):
    ours = ours_per_trial(folder, 20000 if full else 5000, 3)
    python = environment("overhead")
    rows = [Row("overhead.trial", ours, "ms", target="<= 0.5 ms", met=ours <= 0.5)]
    for label, storage, trials in (("Optuna 5.0.0, SQLite", "sqlite", 300), ("Optuna 5.0.0, journal file", "journal", 1000),
                                   ("Optuna 5.0.0, in memory", "memory", 2000)):
        value = peer(python, "optuna_free.py", storage, str(trials), folder)
        rows.append(Row("overhead.trial", ours, "ms", label, value, value / ours))
    value = peer(python, "ray_free.py", "60" if full else "30", folder)
    rows.append(Row("overhead.trial", ours, "ms", "Ray Tune 2.60.0", value, value / ours))
    return rows


def large_store_rows(folder):
    say("a study of 100,000 trials")
    store, timing = tune(folder, "large", 100000)
    report = statistics.median(timed([DLRUN, "report", "--store", store]).seconds for _ in range(5)) * 1e3
    return [
        Row("overhead.trial at 100,000", timing.seconds / 1e5 * 1e3, "ms", target="<= 0.5 ms", met=timing.seconds <= 50),
        Row("overhead.driver memory at 100,000", timing.peak_mb, "MB", target="<= 100 MB", met=timing.peak_mb <= 100),
        Row("overhead.report at 100,000", report, "ms", target="<= 200 ms", met=report <= 200),
    ]


def plugin_folder():
    """The folder with `plain`, a sampler that draws at random; built on demand."""
    folder = BIN.parent / "plugin-build" / "bad"
    if not (folder / "plain.so").exists():
        subprocess.run([sys.executable, ROOT / "tests/plugins/build.py", "--build", BIN.parent], check=True, stdout=subprocess.DEVNULL)
    return folder


def plugin_rows(folder):
    """Random search by a plugin, in its process, and inside of the driver: the start of the process counts too."""
    trials, pairs = 5000, 5
    plugin_path = {**os.environ, "DLRUN_PLUGINS": str(plugin_folder())}

    def per_trial(sampler):
        file = study(folder, f"calls-{sampler}", trials)
        file.write_text(file.read_text().replace("sampler: random", f"sampler: {sampler}"))
        store = Path(folder) / f"store-calls-{sampler}"
        shutil.rmtree(store, ignore_errors=True)
        command = [DLRUN, "tune", file, "--workers", "2", "--store", store, "--quiet"]
        return timed(command, env=plugin_path).seconds / trials * 1e3

    apart, inside = median_pair(lambda: per_trial("plain"), lambda: per_trial("random"), pairs)
    return [Row("overhead.plugin call", apart - inside, "ms", "inside", inside, target="<= 0.2 ms more",
                met=apart - inside <= 0.2, note="for a trial of random search")]


def rows(full):
    with tempfile.TemporaryDirectory(prefix="dlrun-bench-") as folder:
        version = statistics.median(timed([DLRUN, "--version"]).seconds for _ in range(21)) * 1e3
        start = Row("overhead.dlrun --version", version, "ms", target="<= 20 ms", met=version <= 20)
        return trial_rows(folder, full) + [start] + plugin_rows(folder) + large_store_rows(folder)
