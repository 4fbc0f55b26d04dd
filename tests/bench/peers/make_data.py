# SPDX-License-Identifier: Apache-2.0
"""make_data.py FOLDER: noise of the shapes that tests/bench/training trains on."""
import gzip
import struct
import sys
from pathlib import Path

import numpy as np

folder = Path(sys.argv[1])
random = np.random.default_rng(1)


def bytes_of(*shape):
    return random.integers(256, size=shape, dtype=np.uint8)


def labels_of(count):
    return (np.arange(count) % 10).astype(np.uint8)


def idx(path, array):
    head = struct.pack(f">HBB{array.ndim}I", 0, 8, array.ndim, *array.shape)
    path.write_bytes(gzip.compress(head + array.tobytes(), 1))


def mnist():
    (folder / "mnist").mkdir(exist_ok=True)
    for part, count in (("train", 6464), ("t10k", 64)):
        idx(folder / "mnist" / f"{part}-images-idx3-ubyte.gz", bytes_of(count, 28, 28))
        idx(folder / "mnist" / f"{part}-labels-idx1-ubyte.gz", labels_of(count))


def cifar():
    (folder / "cifar-noise").mkdir(exist_ok=True)
    names = [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"]
    for name in names:
        rows = np.hstack([labels_of(200)[:, None], bytes_of(200, 3072)])
        (folder / "cifar-noise" / name).write_bytes(rows.tobytes())


def table():
    names = ",".join([f"f{i}" for i in range(16)] + ["label"])
    rows = np.hstack([random.standard_normal((4096, 16)).round(4), labels_of(4096)[:, None]])
    np.savetxt(folder / "tabular.csv", rows, delimiter=",", header=names, comments="", fmt=["%g"] * 16 + ["%d"])


def tokens():
    np.savez(folder / "tokens.npz", x=random.integers(1000, size=(2048, 64)), y=np.arange(2048) % 2)


folder.mkdir(parents=True, exist_ok=True)
for make in (mnist, cifar, table, tokens):
    make()
