# SPDX-License-Identifier: Apache-2.0
"""The data pipeline alone beside torchvision, pandas and a DataLoader: files to batches, in seconds of CPU on one core,
which a busy machine hardly changes. And the peak memory of a training loop beside the same loop in Python PyTorch."""
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import bench_training
from benchlib import BIN, PEERS, ROOT, Row, environment, median_pair, say, single_thread_env, timed

FILES = ROOT / "build" / "bench" / "files"
NORMALISE = {"op": "normalise", "mean": [0.5], "std": [0.25]}
CROP = {"op": "crop", "pad": 4}

# name: section, path of the peer, epochs; nothing comes from a cache or is prepared by another thread
CASES = {
    "jpeg": ({"op": "image_folder", "path": "images", "size": 64, "cache": False, "prefetch": 0,
              "split": {"train": 1, "val": 0, "test": 0}, "augment": ["flip", CROP, NORMALISE]}, "images", 1),
    "cifar": ({"op": "cifar", "path": "cifar", "prefetch": 0, "split": {"val": 0}, "augment": [CROP, "flip", NORMALISE]},
              "cifar", 1),
    "csv": ({"op": "csv", "path": "table.csv", "target": "y", "prefetch": 0,
             "split": {"train": 1, "val": 0, "test": 0}}, "table.csv", 0),
}
WHAT = {"jpeg": "decode, augment and batch 400 JPEG", "cifar": "crop, flip and batch 20,000 of CIFAR",
        "csv": "read 100,000 rows of csv"}
PEER = {"jpeg": "torchvision + DataLoader", "cifar": "torchvision + DataLoader", "csv": "pandas"}


def seconds(command):
    """Of CPU, the last word that is printed; on one core."""
    core = min(os.sched_getaffinity(0))
    return float(timed(["taskset", "-c", str(core), *command], env=single_thread_env()).output.split()[-1])


def make_files(python):
    if (FILES / "done").exists():
        return
    shutil.rmtree(FILES, ignore_errors=True)
    subprocess.run([str(python), str(PEERS / "make_files.py"), str(FILES)], check=True)


def pipeline_row(python, name, folder, pairs):
    section, path, epochs = CASES[name]
    file = Path(folder) / f"{name}.json"
    file.write_text(json.dumps(section))
    ours, theirs = median_pair(
        lambda: seconds([BIN / "bench_data", file, FILES, str(epochs)]),
        lambda: seconds([python, PEERS / "data_torch.py", name, FILES / path, str(epochs)]), pairs)
    ratio = theirs / ours
    return Row(f"data.{WHAT[name]}", ours, "s CPU", PEER[name], theirs, ratio, ">= 1x", ratio >= 1)


def memory_row(python, net, steps, pairs):
    ours, theirs = median_pair(
        lambda: timed([BIN / "bench_trainer", bench_training.NETS / f"{net}.yaml", bench_training.DATA, str(steps)],
                      env=single_thread_env()).peak_mb,
        lambda: timed([python, PEERS / "torch_train.py", net, str(steps)], env=single_thread_env()).peak_mb, pairs)
    return Row(f"data.peak memory of {net}", ours, "MiB", "PyTorch 2.11.0, rows by index", theirs, ours / theirs,
               "<= 1.1x", ours / theirs <= 1.1)


def rows(full):
    pairs = 7 if full else 3
    python = environment("pipeline")
    targets = [name for name in ("bench_data", "bench_trainer") if not (BIN / name).exists()]
    if targets:
        subprocess.run(["cmake", "--build", "--preset", "release", "-j2", "--target", *targets], cwd=ROOT, check=True)
    make_files(python)
    bench_training.make_data(python)
    say(f"data pipeline; load at its beginning {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(prefix="dlrun-bench-") as folder:
        result = [pipeline_row(python, name, folder, pairs) for name in CASES]
    return result + [memory_row(python, net, steps, pairs) for net, steps in (("lenet", 100), ("resnet", 6))]
