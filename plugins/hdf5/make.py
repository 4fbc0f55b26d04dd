#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the data of study.yaml: noisy pictures of three patterns, compressed, with the patterns' names as labels."""
import random
import sys

import h5py
import numpy

SIDE = 8
PATTERNS = {"cross": lambda x, y: x == y or x + y == SIDE - 1, "rows": lambda x, y: y % 2 == 0, "frame": lambda x, y: {x, y} & {0, SIDE - 1}}


def examples(count, seed):
    """Pictures [count, 1, SIDE, SIDE] of bytes, and names."""
    source = random.Random(seed)
    names = [list(PATTERNS)[i % len(PATTERNS)] for i in range(count)]
    pictures = [[[[min(255, max(0, int(source.gauss(180 if PATTERNS[name](x, y) else 80, 60)))) for x in range(SIDE)]
                  for y in range(SIDE)]] for name in names]
    return numpy.array(pictures, "u1"), names


def main(path):
    with h5py.File(path, "w") as file:
        for seed, (split, count) in enumerate((("train", 150), ("test", 60))):
            pictures, names = examples(count, seed)
            file.create_dataset(f"{split}/images", data=pictures, chunks=(16, 1, SIDE, SIDE), compression="gzip")
            file.create_dataset(f"{split}/labels", data=names, dtype=h5py.string_dtype())


if __name__ == "__main__":
    main(sys.argv[1])
