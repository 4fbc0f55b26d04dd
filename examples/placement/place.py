#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One trial of the study beside this file: places a graph along an order, and reports the step as a share of that on one
device. DLRUN_GRAPHS names the folder of graphs, DLRUN the program. The budget is 15 episodes, a placement for each node of
the graph in each; greedy search ends by itself."""
import argparse
import csv
import io
import json
import os
import subprocess
import sys

EPISODES = 15


def main():
    parser = argparse.ArgumentParser()
    for name in ("placer", "order", "family", "graph", "seed"):
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    file = os.path.join(os.environ["DLRUN_GRAPHS"], f"{options.family}-{int(options.graph):02}.json")
    with open(file) as stream:
        nodes = len(json.load(stream)["nodes"])
    tries = 10**6 if options.placer == "greedy" else EPISODES * nodes
    command = [os.environ.get("DLRUN", "dlrun"), "place", file, "--devices", "3", "--link", "placeto-k80", "--placer", options.placer,
               "--order", options.order, "--tries", str(tries), "--seed", options.seed, "--format", "csv", "-q"]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = csv.DictReader(io.StringIO(text[text.index("placer,"):]))
    steps = {row["placer"]: float(row["step_ms"]) for row in rows}
    with os.fdopen(int(os.environ["DLRUN_REPORT_FD"]), "w") if "DLRUN_REPORT_FD" in os.environ else sys.stdout as reports:
        print(json.dumps({"metric": "share", "step": 1, "value": steps[options.placer] / steps["single"]}), file=reports)


if __name__ == "__main__":
    main()
