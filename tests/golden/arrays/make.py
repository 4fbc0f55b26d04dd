#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes small files of numpy's formats and of safetensors beside it. Needs numpy.

Every array holds 0, 1, 2, … in its own order of rows, whatever its type, so that the test knows what it reads.
"""
import json
import struct
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent


def counted(dtype, shape=(6, 2)):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def save(name, array, version=(1, 0)):
    with open(HERE / f"{name}.npy", "wb") as stream:
        np.lib.format.write_array(stream, array, version=version)


def write_safetensors(path, tensors):
    names = {np.dtype("float32"): "F32", np.dtype("int64"): "I64", np.dtype("uint8"): "U8", np.dtype("float16"): "F16"}
    header, data = {}, b""
    for name, array in tensors.items():
        begin = len(data)
        data += array.tobytes()
        header[name] = {"dtype": names[array.dtype], "shape": array.shape, "data_offsets": [begin, len(data)]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def main():
    for kind in ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"):
        save(f"little_{kind}", counted(f"<{kind}"))
        save(f"big_{kind}", counted(f">{kind}"))
        save(f"fortran_{kind}", np.asfortranarray(counted(f"<{kind}")))
    save("b1", counted("u1") % 2 == 1)
    save("version_2", counted("<f4"), (2, 0))
    save("version_3", counted("<f4"), (3, 0))
    save("fortran_3d", np.asfortranarray(counted("<f4", (6, 3, 2))))
    save("labels", np.array([0, 1, 2, 0, 1, 2], "<i8"))
    np.save(HERE / "objects.npy", np.array([{"a": 1}, None]), allow_pickle=True)
    np.save(HERE / "structured.npy", np.zeros(3, [("a", "f4"), ("b", "i4")]))
    graphs = {"features": counted("f4", (20, 5, 3)), "adjacency": np.tile(np.eye(5, dtype="u1"), (20, 1, 1)),
              "label": (np.arange(20) % 2).astype("i8")}
    np.savez(HERE / "stored.npz", **graphs)
    np.savez_compressed(HERE / "deflated.npz", **graphs)
    rows = np.arange(20)
    np.savez_compressed(HERE / "series.npz", day=rows, heat=np.stack([rows, 100 + rows], 1).astype("f4"), load=rows + 0.5)
    write_safetensors(HERE / "tensors.safetensors", {**graphs, "half": counted("f2")})


main()
