# SPDX-License-Identifier: Apache-2.0
"""Bias of the value that is reported for the winner of a search (winner/winner_bench.cpp).

1,000 simulated searches of each setting: true values that are normal, skewed by bad settings, diverging in part, a plateau
or led by one trial; 8, 32 and 100 trials; noise that is known, or that members tell. Each row is the setting with the largest bias; the raw bias beside it is that of the
highest measured value. The target: the 95 % interval of the mean bias contains 0 and is narrower than 0.2 points each way.
"""
from benchlib import BIN, Row, timed

PROGRAM = BIN / "bench_winner"


def settings(searches):
    for line in timed([PROGRAM, str(searches)]).output.split("\n")[:-1]:
        name, *figures = line.split()
        yield name, *map(float, figures)


def group_of(name):
    """members.skewed.32.3 -> members.3; known.normal.8.0.005 -> known.0.005."""
    kind, _, _, noise = name.split(".", 3)
    return f"{kind}.{noise}"


def row_of(group, members):
    unbiased = sum(abs(bias) <= reach < 0.2 for _, bias, reach, _, _ in members)
    name, bias, _, raw, _ = max(members, key=lambda one: abs(one[1]))
    covered = [one[4] for one in members]
    return Row(f"winner.bias.{group}", bias, "points", "highest measured value", raw, target="interval holds 0, < +-0.2",
               met=unbiased == len(members), note=f"{unbiased} of {len(members)} settings unbiased; largest at {name}; "
               f"intervals cover {100 * min(covered):.0f}-{100 * max(covered):.0f} %")


def rows(full):
    groups = {}
    for one in settings(1000 if full else 200):
        groups.setdefault(group_of(one[0]), []).append(one)
    return [row_of(group, members) for group, members in groups.items()]
