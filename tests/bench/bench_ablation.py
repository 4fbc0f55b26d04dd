# SPDX-License-Identifier: Apache-2.0
"""Whether an ablation's answers can be believed, and what they cost (ablation/ablation_bench.cpp).

Truth: 2,000 simulated studies of components that help, of a redundant pair and of noise; false positives after Holm's
correction, power beside what was predicted, looks at 4, 6, .., 12 seeds. Agreement: tests/golden/statistics_test.cpp, which
fails at the first figure that is not SciPy's or statsmodels'. Real studies (ablation/real_studies.py): 8, in full 40, trained by
workers on data whose contributions are known, their verdicts beside the truth. New data (ablation/new_data.py): 100, in full
1,000 studies of generated tables, their verdicts and intervals beside what holds on new data. Wall time: 20 variants of 10 seeds on simulated
workers, and of two seeds on this machine's cores (ablation/real_wall.py), as a share of
max(total work / workers, longest run).
"""
import sys
from pathlib import Path

from benchlib import BIN, Row, timed

sys.path.insert(0, str(Path(__file__).resolve().parent / "ablation"))
import new_data  # noqa: E402
from real_studies import HELPS, NOT_NEEDED, PLACEBO, Counts  # noqa: E402
from real_wall import real_wall  # noqa: E402

PROGRAM = BIN / "bench_ablation"
WORKERS = (1, 2, 4, 8, 16, 32, 64)


def ours(*arguments):
    return timed([PROGRAM, *map(str, arguments)]).output.split("\n")[:-1]


def truth_row(line):
    name, value, expected = line.split()
    value, expected = 100 * float(value), 100 * float(expected)
    if "false" in name or "error" in name:
        return Row(f"ablation.{name}", value, "% of studies", target="<= 6 %", met=value <= 6)
    return Row(f"ablation.{name}", value, "%", "predicted", expected, target="+- 3 points", met=abs(value - expected) <= 3)


def looks_row(line):
    name, value, most = line.split()
    if name.endswith("error"):
        return truth_row(line)
    return Row(f"ablation.{name}", float(value), "seeds of an effect of 2 sd", "without looks", float(most))


def agreement_row():
    timed([BIN / "golden_statistics"])  # ends the benchmark where it fails
    return Row("ablation.agreement", 0, "figures beyond 1e-9", "SciPy, statsmodels", target="0", met=True)


def real_rows(studies):
    counts = Counts(studies)
    found = counts.share(HELPS, "helps")
    needless = counts.share(NOT_NEEDED, "helps")
    placebo = counts.share(PLACEBO, "helps", "hurts")
    name = f"ablation.real.{studies}"
    return [Row(f"{name}.found", found, "% of what helps", target=">= 95 %", met=found >= 95),
            Row(f"{name}.needless", needless, "% called helping that are not needed", target="<= 6 %", met=needless <= 6),
            Row(f"{name}.placebo", placebo, "% of placebos called an effect", target="<= 6 %", met=placebo <= 6)]


def new_data_rows(studies):
    ours, peer = new_data.Counts(studies, ""), new_data.Counts(studies, "split")
    false, covered, found = ours.false_share(), ours.coverage(), ours.found_of_300()
    nothing, peers_nothing = (100 * counts.verdicts_on_nothing / studies for counts in (ours, peer))
    name = f"ablation.new data.{studies}"
    other = "claims: split"
    return [Row(f"{name}.false verdicts", false, "% of studies", other, peer.false_share(), target="<= 6 %", met=false <= 6),
            Row(f"{name}.constant column", nothing, "% of studies with a verdict on it", other, peers_nothing,
                target="<= 6 %", met=nothing <= 6),
            Row(f"{name}.coverage", covered, "% of intervals", other, peer.coverage(), target="93 to 97 %",
                met=93 <= covered <= 97),
            Row(f"{name}.found of 300", found, "informative columns", other, peer.found_of_300(), target=">= 115",
                met=found >= 115)]


def wall_row(workers, full):
    share, as_decided, known = map(float, ours("wall", workers, 20 if full else 5)[0].split())
    target = 0.91 if workers == 64 else 0.95
    return Row(f"ablation.wall.{workers}", 100 * share, "% of the bound", "in the order of decisions", 100 * as_decided,
               share / as_decided, f">= {100 * target:.0f} %", share >= target,
               note=f"{100 * known:.1f} % if all durations were known")


def wall_looks_row(workers, full):
    share, as_decided, _ = map(float, ours("wall-looks", workers, 20 if full else 5)[0].split())
    return Row(f"ablation.wall looks.{workers}", 100 * share, "% of the bound", "in the order of decisions",
               100 * as_decided, share / as_decided)


def real_wall_row():
    share, shortest = real_wall()
    return Row("ablation.wall.real", 100 * share, "% of the bound, on this machine's cores", target=">= 95 %",
               met=share >= 0.95, note=f"runs of {shortest:.1f} s and more")


def rows(full):
    out = [truth_row(line) for line in ours("truth")] + [looks_row(line) for line in ours("looks")]
    out += [agreement_row()] + real_rows(40 if full else 8) + new_data_rows(1000 if full else 100)
    out += [real_wall_row()] + [wall_row(workers, full) for workers in WORKERS]
    return out + [wall_looks_row(workers, full) for workers in WORKERS if workers >= 8]
