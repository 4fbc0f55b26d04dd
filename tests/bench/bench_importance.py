# SPDX-License-Identifier: Apache-2.0
"""What importances of 1,000 trials of 8 parameters cost, beside Optuna's; rows of the benchmark `search`.

Optuna takes half a minute for them, so its figures are kept until its version or the machine changes.
"""
import json

from benchlib import BIN, PEERS, ROOT, Row, environment, machine, timed

KEPT = ROOT / "build" / "bench" / "importance" / "figures.json"


def figures(output):
    return {name: float(value) for name, value in map(str.split, output.splitlines())}


def theirs():
    python = environment("importance")
    key = [(PEERS / "importance.txt").read_text(), machine().split(", ", 1)[1]]
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    if kept.get("key") != key:
        kept = {"key": key, "figures": figures(timed([python, PEERS / "importance_optuna.py"]).output)}
        KEPT.write_text(json.dumps(kept))
    return kept["figures"]


def rows():
    mine, other = figures(timed([BIN / "bench_importance"]).output), theirs()

    def row(method, target):
        value, peer = mine[method], other.get(method)
        ratio = None if peer is None else value / peer
        met = None if target is None else value <= target
        return Row(f"importance.{method}", value, "ms CPU", "" if peer is None else "Optuna", peer, ratio,
                   "" if target is None else f"<= {target} ms", met)

    ped = row("ped_anova", None)
    ped.target, ped.met = "<= 1.0", ped.ratio <= 1
    return [row("fanova", 200), ped, row("shapley", None)]
