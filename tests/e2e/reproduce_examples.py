#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every study of examples/ with few trials, reproduces one trial of each, and prints what came out.

    tests/e2e/reproduce_examples.py [NAME…] [--bin DIR] [--data DIR]

NAME is a file below examples/ ("titanic/folds.yaml"); default: all for which python3 has the modules, but those of
transformers, whose checkpoints contain times. Studies whose data is not there are named as such, and count as failed unless
--data-may-lack is given; that of cifar is cut to 1,000 images. Ends with 1 where a trial did not come out bit by bit.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
QUICK = ("--set", "limits.trials=2")
SHORT = (*QUICK, "--set", "epochs=1")
PLANS = {"retuned.yaml", "ablation.yaml"}  # laid over the study.yaml beside them
MODULES = {"nanogpt": "torch", "lightgbm": "lightgbm"}  # that python3 needs for a folder's studies
UNEQUAL = {"transformers"}
OPTIONS = {"function/study.yaml": QUICK, "command/study.yaml": QUICK,
           "lightgbm/study.yaml": QUICK, "lightgbm/study-python.yaml": QUICK,
           "digits/study.yaml": ("--set", "limits.trials=4"),
           "digits/population.yaml": ("--set", "search.pruner={op: pbt, population: 4}", "--set", "epochs=3", "--set",
                                      "keep={last: 9, rungs: true}"),
           **{f"titanic/{name}.yaml": (*SHORT, "--set", "search.pruner=none") for name in ("study", "outputs")},
           "cifar/study.yaml": (*SHORT, "--set", "trial.data.limit=1000"),
           "partitions/policies.yaml": ("--set", "ablation.replicates.n=2"),
           "titanic/retuned.yaml": ("--set", "ablation.replicates.n=2", "--set", "epochs=1")}


def studies(names):
    found = sorted(path.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.glob("*/*.yaml"))
    unknown = set(names) - set(found)
    if unknown:
        sys.exit(f"no example {', '.join(sorted(unknown))}: there are {', '.join(found)}")
    return names or [name for name in found if name.split("/")[0] not in UNEQUAL and has_module(name)]


def has_module(example):
    needed = MODULES.get(example.split("/")[0])
    if not needed or subprocess.run(["python3", "-c", f"import {needed}"], capture_output=True).returncode == 0:
        return True
    print(f"{example:<24} left out: python3 has no module {needed}")
    return False


class Runs:
    def __init__(self, options, folder):
        self.dlrun = Path(options.bin).resolve() / "dlrun"
        self.data = [word for place in options.data for word in ("--data", str(Path(place).resolve()))]
        self.folder = folder

    def run(self, *words):
        return subprocess.run([self.dlrun, *map(str, words)], cwd=self.folder, capture_output=True, text=True)

    def study(self, example):
        """A row: the example, the trial, what came out, seconds of both."""
        path, name = EXAMPLES / example, example.replace("/", "-").removesuffix(".yaml")
        is_plan = path.name in PLANS
        files = (path.parent / "study.yaml", path) if is_plan else (path,)
        usual = ("--set", "epochs=1", "--set", "ablation.replicates.n=2") if is_plan else SHORT
        began = time.monotonic()
        done = self.run("ablate" if is_plan else "tune", *files, "--name", name, "-q", *self.data, *OPTIONS.get(example, usual))
        if done.returncode != 0:
            lacks = "looked for" in done.stderr or "README" in done.stderr
            return example, "", "no data" if lacks else "did not run: " + (done.stderr.splitlines() or ["?"])[0], 0, 0
        trained = time.monotonic()
        done = self.run("reproduce", f"{name}/0", "--format", "json")
        text = (done.stderr.splitlines() or ["?"])[-1]
        if done.stdout:
            answer = json.loads(done.stdout)
            text = answer.get("tables", [answer])[0]["rows"][0]["reproduction"]
        return example, f"{name}/0", text, trained - began, time.monotonic() - trained


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--bin", default=os.environ.get("DLRUN_BIN", "build/release/bin"))
    parser.add_argument("--data", action="append", default=[], metavar="DIR", help="where mnist, cifar10, … lie")
    parser.add_argument("--data-may-lack", action="store_true")
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="dlrun-examples-") as folder:
        runs = Runs(options, folder)
        print(f"{'example':<24} {'study':>7} {'again':>7}  what came out", flush=True)
        for example in studies(options.names):
            _, _, text, trained, again = runs.study(example)
            failed += not (text.startswith("reproduced") or (text == "no data" and options.data_may_lack))
            print(f"{example:<24} {trained:6.1f}s {again:6.1f}s  {text}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
