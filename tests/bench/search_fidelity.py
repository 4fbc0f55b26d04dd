# SPDX-License-Identifier: Apache-2.0
"""Epochs until a multi-fidelity search has measured an error within 1 % of the best there is.

Two tables of learning curves: 1,000 small networks on Fashion-MNIST, recorded by dlrun itself (search/curves), and curves
made here that cross, for what learns slowly ends best. Within 1 % means: of the range from the least error of the table
to the greatest final one. All tools get the same configurations in random order, or the nearest that is left to what
their model proposes; simulated workers, an epoch takes each the same time, and every epoch of every worker counts.
"""
import gzip
import json
import math
import random
import statistics
from pathlib import Path

from benchlib import BIN, PEERS, ROOT, Row, environment, timed

PROGRAM = BIN / "bench_study"
RECORDED = Path(__file__).resolve().parent / "search" / "curves" / "curves.csv.gz"
WORKERS, LANES, EPOCHS = 4, 8, 27
OURS = (("rows", "asha"), ("rows", "asha_stop"), ("rows", "hyperband"), ("rows", "pasha"), ("tpe", "asha"),
        ("gp", "asha"), ("tpe", "hyperband"))
PEERS_TOOLS = ("optuna.asha.random", "optuna.asha.tpe", "optuna.hyperband.tpe", "ray.asha.random",
               "ray.hyperband.random", "syne.asha.random", "syne.bohb")
RANDOM = tuple(tool for tool in PEERS_TOOLS if tool.endswith(".random"))


def crossing():
    """A table's text: five numbers; the further from the optimum the higher the final error, by rank, so that one in a
    hundred comes within 1 %; and near it curves fall slowly, so that early rankings mislead."""
    chance = random.Random(1)
    best = [0.2 + 0.6 * chance.random() for _ in range(5)]
    points = [[chance.random() for _ in range(5)] for _ in range(1000)]
    distances = [math.dist(x, best) for x in points]
    ranks = {distance: rank / 1000 for rank, distance in enumerate(sorted(distances))}
    lines = [json.dumps([{"name": f"x{i}", "low": 0.0, "high": 1.0} for i in range(5)])]
    for x, distance in zip(points, distances):
        final, pace = 0.1 + 0.6 * ranks[distance], 1 + 6 * math.exp(-3 * distance) + 2 * chance.random()
        errors = [final + (0.9 - final) * math.exp(-epoch / pace) + chance.gauss(0, 0.005)
                  for epoch in range(1, EPOCHS + 1)]
        lines.append(",".join(f"{v:.6g}" for v in x) + "," + ",".join(f"{e:.4g}" for e in errors))
    return "\n".join(lines) + "\n"


def wanted(text):
    count = len(json.loads(text.splitlines()[0]))
    errors = [[float(c) for c in line.split(",")[count:]] for line in text.splitlines()[1:]]
    least = min(min(row) for row in errors)
    return least + 0.01 * (max(row[-1] for row in errors) - least)


def ours(table, sampler, pruner, error, seeds):
    found = timed([PROGRAM, "epochs", table, sampler, pruner, WORKERS, LANES, error, seeds]).output
    return statistics.median(map(float, found.split()))


def theirs(table, tool, error, seeds):
    found = timed([environment("fidelity"), PEERS / "fidelity.py", table, tool, WORKERS, error, seeds]).output
    return statistics.median(map(float, found.split()))


def table_rows(name, text, seeds):
    folder = ROOT / "build" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / f"{name}.csv"
    table.write_text(text)
    error = wanted(text)
    peers = {tool: theirs(table, tool, error, seeds if tool in RANDOM else 9) for tool in PEERS_TOOLS}
    best = min(peers, key=peers.get)
    rows = [Row(f"epochs.{name}.{tool}", None, "epochs", tool, value) for tool, value in peers.items()]
    for sampler, pruner in OURS:
        mine = ours(table, sampler, pruner, error, seeds)
        rows.append(Row(f"epochs.{name}.{pruner}.{'random' if sampler == 'rows' else sampler}", mine, "epochs", best,
                        peers[best], mine / peers[best], "<= 0.75 x", mine <= 0.75 * peers[best]))
    return rows


def rows(full):
    seeds = 101 if full else 21
    return table_rows("recorded", gzip.decompress(RECORDED.read_bytes()).decode(), seeds) + \
        table_rows("crossing", crossing(), seeds)
