# SPDX-License-Identifier: Apache-2.0
"""Published findings about the speed of data-parallel algorithms, beside the virtual cluster's timing mode.

A finding has no target: its note says "reproduced" or "not". Constants and sources: parallel/published.hpp.
"""
import os
import tempfile
from pathlib import Path

import bench_ddp
from benchlib import BIN, Row, say, timed

PAPER, ALADDIN_PAPER = "Ko et al., IPDPS 2021", "Ko et al., CIKM 2021"
RANKS = 24


def lines(output):
    found = {"straggled": [], "cell": [], "correlation": [], "effect": []}
    for line in output.splitlines():
        kind, *values = line.split()
        found[kind].append(values)
    return found


def law_row(straggled):
    """ALADDIN with one slow rank of eight, as a part of its healthy throughput."""
    figures = [(slow, float(ours), float(law)) for name, slow, ours, _, law in straggled if name == "aladdin"]
    worst = max(abs(ours / law - 1) * 100 for _, ours, law in figures)
    note = ", ".join(f"x{slow}: {ours:.4f}, law {law:.4f}" for slow, ours, law in figures)
    return Row("data_parallel.straggler law", worst, "%", target="<= 1 %", met=worst <= 1, note=note)


def straggled_rows(straggled):
    found = []
    for name, slow, ours, paper, _ in straggled:
        ours, paper = float(ours), float(paper)
        note = "reproduced (0.05)" if abs(ours - paper) <= 0.05 else "not (0.05)"
        found.append(Row(f"data_parallel.finding straggler x{slow} {name}", ours, "of healthy", ALADDIN_PAPER, paper,
                         ours / paper, note=note))
    return found


def correlation_rows(correlations):
    plain = {column: float(value) for column, value, _ in correlations}
    overlapped = {column: float(value) for column, _, value in correlations}
    least = min(plain.values())
    text = ", ".join(f"{column} {value:.2f}" for column, value in overlapped.items())
    return [
        Row("data_parallel.rank correlation", least, "Spearman, least of 4", PAPER, target=">= 0.8", met=least >= 0.8,
            note=", ".join(f"{column} {value:.2f}" for column, value in plain.items())),
        Row("data_parallel.rank correlation, wait-free", min(overlapped.values()), "Spearman, least of 4", PAPER,
            note=text),
    ]


def cell_rows(cells):
    """Seconds per iteration as they are, and, in the note, multiplied so that bsp has its published ones."""
    scale, published_bsp = {}, {}
    for column, name, ours, _, speedup, seconds, _ in cells:
        if name == "bsp":
            scale[column] = float(seconds) / float(ours)
            published_bsp[column] = float(seconds) * float(speedup)
    found = []
    for column, name, ours, overlapped, speedup, seconds, gradient in cells:
        ours, paper = float(ours), float(seconds) or published_bsp[column] / float(speedup)
        calibrated = ours * scale[column]
        verdict = "reproduced" if abs(calibrated / paper - 1) <= 0.2 else "not"
        verdict = "by construction" if name == "bsp" else f"{verdict} (20 %)"
        faster = RANKS * float(gradient) / ours
        note = (f"calibrated by bsp {calibrated:.3g} s: {verdict}; speed-up {faster:.1f}, published {speedup}; "
                f"wait-free {float(overlapped):.3g} s")
        found.append(Row(f"data_parallel.finding {column} {name}", ours, "s", PAPER, paper, ours / paper, note=note))
    return found


def effect_rows(effects):
    """Speed-ups without and with a part. The verdict is about the speed-up with it."""
    found = []
    for name, *figures in effects:
        without, ours, paper_without, paper = (float(figure) for figure in figures)
        verdict = "reproduced" if abs(ours / paper - 1) <= 0.2 else "not"
        note = f"from {without:.1f} to {ours:.1f}, published {paper_without} to {paper}: {verdict} (20 %)"
        found.append(Row(f"data_parallel.effect {name}", ours, "speed-up", PAPER, paper, ours / paper, note=note))
    return found


STUDY = """study: ranks
objective: {{metric: val.accuracy, direction: maximize}}
space:
  op: {{at: parallel.op, choices: [aladdin]}}
search: {{sampler: grid}}
trial:
  data: {{op: idx, path: {data}, standardise: true, split: {{val: 0.1}}}}
  model:
    nodes:
      - {{op: flatten}}
      - {{op: linear, out: 64}}
      - {{op: relu}}
      - {{op: linear, out: 64}}
      - {{op: relu}}
      - {{op: linear, out: classes}}
  optimizer: {{op: sgd, lr: 0.004, momentum: 0.9}}
  epochs: 4
  batch_size: 32
  parallel: {{op: aladdin, ranks: 24}}
"""


def simulation_rows():
    """Four epochs of Fashion-MNIST with 24 ranks, by one worker; DLRUN_DATA names the folder with fashion-mnist."""
    data = Path(os.environ.get("DLRUN_DATA", "")) / "fashion-mnist"
    if not os.environ.get("DLRUN_DATA") or not data.is_dir():
        say("data_parallel: DLRUN_DATA names no folder with fashion-mnist, so 24 ranks are not simulated")
        return []
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "study.yaml"
        study.write_text(STUDY.format(data=data))
        seconds = timed([BIN / "dlrun", "tune", study, "--workers", "1", "--store", Path(folder) / "store"]).seconds
    return [Row("data_parallel.simulate 24 ranks", seconds, "s", target="<= 20 s", met=seconds <= 20,
                note="aladdin, MLP of 55,050 numbers, 216,000 examples")]


def rows(full):
    del full  # the same rows
    return simulation_rows() + bench_ddp.rows() + timing_rows()


def timing_rows():
    found = lines(timed([BIN / "bench_timing"]).output)
    return ([law_row(found["straggled"])] + correlation_rows(found["correlation"]) + cell_rows(found["cell"])
            + straggled_rows(found["straggled"]) + effect_rows(found["effect"]))
