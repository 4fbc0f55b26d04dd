# SPDX-License-Identifier: Apache-2.0
"""Bias of the value that is reported for the winner of a search (winner/winner_bench.cpp).

1,000 simulated searches of each setting: true values that are normal, skewed by bad settings, diverging in part, a plateau
or led by one trial; 8, 32 and 100 trials; noise that is known, or that members tell. Each row is the setting with the largest bias; the raw bias beside it is that of the
highest measured value. The target: the 95 % interval of the mean bias contains 0 and is narrower than 0.2 points each way.
Then searches whose best five trials race, simulated, and real ones on generated tables (winner/races.py).
"""
import math
import sys
from pathlib import Path

from benchlib import BIN, Row, timed

sys.path.insert(0, str(Path(__file__).resolve().parent / "winner"))
import races  # noqa: E402

PROGRAM = BIN / "bench_winner"


def settings(searches):
    for line in timed([PROGRAM, str(searches)]).output.split("\n")[:-1]:
        name, *figures = line.split()
        yield name, *map(float, figures)


def race_rows(all):
    """For each noise, over all settings: the bias of the value by a test split, and the gain of the race."""
    for noise in sorted({name.rsplit("0.", 1)[1] for name, *_ in all}):
        mine = [one for one in all if one[0].endswith("0." + noise)]
        mean = lambda column: sum(one[column] for one in mine) / len(mine)  # noqa: E731
        reach = math.sqrt(sum(one[2] ** 2 for one in mine)) / len(mine)
        name, worst, *_ = max(mine, key=lambda one: abs(one[1]))
        yield Row(f"winner.bias.race.0.{noise}", mean(1), "points", "highest measured value", mean(3),
                  target="interval holds 0, < +-0.2", met=abs(mean(1)) <= reach < 0.2,
                  note=f"+-{reach:.3f} over {len(mine)} settings; largest {worst:.2f} at {name}; intervals cover "
                  f"{100 * min(one[4] for one in mine):.0f}-{100 * max(one[4] for one in mine):.0f} %")
        gains = [one[5] for one in mine]
        yield Row(f"winner.gain.race.0.{noise}", mean(5), "points", "highest of as many runs", 0,
                  note=f"true value of the choice; {min(gains):.2f} to {max(gains):.2f}")


def real_rows(searches):
    found = races.measured(searches)
    for name, errors in (("test split", found["test"]), ("no test split", found["none"])):
        holds = abs(errors.bias()) <= errors.reach() < 0.2
        yield Row(f"winner.bias.tables.{name.replace(' ', '_')}", errors.bias(), "points", "highest measured value",
                  found["raw"].bias(), target="interval holds 0, < +-0.2", met=holds, note=f"+-{errors.reach():.2f}")
    gain = found["gain"]
    yield Row("winner.gain.tables", gain.bias(), "points", "highest of as many runs", 0, note=f"+-{gain.reach():.2f}")


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
    groups, raced = {}, []
    for one in settings(1000 if full else 200):
        if one[0].startswith("race."):
            raced.append(one)
        else:
            groups.setdefault(group_of(one[0]), []).append(one)
    return [row_of(group, members) for group, members in groups.items()] + [*race_rows(raced), *real_rows(100 if full else 10)]
