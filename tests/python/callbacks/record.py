#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains with the real libraries and compares the calls that dlrun's callbacks make with the golden files.

    tests/python/callbacks/record.py [--write] [LIBRARY…]

Needs the packages of requirements.txt. Each library trains four steps; two steps, after which the trial is pruned; and, from
the checkpoint of those, the last two. Names, steps and order are compared exactly, values within 2 %, because other
versions and processors round otherwise. The resumed training must end as the first one did. --write writes the golden files.
Ends with 1 where something differs.
"""
import argparse
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "python")]
os.environ.setdefault("KERAS_BACKEND", "torch")
TOLERANCE = 0.02


def runs_of(library):
    """{name: recorded run}"""
    import libraries
    from recording import RecordingTrial
    train = getattr(libraries, f"train_{library}")
    with tempfile.TemporaryDirectory(prefix="dlrun-callbacks-") as base:
        found = {}

        def run(name, **settings):
            folder = Path(base, name)
            folder.mkdir()
            trial, hooks = RecordingTrial(folder, **settings), []
            train(trial, hooks)
            found[name] = {"trial": trial.facts(), "hooks": hooks, "calls": trial.calls}
            return folder

        run("whole")
        folder = run("pruned", stop_after=2)
        saved = [call[1] for call in found["pruned"]["calls"] if call[0] == "checkpoint"]
        artifact = Path(base, "artifact")   # dlrun's names have no suffix
        shutil.copy(folder / saved[-1], artifact)
        run("resumed", from_step=2, resume=artifact)
    return found


def differences(wanted, found, place="", tolerance=TOLERANCE):
    """Lines that name what differs."""
    if isinstance(wanted, float) and isinstance(found, (int, float)):
        return [] if abs(wanted - found) <= tolerance * max(1, abs(wanted)) else [f"{place}: {found}, not {wanted}"]
    if isinstance(wanted, dict) and isinstance(found, dict):
        wanted, found = ({key: value for key, value in map_.items() if not key.endswith(("_runtime", "_per_second"))}
                         for map_ in (wanted, found))
        lines = [] if wanted.keys() == found.keys() else [f"{place}: {sorted(found)}, not {sorted(wanted)}"]
        return lines + [line for key in wanted.keys() & found.keys()
                        for line in differences(wanted[key], found[key], f"{place} {key}", tolerance)]
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        return [line for n, pair in enumerate(zip(wanted, found)) for line in differences(*pair, f"{place} {n}", tolerance)]
    return [] if wanted == found else [f"{place}: {found}, not {wanted}"]


def golden_text(versions, runs):
    """JSON with a line for each hook and each call."""
    def listed(rows):
        return "[\n" + ",\n".join("  " + json.dumps(row) for row in rows) + "]"
    parts = [f' "{name}": {{"trial": {json.dumps(run["trial"])},\n  "hooks": {listed(run["hooks"])},\n  "calls": {listed(run["calls"])}}}'
             for name, run in runs.items()]
    return f'{{"versions": {json.dumps(versions)},\n"runs": {{\n' + ",\n".join(parts) + "}}\n"


def compare(library, write):
    import libraries
    versions = {name: importlib.metadata.version(name) for name in libraries.PACKAGES[library]}
    runs = json.loads(json.dumps(runs_of(library)))
    lines = differences(runs["whole"]["calls"][-1], runs["resumed"]["calls"][-1], "resumed", 1e-4)
    golden = HERE / "goldens" / f"{library}.json"
    if write:
        golden.write_text(golden_text(versions, runs))
    else:
        lines += differences(json.loads(golden.read_text())["runs"], runs)
    print(f"{library:<18} {', '.join(map(' '.join, versions.items()))}: {'differs' if lines else 'agrees'}", flush=True)
    print("".join(f"  {line}\n" for line in lines), end="", flush=True)
    return not lines


def main():
    import libraries
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="LIBRARY", default=[])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if len(options.names) == 1:
        return 0 if compare(options.names[0], options.write) else 1
    # Each in a process of its own: two versions of OpenMP in one process may hang.
    mode = ["--write"] if options.write else []
    codes = [subprocess.run([sys.executable, __file__, name, *mode]).returncode for name in options.names or libraries.PACKAGES]
    return 1 if any(codes) else 0


if __name__ == "__main__":
    sys.exit(main())
