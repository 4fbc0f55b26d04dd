# SPDX-License-Identifier: Apache-2.0
"""Whether an ablation's answers can be believed, and what they cost (ablation/ablation_bench.cpp).

Truth: 2,000 simulated studies of components that help, of a redundant pair and of noise; false positives after Holm's
correction, power beside what was predicted, looks at 4, 6, .., 12 seeds. Agreement: tests/golden/statistics_test.cpp, which
fails at the first figure that is not SciPy's or statsmodels'. Wall time: 20 variants of 10 seeds on simulated
workers, as a share of max(total work / workers, longest run).
"""
from benchlib import BIN, Row, timed

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


def wall_row(workers, full):
    share = float(ours("wall", workers, max(8, 2 * workers), 20 if full else 5)[0])
    return Row(f"ablation.wall.{workers}", 100 * share, "% of the bound", target=">= 95 %", met=share >= 0.95)


def rows(full):
    out = [truth_row(line) for line in ours("truth")] + [looks_row(line) for line in ours("looks")]
    return out + [agreement_row()] + [wall_row(workers, full) for workers in WORKERS]
