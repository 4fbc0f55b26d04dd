# SPDX-License-Identifier: Apache-2.0
"""A small data set in every format dlrun reads, made anew from a variant number, and a trial that trains on it."""
import gzip
import io
import json
import random
import struct
import tarfile
import zipfile
import zlib
from dataclasses import dataclass
from typing import Callable

ROWS = 48


@dataclass
class Format:
    """`files(variant)` maps names to bytes; every file of variant 1 differs from that of variant 0."""

    files: Callable[[int], dict]
    data: str
    nodes: str
    loss: str = "cross_entropy"


def numbers(variant, name):
    return random.Random(f"{name} {variant}")


def table(variant):
    source = numbers(variant, "table")
    rows = [f"{source.gauss(0, 1):.4f},{source.choice('abc')},{i % 3}" for i in range(ROWS)]
    return "\n".join(["size,kind,y", *rows]) + "\n"


def dated(variant):
    source = numbers(variant, "dated")
    rows = [f"2026-{1 + i % 12:02}-{source.randrange(1, 29):02},{source.gauss(0, 1):.4f},{i % 3}" for i in range(24)]
    return "\n".join(["when,size,y", *rows]) + "\n"


def sparse(variant, count=ROWS):
    """SVMlight's text: a class and some of five numbers by their index."""
    source = numbers(variant, "sparse")
    rows = [" ".join([str(i % 3), *(f"{k}:{source.gauss(0, 1):.4f}" for k in range(1, 6) if k == 5 or source.random() < 0.5)])
            for i in range(count)]
    return ("\n".join(rows) + "\n").encode()


def classes(variant, name, count=ROWS):
    """Every class is there in every variant."""
    labels = [i % 3 for i in range(count)]
    numbers(variant, name).shuffle(labels)
    return labels


def noise(variant, name, count):
    source = numbers(variant, name)
    return bytes(source.randrange(256) for _ in range(count))


def idx(variant):
    files = {}
    for half, count in (("train", ROWS), ("t10k", 12)):
        files[f"{half}-images-idx3-ubyte"] = struct.pack(">4I", 0x803, count, 4, 4) + noise(variant, half, count * 16)
        files[f"{half}-labels-idx1-ubyte"] = struct.pack(">2I", 0x801, count) + bytes(classes(variant, half, count))
    return files


