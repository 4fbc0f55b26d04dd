# SPDX-License-Identifier: Apache-2.0
"""Placements beside values that other programs reached, and how long placers take.

`recorded …` and `expert splits`: the largest load of dnn-partitioning's layer graphs (Tarnawski et al., NeurIPS 2020), beside
what that repository's own program and its experts reached (reference-values.json). `10,000 nodes …`: seconds of the whole
command on a generated graph. DLRUN_DATA names the folder with placement-graphs."""
import csv
import io
import json
import os
import random
import statistics
import sys
import tempfile
from pathlib import Path

from bench_placed import measured_rows, pipeline_rows
from benchlib import DLRUN, Row, say, timed

sys.path.insert(0, str(Path(__file__).resolve().parent / "placement"))
import predicted  # noqa: E402

COLUMNS = ["name", "op", "fwd_us", "bwd_us", "out_bytes", "param_bytes"]


def graphs():
    folder = Path(os.environ.get("DLRUN_DATA") or ".") / "placement-graphs"
    return folder if folder.is_dir() else None


def loads(file, *options):
    """Milliseconds of the largest load by placer, and the seconds of the command."""
    run = timed([DLRUN, "place", file, "--format", "csv", "-q", *options])
    table = run.output[run.output.index("placer,"):]
    return {row["placer"]: float(row["load_ms"]) for row in csv.DictReader(io.StringIO(table))}, run.seconds


def recorded_rows(folder):
    recorded = json.loads((folder / "reference-values.json").read_text())["layer_k6"]
    found = {name: loads(folder / "dnn-partitioning/throughput-inputs/LayerGraphs" / f"{name}.json") for name in recorded}
    experts = [name for name in recorded
               if (folder / "dnn-partitioning/human-experts" / f"{name}_expert.json").exists()]

    def worst(placer, key, names):
        """The name with the largest ratio of ours to theirs."""
        return max(((found[name][0][placer] / recorded[name][key], name) for name in names if key in recorded[name]))

    rows = []
    for name, placer, key, names, target, most in (
            ("recorded linearize", "linearize", "linearize", recorded, "<= 1.01", 1.01),
            ("recorded search", "local-search", "local3", recorded, "<= 1", 1.00001),
            ("expert splits", "local-search", "expert", experts, "< 1", 0.99999)):
        ratio, graph = worst(placer, key, names)
        seconds = max(found[other][1] for other in names)
        rows.append(Row(f"placement.{name}", found[graph][0][placer], "ms", key, recorded[graph][key], ratio, target,
                        ratio <= most, f"the worst, {graph}; the whole command takes at most {seconds:.2f} s"))
    return rows


def split_rows(folder, full):
    """The split by CP-SAT beside that of a mixed integer program (HiGHS, one thread, 240 s)."""
    recorded = json.loads((folder / "reference-values.json").read_text())["layer_k6"]
    names = [name for name in recorded if "milp" in recorded[name]] if full else ["bert24_training", "gnmt_inference"]
    found = {name: loads(folder / "dnn-partitioning/throughput-inputs/LayerGraphs" / f"{name}.json", "--placer", "exact",
                         "--effort", "15") for name in names}
    ratio, worst = max((found[name][0]["exact"] / recorded[name]["milp"][0], name) for name in names)
    return [Row("placement.exact splits", found[worst][0]["exact"], "ms", "milp", recorded[worst]["milp"][0], ratio, "<= 1.01",
                ratio <= 1.01, f"the worst of {len(names)}, {worst}; at most {max(run[1] for run in found.values()):.0f} s")]


def held_out(folder):
    """Graphs that no rule was fitted to: every second surrogate, and measured profiles of up to 500 nodes."""
    surrogates = [file for family in ("enas-cifar10", "enas-ptb", "nmt")
                  for file in sorted((folder / "surrogate").glob(f"{family}-*.json"))[1::2]]
    return {"surrogates": surrogates,
            "PipeDream": [file for file in sorted((folder / "pipedream/json").glob("*.json")) if "nasnet" not in file.name]}


