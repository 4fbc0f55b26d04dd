#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Orders that the greedy placer should take, by family of graphs: the tables of docs/placement.md, and the fit of lib/placement/rules.

rules.py DIR   where DIR has the surrogates of placement-graphs; DLRUN names the program. Some minutes on two cores.

Every second graph is for fitting: the order with the lowest geometric mean of steps beside the best order of each graph. The
others judge what `auto` takes. An interval is the 95 % one of a mean of logarithms, paired over graphs."""
import csv
import io
import math
import os
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

DLRUN = os.environ.get("DLRUN", "dlrun")
FAMILIES = ("enas-cifar10", "enas-ptb", "nmt")
T_31 = 2.04  # 97.5 % quantile of Student's t with 31 degrees of freedom


def steps_of(file):
    """Time of a step over that on one device, by placer, and by order for greedy."""
    done = subprocess.run([DLRUN, "place", str(file), "--devices", "3", "--link", "placeto-k80", "--order", "all", "--placer", "greedy",
                           "--placer", "auto", "--placer", "etf", "--placer", "heft", "--format", "csv", "-q"],
                          stdout=subprocess.PIPE, text=True, check=True)
    rows = csv.DictReader(io.StringIO(done.stdout[done.stdout.index("placer,"):]))
    return {row["order"] if row["placer"] == "greedy" else row["placer"]: float(row["of_one_device"]) for row in rows}


def orders_of(graphs):
    return sorted(set(graphs[0]) - {"single", "auto", "etf", "heft"})


def over_best(graph, name):
    return graph[name] / min(graph[order] for order in orders_of([graph]))


def mean_over_best(graphs, name):
    return statistics.geometric_mean(over_best(graph, name) for graph in graphs)


def show_family(family, graphs):
    print(f"{family}, {len(graphs)} graphs: step of one device; beside topo-level")
    for name in [*orders_of(graphs), "etf", "heft", "auto"]:
        logs = [math.log(graph[name] / graph["topo-level"]) for graph in graphs]
        half = 100 * T_31 * statistics.stdev(logs) / math.sqrt(len(logs))
        mean = statistics.geometric_mean(graph[name] for graph in graphs)
        print(f"  {name:14} {mean:.3f}  {100 * statistics.mean(logs):+.1f} ± {half:.1f} %")


def best_order(graphs):
    return min(orders_of(graphs), key=lambda order: mean_over_best(graphs, order))


def main():
    folder = Path(sys.argv[1]) / "surrogate"
    files = {family: sorted(folder.glob(f"{family}-*.json")) for family in FAMILIES}
    with ThreadPoolExecutor(2) as pool:
        found = {family: list(pool.map(steps_of, those)) for family, those in files.items()}
    for family, graphs in found.items():
        show_family(family, graphs)
        print(f"  best on every second graph: {best_order(graphs[::2])}")
    everything = [graph for graphs in found.values() for graph in graphs]
    print(f"best on all: {best_order(everything[::2])}")
    for name in ("auto", "topo-level"):
        ratios = [over_best(graph, name) for graphs in found.values() for graph in graphs[1::2]]
        print(f"{name}, on the others: {statistics.geometric_mean(ratios):.4f} of the best order, the worst {max(ratios):.3f}")


if __name__ == "__main__":
    main()
