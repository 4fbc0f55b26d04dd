# SPDX-License-Identifier: Apache-2.0
"""A thousand workers on one driver: simulated workers that join over loopback and TLS, each with many reports a second.
Then what a trial costs beside Optuna and HyperQueue, and a store of a million trials."""
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import bench_overhead
from benchlib import BIN, DLRUN, Row, environment, say, timed

WORKERS = 1000
PROGRAMS = 2000
TRIALS = 1_000_000
TARGETS = {"answer_median": (100, "ms"), "answer_p99": (1000, "ms"), "ack_median": (100, "ms"), "ack_p99": (1000, "ms"),
           "lost": (0, "results")}
STUDY = """\
study: load
seed: 7
objective: {{metric: value, direction: minimize}}
space:
  x: {{type: float, low: -1.0, high: 1.0}}
  y: {{type: float, low: -1.0, high: 1.0}}
search: {{sampler: random, pruner: {{op: asha, eta: 3, min_budget: {least}, max_budget: {most}}}, lanes: {lanes}}}
limits: {{trials: {trials}}}
trial: {{kind: function, function: {{op: sphere, curve: 1.0}}, epochs: {most}}}
"""
PROGRAM_STUDY = f"""\
study: program
objective: {{metric: value, direction: minimize}}
space:
  x: {{type: float, low: -1.0, high: 1.0}}
search: {{sampler: random, lanes: 32}}
limits: {{trials: {PROGRAMS}}}
trial: {{kind: command, command: [/bin/echo, '::dlrun {{{{"result": {{{{"value": 0.5}}}}}}}}']}}
"""


def study(folder, trials, least):
    """ASHA whose shortest pieces have `least` epochs, of one report each, and whose longest trials 27 times as many."""
    path = Path(folder) / "load.yaml"
    path.write_text(STUDY.format(least=least, most=27 * least, lanes=WORKERS, trials=trials))
    return path


def wait_for(file, driver):
    while not file.exists():
        if driver.poll() is not None:
            raise SystemExit(f"the driver ended with {driver.returncode}")
        time.sleep(0.05)


def counts(store):
    """Trials, and results of pieces that are in the log."""
    statement = "select (select count(*) from trials), (select count(*) from attempts where state = 'completed')"
    done = subprocess.run([str(DLRUN), "report", "--sql", statement, "--store", str(store), "--format", "csv"], check=True,
                          stdout=subprocess.PIPE, text=True)
    return [int(number) for number in done.stdout.splitlines()[-1].split(",")]


def play(folder, trials, least, reports):
    """One study, from the first connection to its end: figures by name, and what the driver took."""
    store = Path(folder) / f"store-{reports}"
    driver = subprocess.Popen([str(DLRUN), "tune", str(study(folder, trials, least)), "--store", str(store), "--workers", "0",
                               "--listen", "127.0.0.1", "--quiet"], stdout=subprocess.DEVNULL)
    endpoint = store / "studies" / "load.endpoint"
    wait_for(endpoint, driver)
    load = subprocess.run([str(BIN / "bench_cluster"), str(endpoint), str(WORKERS), str(reports)], stdout=subprocess.PIPE,
                          text=True)
    if load.returncode != 0:
        driver.kill()
    _, status, usage = os.wait4(driver.pid, 0)
    driver.returncode = os.waitstatus_to_exitcode(status)
    if load.returncode != 0 or driver.returncode != 0:
        raise SystemExit(f"the workers ended with {load.returncode}, the driver with {driver.returncode}")
    return load.stdout, usage, store


def load_rows(folder, trials, reports):
    least = 3 * reports  # three seconds
    say(f"{WORKERS} workers, {trials} trials, {reports} reports a second each")
    output, usage, store = play(folder, trials, least, reports)
    name = f"cluster at {reports}/s."
    found, values = [], {}
    for line in output.splitlines():
        key, value, unit = line.split(None, 2)
        key = key.split(".", 1)[1]
        values[key] = float(value)
        most = TARGETS.get(key)
        found.append(Row(name + key, float(value), unit, target=f"<= {most[0]} {most[1]}" if most else "",
                         met=float(value) <= most[0] if most else None))
    kept, committed = counts(store)
    lost = trials - kept + int(values["results"] - values["overtaken"]) - committed
    memory = usage.ru_maxrss / 1024
    return found + [
        Row(name + "not in the store", lost, "trials and results", target="0", met=lost == 0),
        Row(name + "driver memory", memory, "MB", target="<= 500 MB", met=memory <= 500),
        Row(name + "driver CPU", usage.ru_utime + usage.ru_stime, "s"),
    ]


def overhead_rows(folder, full):
    ours = bench_overhead.ours_per_trial(folder, 20000 if full else 5000, 3)
    python = environment("cluster")
    optuna = bench_overhead.peer(python, "optuna_free.py", "sqlite", "300", folder)
    program = statistics.median(program_per_trial(folder, i) for i in range(3))
    task = bench_overhead.peer(python, "hyperqueue_true.py", "2000", folder)
    return [
        Row("cluster.function trial", ours, "ms", "Optuna 5.0.0, SQLite", optuna, ours / optuna, "<= 0.2 ms", ours <= 0.2),
        Row("cluster.program as a trial", program, "ms", "HyperQueue 0.27.0, no journal", task, program / task),
    ]


def program_per_trial(folder, number):
    path = Path(folder) / "program.yaml"
    path.write_text(PROGRAM_STUDY)
    return timed([DLRUN, "tune", path, "--name", f"program{number}", "--workers", "2", "--store", Path(folder) / "programs",
                  "--quiet"]).seconds / PROGRAMS * 1e3


def million_rows(folder):
    say(f"a store of {TRIALS} trials")
    store = Path(folder) / "store-million"
    timed([BIN / "bench_fill_store", bench_overhead.study(folder, "million", TRIALS), store, "100"])
    megabytes = (store / "studies" / "million.db").stat().st_size / 1e6
    opened = timed([DLRUN, "resume", "million", "--store", store, "--workers", "2", "--quiet"])
    best = statistics.median(timed([DLRUN, "report", "million", "--store", store]).seconds for _ in range(3))
    status = statistics.median(timed([DLRUN, "report", "million", "--section", "status", "--store", store]).seconds
                               for _ in range(3))
    return [
        Row("cluster.resume at 1,000,000, its last 100 trials too", opened.seconds, "s", target="<= 10 s",
            met=opened.seconds <= 10),
        Row("cluster.driver memory at 1,000,000", opened.peak_mb, "MB"),
        Row("cluster.file at 1,000,000", megabytes, "MB"),
        Row("cluster.report best at 1,000,000", best, "s", target="<= 1 s", met=best <= 1),
        Row("cluster.report status at 1,000,000", status, "s", target="<= 1 s", met=status <= 1),
    ]


def rows(full):
    with tempfile.TemporaryDirectory(prefix="dlrun-bench-") as folder:
        found = load_rows(folder, 20000 if full else 6000, 10) + load_rows(folder, 6000, 100)
        return found + overhead_rows(folder, full) + million_rows(folder)
