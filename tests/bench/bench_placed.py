# SPDX-License-Identifier: Apache-2.0
"""Placed models on two parts of this machine: steps that were really taken beside simulated ones, and beside one device.

`simulator measured`: forward and backward of the fastest placement of three models, whose layers were timed while both parts
computed (`dlrun place --profile`). `pipeline`: seconds of a training whose layers are a chain, as a pipeline on two parts, beside
one part alone; and beside both cores as one device. DLRUN_DATA names the folder with fashion-mnist."""
import csv
import io
import statistics
import tempfile
from pathlib import Path

from benchlib import DLRUN, Row, timed

MODELS = ("towers", "inception", "recurrent")
ROUNDS = 3


def real_steps(model):
    """Milliseconds of the fastest placement, of its simulation by both profiles, and of one device."""
    run = timed([DLRUN, "place", Path(__file__).parent / "placement" / f"{model}.yaml", "--profile", "--placer", "greedy",
                 "--placer", "heft", "--order", "topo-level", "--format", "csv", "-q"])
    table = list(csv.DictReader(io.StringIO(run.output[run.output.index("placer,order,real_ms"):])))
    fastest, single = table[0], next(row for row in table if row["placer"] == "single")
    return [float(fastest["real_ms"]), float(fastest["predicted_ms"]), float(fastest["by_idle_profile_ms"]),
            float(single["real_ms"])]


def measured_rows():
    rows = []
    for model in MODELS:
        rounds = [real_steps(model) for _ in range(ROUNDS)]
        real, predicted, idle, single = (statistics.median(column) for column in zip(*rounds))
        error = abs(predicted / real - 1)
        rows.append(Row(f"placement.simulator measured, {model}", predicted, "ms", "real step", real, predicted / real,
                        "within 10 %", error <= 0.1,
                        f"by the idle profile {idle / real:.2f}; one device takes {single / real:.2f} times as long"))
    return rows


def training_seconds(*sets):
    """Seconds of the trial of chain.yaml with these settings."""
    study = Path(__file__).parent / "placement/chain.yaml"
    with tempfile.TemporaryDirectory() as store:
        timed([DLRUN, "tune", study, "-q", "--workers", "1", "--store", store, *(word for setting in sets for word in ("--set", setting))])
        return float(timed([DLRUN, "report", "chain", "--sql", "select seconds from trials", "--store", store, "--format", "csv",
                            "-q"]).output.split()[-1])


def pipeline_rows():
    alone = ("trial.placement=null", "resources.devices=1")
    kinds = {"1f1b": (), "gpipe": ("trial.placement.schedule=gpipe",), "one core": alone,
             "two threads": (*alone, "resources.threads_per_trial=2")}
    rounds = [{kind: training_seconds(*sets) for kind, sets in kinds.items()} for _ in range(ROUNDS)]
    medians = {kind: statistics.median(one[kind] for one in rounds) for kind in kinds}
    return [Row(f"placement.pipeline {schedule}", medians[schedule], "s", "one core", medians["one core"],
                medians["one core"] / medians[schedule], ">= 1.4", medians["one core"] >= 1.4 * medians[schedule],
                f"both cores as one device take {medians['two threads'] / medians[schedule]:.2f} times as long")
            for schedule in ("1f1b", "gpipe")]