def rule_rows(folder):
    """The order that the rules name, over the best of all orders for each graph, both under the greedy placer."""
    rows = []
    for kind, files in held_out(folder).items():
        ratios = []
        for file in files:
            run = timed([DLRUN, "place", file, "--devices", 3, "--link", "placeto-k80", "--placer", "greedy", "--placer", "auto",
                         "--order", "all", "--format", "csv", "-q"])
            steps = list(csv.DictReader(io.StringIO(run.output[run.output.index("placer,"):])))
            best = min(float(step["step_ms"]) for step in steps if step["placer"] == "greedy")
            ratios.append(next(float(step["step_ms"]) for step in steps if step["placer"] == "auto") / best)
        mean = statistics.geometric_mean(ratios)
        rows.append(Row(f"placement.rule auto, {kind}", mean, "times", "best order", 1.0, mean, "<= 1.03", mean <= 1.03,
                        f"geometric mean of {len(ratios)} graphs that no rule was fitted to; the worst {max(ratios):.3f}"))
    return rows


def proof_rows(folder, full):
    """Graphs merged to 40 nodes on two devices whose best placement is proven to be within 1 %, in 60 s."""
    files = sorted((folder / "surrogate").glob("*.json")) + sorted((folder / "pipedream/json").glob("*.json"))
    proven, seconds = 0, []
    for file in files if full else files[::5]:
        run = timed([DLRUN, "place", file, "--coarsen", 40, "--placer", "greedy", "--placer", "anneal", "--placer", "exact",
                     "--format", "csv", "-q"])
        best = next(csv.DictReader(io.StringIO(run.output[run.output.index("placer,"):])))
        seconds.append(run.seconds)
        proven += float(best["over_bound"]) <= 0.01 and run.seconds <= 60
    share = 100 * proven / len(seconds)
    return [Row("placement.exact proven", share, "%", target=">= 90 %", met=share >= 90,
                note=f"{proven} of {len(seconds)} graphs, merged to 40 nodes, two devices; the slowest {max(seconds):.1f} s")]


def predicted_rows(folder, full):
    """Effort of the proof without a guess, over that with one. The target is for the model, beside the trivial guess."""
    guesses, solved, proven, asked = predicted.compared(folder, *((120, 50) if full else (12, 6)))
    most = guesses["m-ETF times a constant"].effort
    rows = []
    for name, one in guesses.items():
        is_model = name == "model"
        rows.append(Row(f"placement.predicted bound, {name}", one.effort, "times", "no guess" if not is_model else "m-ETF's",
                        1.0 if not is_model else most, one.effort if not is_model else one.effort / most,
                        ">= 1.5" if is_model else "", one.effort >= 1.5 if is_model else None,
                        f"less effort, geometric mean of {one.count} pieces; {one.branches:.2f} times fewer branches, of all "
                        f"{proven} {one.of_all:.2f}, their sum {one.total:.2f}; off by {100 * one.error:.1f} %; {one.proven} "
                        f"proven with the same bound ({proven} of {asked} without a guess; {solved} learned from)"))
    return rows


def large_graph(file, nodes, width):
    """Layers of `width` nodes, each reading two of the layer before."""
    chance = random.Random(1)
    rows = [[f"n{i}", "linear", chance.randint(10, 1000), chance.randint(20, 2000), chance.randint(10**3, 10**6), 1000]
            for i in range(nodes)]
    edges = [[(i // width - 1) * width + chance.randrange(width), i] for i in range(width, nodes) for _ in range(2)]
    file.write_text(json.dumps({"format": "dlrun-graph-1", "name": "large", "node_columns": COLUMNS, "nodes": rows,
                                "edges": edges}))


def size_rows():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for placer in ("etf", "heft"):
            seconds = []
            for width in (20, 500):
                file = Path(folder) / f"{width}.json"
                large_graph(file, 10_000, width)
                seconds.append(timed([DLRUN, "place", file, "--devices", 4, "--placer", placer, "-q"]).seconds)
            rows.append(Row(f"placement.10,000 nodes {placer}", max(seconds), "s", target="<= 1 s", met=max(seconds) <= 1,
                            note="the slower of 20 and 500 nodes a layer; four devices, the whole command"))
    return rows


def rows(full):
    folder = graphs()
    if folder is None:
        say("placement: DLRUN_DATA names no folder with placement-graphs, so nothing recorded is compared")
        return size_rows()
    proofs = proof_rows(folder, full) + split_rows(folder, full) + predicted_rows(folder, full)
    return recorded_rows(folder) + rule_rows(folder) + proofs + size_rows() + measured_rows() + pipeline_rows()