def cifar(variant):
    names = [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"]
    files = {}
    for name in names:
        pixels = noise(variant, name, 10 * 3072)
        files[name] = b"".join(bytes([i % 10]) + pixels[i * 3072:(i + 1) * 3072] for i in range(10))
    files["batches.meta.txt"] = "".join(f"class{i}-{variant}\n" for i in range(10)).encode()
    return files


def archive(variant):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in cifar(variant).items():
            entry = tarfile.TarInfo("cifar-10-batches-bin/" + name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return {"cifar.tar.gz": packed.getvalue()}


def png(pixels, side):
    """Eight bits, grey."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    lines = b"".join(b"\0" + pixels[y * side:(y + 1) * side] for y in range(side))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", side, side, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def images(variant):
    return {f"images/{split}/{kind}/{i}.png": png(noise(variant, f"{split}{kind}{i}", 64), 8)
            for split, count in (("train", 12), ("val", 4), ("test", 4)) for kind in ("cat", "dog") for i in range(count)}


def npy(kind, shape, body):
    header = repr({"descr": kind, "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + body


def reals(variant, name, count):
    source = numbers(variant, name)
    return struct.pack(f"<{count}f", *(source.gauss(0, 1) for _ in range(count)))


def arrays(variant):
    """Name -> (numpy's type, shape, bytes)."""
    result = {}
    for half, count in (("train", ROWS), ("test", 12)):
        result[f"{half}_x"] = ("<f4", (count, 5), reals(variant, half, count * 5))
        result[f"{half}_y"] = ("<i8", (count,), struct.pack(f"<{count}q", *classes(variant, half + "y", count)))
    return result


def zipped(named):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as holder:
        for name, array in named.items():
            holder.writestr(zipfile.ZipInfo(name + ".npy"), npy(*array))
    return out.getvalue()


def safetensors(variant):
    header, body = {}, b""
    for name, (kind, shape, part) in arrays(variant).items():
        header[name] = {"dtype": {"<f4": "F32", "<i8": "I64"}[kind], "shape": shape,
                        "data_offsets": [len(body), len(body) + len(part)]}
        body += part
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return {"all.safetensors": struct.pack("<Q", len(text)) + text + body}


def series(variant):
    source = numbers(variant, "series")
    rows = [f"2026-01-{1 + i // 24:02} {i % 24:02}:00,{source.gauss(0, 1):.4f},{i % 7}" for i in range(120)]
    return {"series.csv": ("\n".join(["when,heat,load", *rows]) + "\n").encode()}


def prose(variant, words):
    source = numbers(variant, "prose")
    return " ".join(source.choice(["a", "long", "short", "good", "bad", "film", "day"]) for _ in range(words))


def moods(variant):
    return "text,mood\n" + "".join(f"{prose(f'{variant} {i}', 3 + i % 9)},{'pos' if i % 2 else 'neg'}\n"
                                   for i in range(ROWS))


FLAT = "- {op: flatten}\n      - {name: head, op: linear, out: classes, role: head}"
DENSE = "- {name: head, op: linear, out: classes, role: head}"
NUMBER = "- {op: flatten}\n      - {name: head, op: linear, out: outputs, role: head}"
WORDS = """- {name: embedding, op: embedding, out: 6}
      - {name: lstm, op: lstm, hidden: 8}
      - {name: head, op: linear, out: outputs, role: head}"""
MOODS = "- {name: embedding, op: embedding, out: 6}\n      " + FLAT
HALVES = "inputs: train_x, targets: train_y, test_inputs: test_x, test_targets: test_y"

FORMATS = {
    "csv": Format(lambda v: {"t.csv": table(v).encode()}, "{op: csv, path: t.csv, target: y}", DENSE),
    "tsv": Format(lambda v: {"t.tsv.gz": gzip.compress(table(v).replace(",", "\t").encode(), mtime=0)},
                  "{op: csv, path: t.tsv.gz, target: y}", DENSE),
    "csv_tables": Format(
        lambda v: {f"{part}.csv": dated(f"{part} {v}").encode() for part in ("train", "val", "test")},
        "{op: csv, path: train.csv, val: val.csv, test: test.csv, target: y, types: {when: date}}", DENSE),
    "svmlight": Format(lambda v: {"t.svm.gz": gzip.compress(sparse(v), mtime=0)}, "{op: svmlight, path: t.svm.gz}", DENSE),
    "svmlight_files": Format(
        lambda v: {f"{part}.svm": sparse(f"{part} {v}") for part in ("train", "val", "test")},
        "{op: svmlight, path: train.svm, val: val.svm, test: test.svm, features: 6, scale: 2}", DENSE),
    "idx": Format(idx, "{op: idx, path: .}", FLAT),
    "cifar": Format(cifar, "{op: cifar, path: .}", FLAT),
    "cifar_archive": Format(archive, "{op: cifar, path: cifar.tar.gz}", FLAT),
    "image_folder": Format(images, "{op: image_folder, path: images, colour: grey}", FLAT),
    "npy": Format(lambda v: {f"{name}.npy": npy(*array) for name, array in arrays(v).items()},
                  "{op: npy, inputs: {x: train_x.npy}, targets: train_y.npy, test_inputs: {x: test_x.npy}, "
                  "test_targets: test_y.npy}", DENSE),
    "npz": Format(lambda v: {"all.npz": zipped(arrays(v))}, "{op: npz, path: all.npz, " + HALVES + "}", DENSE),
    "safetensors": Format(safetensors, "{op: safetensors, path: all.safetensors, " + HALVES + "}", DENSE),
    "series": Format(series, "{op: series, path: series.csv, target: load, time: when, window: 5}", NUMBER, "mse"),
    "series_npy": Format(lambda v: {"s.npy": npy("<f4", (120, 3), reals(v, "series", 360))},
                         "{op: series, path: s.npy, target: -1, window: 5}", NUMBER, "mse"),
    "series_npz": Format(lambda v: {"s.npz": zipped({"heat": ("<f4", (120, 2), reals(v, "heat", 240)),
                                                     "load": ("<f4", (120,), reals(v, "load", 120))})},
                         "{op: series, path: s.npz, target: load, window: 5}", NUMBER, "mse"),
    "text": Format(lambda v: {"t.txt": prose(v, 400).encode()},
                   "{op: text, path: t.txt, length: 12, vocabulary: {kind: bpe, size: 270}}", WORDS),
    "text_classes": Format(lambda v: {"t.csv": moods(v).encode()},
                           "{op: text_classes, path: t.csv, text: text, target: mood, length: 8, "
                           "vocabulary: {kind: word}}", MOODS),
    "text_classes_folder": Format(
        lambda v: {f"texts/{kind}/{i}.txt": prose(f"{v} {kind} {i}", 3 + i).encode()
                   for kind in ("neg", "pos") for i in range(12)},
        "{op: text_classes, path: texts, length: 8}", MOODS),
}
