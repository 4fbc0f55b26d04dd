#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records the learning curves of study.yaml: tests/bench/search/curves/record.py DATA, with Fashion-MNIST in
DATA/fashion-mnist. Six minutes on one core; writes curves.csv.gz beside this file (bench::Table in table.hpp has its
format). Errors are 1 - val.accuracy of 1,000 images; 1 from where a configuration diverged.
"""
import gzip
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
DLRUN = ROOT / "build" / "release" / "bin" / "dlrun"
EPOCHS = 27
SPACE = [{"name": "lr", "low": 1e-4, "high": 1.0, "log": True}, {"name": "opt", "choices": 2},
         {"name": "momentum", "low": 0.0, "high": 0.98, "when": [1, 0]},
         {"name": "decay", "low": 1e-6, "high": 1e-1, "log": True},
         {"name": "width1", "low": 8, "high": 128, "log": True, "integer": True},
         {"name": "width2", "low": 8, "high": 128, "log": True, "integer": True}, {"name": "act", "choices": 3},
         {"name": "drop", "low": 0.0, "high": 0.8}, {"name": "batch", "choices": 5}]
CHOICES = {"opt": ["sgd", "adam"], "act": ["relu", "tanh", "sigmoid"], "batch": [16, 32, 64, 128, 256]}


def asked(store, select):
    text = subprocess.run([DLRUN, "report", "curves", "--store", store, "--format", "json", "--sql", select], check=True,
                          capture_output=True, text=True).stdout
    found = json.loads(text)
    return found["rows"] if isinstance(found, dict) else found


def cell(name, value):
    if value is None:
        return ""
    if name in CHOICES:
        return str([str(c) for c in CHOICES[name]].index(str(value).strip('"')))
    return f"{float(value):.6g}"


def main():
    store = sys.argv[2] if len(sys.argv) > 2 else ROOT / "build" / "bench" / "curves"
    subprocess.run([DLRUN, "tune", HERE / "study.yaml", "--workers", "1", "--data", sys.argv[1], "--store", store,
                    "--quiet"], check=True)
    values, errors = {}, {}
    for row in asked(store, "select trial, name, value from params order by trial"):
        values.setdefault(row["trial"], {})[row["name"]] = row["value"]
    curves = "select trial, group_concat(step || ' ' || value) as curve from metrics where metric = 'val.accuracy' " \
             "and value is not null group by trial"
    for row in asked(store, curves):
        points = [point.split() for point in row["curve"].split(",")]
        errors[row["trial"]] = {int(step): 1 - float(value) for step, value in points}
    lines = [json.dumps(SPACE)]
    for trial in sorted(values):
        curve = [errors.get(trial, {}).get(epoch, 1.0) for epoch in range(1, EPOCHS + 1)]
        lines.append(",".join([cell(p["name"], values[trial].get(p["name"])) for p in SPACE] +
                              [f"{error:.4g}" for error in curve]))
    with open(HERE / "curves.csv.gz", "wb") as file, gzip.GzipFile("", "wb", mtime=0, fileobj=file) as packed:
        packed.write(("\n".join(lines) + "\n").encode())


if __name__ == "__main__":
    main()
