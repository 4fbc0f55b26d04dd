#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of the study beside this file from answers.sql as CSV on standard input. For each placer and family: the geometric mean
by order, and by how many per cent an order's step differs from the mean of all orders on the same graph, with a 95 % interval of
Student's t over graphs. An asterisk: Wilcoxon's signed-rank test, exact, Holm-corrected over the orders, is below 0.05."""
import csv
import math
import sys
from collections import defaultdict


def student(level, freedom):
    """The t that |T| passes with probability 1 - level."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)

    def inside(t):
        steps = 2000
        return 2 * t / steps * sum(scale * (1 + (t * (i + 0.5) / steps) ** 2 / freedom) ** (-(freedom + 1) / 2) for i in range(steps))

    low, high = 0.0, 100.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (middle, high) if inside(middle) < level else (low, middle)
    return high


def wilcoxon(differences):
    """Two-sided p: the share of all signs with a rank sum as far from its mean, ties with mean ranks."""
    sizes = sorted(abs(d) for d in differences if d != 0)
    if not sizes:
        return 1.0
    # Ranks are doubled, so that mean ranks are whole numbers.
    rank = {size: 2 * sizes.index(size) + sizes.count(size) + 1 for size in sizes}
    ways = {0: 1}
    for size in sizes:
        after = defaultdict(int)
        for total, count in ways.items():
            after[total] += count
            after[total + rank[size]] += count
        ways = after
    mean = sum(rank[size] for size in sizes) / 2
    distance = abs(sum(rank[abs(d)] for d in differences if d > 0) - mean)
    return sum(count for total, count in ways.items() if abs(total - mean) >= distance - 1e-9) / 2 ** len(sizes)


def holm(ps):
    """Adjusted p by name."""
    adjusted, least = {}, 0.0
    for i, name in enumerate(sorted(ps, key=ps.get)):
        least = max(least, min(1.0, (len(ps) - i) * ps[name]))
        adjusted[name] = least
    return adjusted


def mean(values):
    return sum(values) / len(values)


def table(cells, orders):
    """cells: {order: {graph: log share}}. Rows of Markdown cells by order."""
    graphs = sorted(cells[orders[0]])
    centre = {graph: mean([cells[order][graph] for order in orders]) for graph in graphs}
    differences = {order: [round(cells[order][graph] - centre[graph], 12) for graph in graphs] for order in orders}
    p = holm({order: wilcoxon(differences[order]) for order in orders})
    t = student(0.95, len(graphs) - 1)
    rows = {}
    for order in orders:
        own = differences[order]
        error = math.sqrt(sum((d - mean(own)) ** 2 for d in own) / (len(own) - 1) / len(own))
        rows[order] = (f"{math.exp(mean(list(cells[order].values()))):.3f}, {100 * mean(own):+.1f} ± {100 * t * error:.1f} %"
                       + ("*" if p[order] < 0.05 else ""))
    return rows


def main():
    logs = defaultdict(lambda: defaultdict(list))
    for row in csv.DictReader(sys.stdin):
        logs[row["placer"], row["family"]][row["order"], row["graph"]].append(math.log(float(row["share"])))
    placers, families = sorted({key[0] for key in logs}), sorted({key[1] for key in logs})
    for placer in placers:
        print(f"\n## {placer}\n\n| order | {' | '.join(families)} |\n|{' --- |' * (len(families) + 1)}")
        columns = {}
        for family in families:
            cells = defaultdict(dict)
            for (order, graph), values in logs[placer, family].items():
                cells[order][graph] = mean(values)
            columns[family] = table(cells, sorted(cells))
        for order in sorted(columns[families[0]]):
            print(f"| `{order}` | {' | '.join(columns[family][order] for family in families)} |")


if __name__ == "__main__":
    main()
