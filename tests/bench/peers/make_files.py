# SPDX-License-Identifier: Apache-2.0
"""make_files.py FOLDER: the files that tests/bench/bench_data.py reads: JPEG photographs of noise with structure, CIFAR's
binary files, a table of numbers and categories."""
import sys
from pathlib import Path

import numpy as np
from PIL import Image

IMAGES, SIDE = 400, (320, 240)
RECORDS = 4000
ROWS = 100_000


def photographs(folder, source):
    for i in range(IMAGES):
        place = folder / "images" / f"class{i % 4}"
        place.mkdir(parents=True, exist_ok=True)
        coarse = Image.fromarray(source.integers(0, 256, (12, 16, 3), np.uint8)).resize(SIDE, Image.Resampling.BICUBIC)
        fine = np.asarray(coarse, np.int16) + source.integers(-12, 13, (SIDE[1], SIDE[0], 3))
        Image.fromarray(fine.clip(0, 255).astype(np.uint8)).save(place / f"{i}.jpg", quality=90)


def cifar(folder, source):
    place = folder / "cifar"
    place.mkdir(parents=True)
    for name in [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"]:
        records = source.integers(0, 256, (RECORDS, 3073), np.uint8)
        records[:, 0] = np.arange(RECORDS) % 10
        records.tofile(place / name)


def table(folder, source):
    numbers = source.normal(size=(ROWS, 12))
    words = source.choice(["red", "green", "blue", "grey"], (ROWS, 3))
    with open(folder / "table.csv", "w") as out:
        out.write(",".join([f"n{i}" for i in range(12)] + ["a", "b", "c", "y"]) + "\n")
        for i in range(ROWS):
            out.write(",".join([f"{n:.5f}" for n in numbers[i]] + list(words[i]) + ["yn"[i % 2]]) + "\n")


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True)
    source = np.random.default_rng(1)
    photographs(folder, source)
    cifar(folder, source)
    table(folder, source)
    (folder / "done").touch()


main()
