#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One trial of the study beside this file: fits a line to ten points by gradient descent.

dlrun gives it arguments (study.yaml says which), DLRUN_FROM_STEP and DLRUN_TO_STEP (epochs behind DLRUN_RESUME, and all
epochs of the trial), DLRUN_RESUME (the last checkpoint, or empty), DLRUN_INIT (another trial's, or empty), the working
folder DLRUN_DIR, and file descriptor 3 for reports, one JSON object a line.
"""
import argparse
import json
import os

POINTS = [(x / 10, 2 * x / 10 + 1 + (0.1 if x % 2 else -0.1)) for x in range(10)]


def loss_and_slope(a, b):
    errors = [(a * x + b - y, x) for x, y in POINTS]
    n = len(errors)
    return sum(e * e for e, _ in errors) / n, 2 * sum(e * x for e, x in errors) / n, 2 * sum(e for e, _ in errors) / n


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, required=True)
    parser.add_argument("--steps", type=int, required=True, help="gradient steps in an epoch")
    options = parser.parse_args()

    a, b = 0.0, 0.0
    resume = os.environ.get("DLRUN_RESUME") or os.environ.get("DLRUN_INIT")
    if resume:
        with open(resume) as file:
            a, b = json.load(file)

    first = int(os.environ.get("DLRUN_FROM_STEP", "0")) + 1
    last = int(os.environ.get("DLRUN_TO_STEP", "1"))
    reports = os.fdopen(int(os.environ["DLRUN_REPORT_FD"]), "w") if "DLRUN_REPORT_FD" in os.environ else None
    for epoch in range(first, last + 1):
        for _ in range(options.steps):
            _, da, db = loss_and_slope(a, b)
            a, b = a - options.lr * da, b - options.lr * db
        checkpoint = os.path.join(os.environ.get("DLRUN_DIR", "."), f"line-{epoch}.json")
        with open(checkpoint, "w") as file:
            json.dump([a, b], file)
        for line in ({"checkpoint": checkpoint, "step": epoch},
                     {"metric": "loss", "step": epoch, "value": loss_and_slope(a, b)[0]}):
            print(json.dumps(line), file=reports, flush=True)


if __name__ == "__main__":
    main()
