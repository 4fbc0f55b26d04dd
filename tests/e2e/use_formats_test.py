# SPDX-License-Identifier: Apache-2.0
"""New examples in every format: a file that is one of the trial's own splits gives that split's figures, predictions of
it give the same metrics by hand, and what does not fit is refused by name."""
import csv
import gzip
import json
import math
import struct
import sys
import tarfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from formats import FORMATS, ROWS, arrays, npy, zipped  # noqa: E402
from formats_test import STUDY  # noqa: E402
from support import HAS_TRAINER, Folder  # noqa: E402

SERIES_SPLIT = ", split: {train: 0.5, val: 0.25, test: 0.25}}"


def changed(data, more):
    return data[:-1] + more


@unittest.skipUnless(HAS_TRAINER, "this build has no trainer")
class UseFormats(Folder):

    def ok(self, *words):
        done = self.run_dlrun(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, said, *words):
        done = self.run_dlrun(*words)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(said, done.stderr)

    def measured(self, *words):
        rows = json.loads(self.ok("eval", "formats", *words, "--format", "json"))["rows"]
        return {row["metric"]: row["value"] for row in rows}

    def predicted(self, *words):
        self.ok("predict", "formats", *words, "-o", "out.csv", "-q")
        with open(self.folder / "out.csv") as file:
            return list(csv.DictReader(file))

    def train(self, name, more="}", nodes=None, data=None):
        form = FORMATS[name]
        for path, content in form.files(0).items():
            self.put(path, content)
        section = changed(data or form.data, more)
        study = STUDY.format(data=section, nodes=nodes or form.nodes, loss=form.loss)
        self.ok("tune", self.write(study), "-q")

    def put(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return name

    def check_split(self, split, labels, *data):
        """The split's own figures, bit for bit; and what predictions of the same examples say by hand."""
        own = self.measured("--split", split)
        self.assertEqual(self.measured(*data), own)
        self.check_labels(own, labels, self.predicted("--data", data[1]))

    def check_labels(self, own, labels, rows):
        self.assertEqual(len(rows), own["examples"])
        hits = sum(int(row["class"] == str(label)) for row, label in zip(rows, labels, strict=True))
        self.assertEqual(hits / len(rows), own["accuracy"])
        loss = -sum(math.log(float(row[f"p_{label}"])) for row, label in zip(rows, labels)) / len(rows)
        self.assertAlmostEqual(loss, own["loss"], delta=1e-6)

    def test_npy(self):
        self.train("npy")
        labels = struct.unpack("<12q", arrays(0)["test_y"][2])
        self.check_split("test", labels, "--data", "x=test_x.npy", "--data", "targets=test_y.npy")
        self.assertEqual(self.measured("--data", "inputs.x=test_x.npy,targets=test_y.npy"), self.measured("--split", "test"))
        for name, array, said in (
                ("wide", ("<f4", (2, 6), bytes(48)), "has examples of [6], but the model was trained on [5]"),
                ("deep", ("<f4", (2, 5, 1), bytes(40)), "[5, 1]"),
                ("whole", ("<i4", (2, 5), bytes(40)), "holds whole numbers, but the model was trained on reals"),
                ("none", ("<f4", (0, 5), b""), "has the shape [0, 5]"),
                ("nan", ("<f4", (1, 5), struct.pack("<5f", 0, 0, math.nan, 0, 0)), "has NaN in example 0, number 2")):
            self.put(f"{name}.npy", npy(*array))
            self.refused(said, "predict", "formats", "--data", f"{name}.npy", "-o", "bad.csv")
        self.put("cut.npy", npy("<f4", (2, 5), bytes(39)))
        self.refused("promises 40 bytes of numbers, but has 39", "predict", "formats", "--data", "cut.npy", "-o", "-")
        self.put("empty.npy", b"")
        self.refused("is empty", "predict", "formats", "--data", "empty.npy", "-o", "bad.csv")
        self.put("label.npy", npy("<i8", (12,), struct.pack("<12q", *[0] * 11, 3)))
        self.refused("has the label 3 in example 11, but the model knows 0 to 2",
                     "eval", "formats", "--data", "x=test_x.npy,targets=label.npy")
        self.put("few.npy", npy("<i8", (11,), bytes(88)))
        self.refused("12 examples, but", "eval", "formats", "--data", "x=test_x.npy,targets=few.npy")
        self.refused("needs 'targets'", "eval", "formats", "--data", "test_x.npy")
        self.refused("predictions need no targets", "predict", "formats", "--data", "x=test_x.npy,targets=test_y.npy", "-o", "-")
        self.refused("has no 'y'", "predict", "formats", "--data", "y=test_x.npy", "-o", "bad.csv")
        self.assertFalse((self.folder / "bad.csv").exists())

    def test_archives(self):
        for name, file in (("npz", "all.npz"), ("safetensors", "all.safetensors")):
            with self.subTest(name):
                self.train(name)
                own = self.measured("--split", "test")
                held = {name.replace("test", "train"): array for name, array in arrays(0).items() if "test" in name}
                self.put("new.npz", zipped(held))
                if name == "npz":
                    self.check_split("test", struct.unpack("<12q", held["train_y"][2]), "--data", "new.npz")
                    self.put("part.npz", zipped({"train_x": held["train_x"]}))
                    self.assertEqual(len(self.predicted("--data", "part.npz")), 12)
                    self.refused("there is no array \"train_y\"", "eval", "formats", "--data", "part.npz")
                    self.put("torn.npz", zipped(held)[:-30])
                    self.refused("is no npz archive", "predict", "formats", "--data", "torn.npz", "-o", "bad.csv")
                else:
                    self.refused("header", "predict", "formats", "--data", "new.npz", "-o", "bad.csv")
                    self.check_parts(file, own)
                (self.folder / "dlrun-store" / "studies" / "formats.db").unlink()

    def check_parts(self, data, own):
        """All examples of the section: the mean of the splits' figures, each by its number."""
        whole = self.measured("--data", data)
        splits = [self.measured("--split", split) for split in ("train", "val")]
        self.assertEqual(whole["examples"], sum(split["examples"] for split in splits))
        for metric in ("loss", "accuracy"):
            mean = sum(split[metric] * split["examples"] for split in splits) / whole["examples"]
            self.assertAlmostEqual(whole[metric], mean, delta=1e-6)

    def test_sparse_text(self):
        self.train("svmlight_files")
        lines = (self.folder / "test.svm").read_text().splitlines()
        self.check_split("test", [line.split()[0] for line in lines], "--data", "test.svm")
        self.put("unknown.svm.gz", gzip.compress("".join(f"9 {line.split(' ', 1)[1]}\n" for line in lines).encode()))
        self.assertEqual(self.predicted("--data", "unknown.svm.gz"), self.predicted("--data", "test.svm"))
        self.refused("which no row of the training table has", "eval", "formats", "--data", "unknown.svm.gz")
        self.put("wide.svm", b"1 1:2\n1 7:2\n")
        self.refused("wide.svm:2:3: line 2 has the index 7, but the columns are 1 to 6", "predict", "formats", "--data",
                     "wide.svm", "-o", "-")
        self.refused("has no effect", "predict", "formats", "--data", "test.svm", "--id", "1", "-o", "-")

    def test_cifar(self):
        self.train("cifar", more=", standardise: true, channels: [2, 0]}")
        names = [f"class{i}-0" for i in range(10)]
        self.check_split("test", names, "--data", "test_batch.bin")
        content = (self.folder / "test_batch.bin").read_bytes()
        self.put("strange.bin", b"\x0b" + content[1:])
        self.refused("has the label 11, but 10 classes", "eval", "formats", "--data", "strange.bin")
        self.assertEqual(self.predicted("--data", "strange.bin"), self.predicted("--data", "test_batch.bin"))
        self.put("cut.bin.gz", gzip.compress(content[:5000]))
        self.refused("1 records of 3073 and 1927 bytes more", "predict", "formats", "--data", "cut.bin.gz", "-o", "-")
        self.refused("is a folder, not a file", "predict", "formats", "--data", ".", "-o", "-")

    def test_images_and_labels_in_folders(self):
        self.train("image_folder")
        self.check_split("val", ["cat"] * 4 + ["dog"] * 4, "--data", "images/val")

    def test_texts_in_folders(self):
        self.train("text_classes_folder")
        whole, splits = self.measured("--data", "texts"), [self.measured("--split", s) for s in ("train", "val", "test")]
        self.assertAlmostEqual(whole["loss"] * 24, sum(s["loss"] * s["examples"] for s in splits), delta=1e-5)
        rows = self.predicted("--data", "texts")
        self.assertEqual(rows[0]["file"], "neg/0.txt")
        self.check_labels(whole, ["neg"] * 12 + ["pos"] * 12, rows)
        self.put("other/new/1.txt", b"a film")
        self.assertEqual([row["file"] for row in self.predicted("--data", "other")], ["new/1.txt"])
        self.refused("there is no class 'new'", "eval", "formats", "--data", "other")
        self.put("none/.hidden", b"")
        self.refused("there is no text in", "predict", "formats", "--data", "none", "-o", "-")
        self.refused("is no folder", "predict", "formats", "--data", "study.yaml", "-o", "-")
        self.put("void/1.txt", b"")
        self.refused("is empty", "predict", "formats", "--data", "void", "-o", "-")

    def test_texts_in_a_table(self):
        self.train("text_classes")
        whole, splits = self.measured("--data", "t.csv"), [self.measured("--split", s) for s in ("train", "val", "test")]
        self.assertAlmostEqual(whole["loss"] * ROWS, sum(s["loss"] * s["examples"] for s in splits), delta=1e-5)
        self.refused("there is no column 'text'", "predict", "formats", "--data", self.put("u.csv", b"a,b\n1,2\n"), "-o", "-")

    def test_a_language_model_is_measured(self):
        self.train("text", more=", step: 5" + SERIES_SPLIT, data=FORMATS["text"].data.replace("kind: bpe, size: 270", "kind: byte"))
        text = (self.folder / "t.txt").read_bytes()
        begin, end = (round(share * len(text)) for share in (0.5, 0.75))  # bytes are tokens, and there is no line end
        begin = (begin + 4) // 5 * 5
        self.put("val.txt", text[begin:end])
        own = self.measured("--split", "val", "--metrics", "perplexity")
        self.assertEqual(self.measured("--data", "val.txt", "--metrics", "perplexity"), own)
        self.assertAlmostEqual(own["perplexity"], math.exp(own["loss"]), delta=1e-3)
        self.refused("foretells the next token", "predict", "formats", "--data", "val.txt", "-o", "bad.csv")
        self.refused("has 12 tokens, but the model's window needs 13", "eval", "formats", "--data", self.put("s.txt", b"x" * 12))
        self.refused("is empty", "eval", "formats", "--data", self.put("e.txt", b""))

    def lines(self, begin, end, columns=("when", "heat", "load")):
        with open(self.folder / "series.csv") as file:
            rows = list(csv.DictReader(file))[begin:end]
        text = "\n".join(",".join(row[c] for c in columns) for row in rows)
        return (",".join(columns) + "\n" + text + "\n").encode()

    def test_a_series_in_its_own_unit(self):
        more = ", horizon: 2, step: 3, standardise_targets: true" + SERIES_SPLIT
        self.train("series", more=more)
        self.put("val.csv", self.lines(60, 90))
        own = self.measured("--split", "val", "--metrics", "rmse")
        self.assertEqual(self.measured("--data", "val.csv", "--metrics", "rmse"), own)
        rows = self.predicted("--data", "val.csv")
        # A window of 5 rows at every third row of 30; the last one foretells rows 29 and 30, of which one is not there.
        self.assertEqual([int(row["row"]) for row in rows], list(range(5, 31, 3)))
        self.assertEqual(list(rows[0]), ["row", "when", "value_load_1", "value_load_2"])
        with open(self.folder / "val.csv") as file:
            known = list(csv.DictReader(file))
        for row in rows:
            self.assertEqual(row["when"], known[int(row["row"])]["when"])
        train = [i % 7 for i in range(60)]
        mean = sum(train) / 60
        deviation = math.sqrt(sum((x - mean) ** 2 for x in train) / 60)
        squares = [((float(row[f"value_load_{k + 1}"]) - float(known[int(row["row"]) + k]["load"])) / deviation) ** 2
                   for row in rows[:-1] for k in range(2)]
        self.assertAlmostEqual(sum(squares) / len(squares), own["loss"], delta=1e-6)
        self.assertAlmostEqual(deviation * math.sqrt(own["loss"]), own["rmse"], delta=1e-5)
        self.put("next.csv", self.lines(85, 90, ("load", "when", "heat")))
        forecast = self.predicted("--data", "next.csv")
        self.assertEqual([(row["row"], row["when"]) for row in forecast], [("5", "")])
        for columns, said in ((("when", "heat"), "has no column 'load', which is an input of the model"),
                              (("heat", "load"), "has no column 'when', which is the time")):
            self.put("few.csv", self.lines(60, 90, columns))
            self.refused(said, "predict", "formats", "--data", "few.csv", "-o", "-")
        self.put("short.csv", self.lines(60, 64))
        self.refused("a window needs 5 rows, but", "predict", "formats", "--data", "short.csv", "-o", "-")
        self.refused("a window and its horizon need 7 rows, but", "eval", "formats", "--data", "short.csv")
        self.put("gap.csv", b"when,heat,load\n" + b"".join(b"%d,1,%s\n" % (i, b"" if i == 3 else b"2") for i in range(9)))
        self.refused("column 'load' has no value in line 5", "predict", "formats", "--data", "gap.csv", "-o", "-")
        self.put("back.csv", self.lines(60, 70) + self.lines(60, 61).split(b"\n")[1] + b"\n")
        self.refused("sort the file by time", "predict", "formats", "--data", "back.csv", "-o", "-")
        self.put("word.csv", self.lines(60, 90).replace(b",1\n", b",one\n", 1))
        self.refused("\"one\"", "predict", "formats", "--data", "word.csv", "-o", "-")

    def test_a_table_with_targets_in_their_own_unit(self):
        prices = [200000 + 1000 * i * i for i in range(60)]
        for name, begin, end in (("prices.csv", 0, 40), ("val.csv", 40, 50), ("test.csv", 50, 60)):
            rows = "".join(f"{i},{prices[i]}\n" for i in range(begin, end))
            self.put(name, b"rooms,price\n" + rows.encode())
        self.write("""study: formats
objective: {metric: val.rmse, direction: minimize}
space: {lr: {at: optimizer.lr, type: float, low: 0.04, high: 0.06}}
limits: {trials: 1}
trial:
  data: {op: csv, path: prices.csv, val: val.csv, test: test.csv, target: price, standardise_targets: true}
  metrics: [rmse, mae, mape, max_error]
  model: {nodes: [{op: linear, out: targets, role: head}]}
  loss: mse
  epochs: 3
""")
        self.ok("tune", "study.yaml", "-q")
        own = self.measured("--data", "test.csv")
        self.assertEqual(own, self.measured("--split", "test"))
        errors = [float(row["value"]) - known for row, known in
                  zip(self.predicted("--data", "test.csv"), prices[50:], strict=True)]
        self.assertAlmostEqual(sum(map(abs, errors)) / 10 / own["mae"], 1, delta=1e-5)
        self.assertAlmostEqual(max(map(abs, errors)) / own["max_error"], 1, delta=1e-5)
        shares = [abs(error) / known for error, known in zip(errors, prices[50:])]
        self.assertAlmostEqual(sum(shares) / 10 / own["mape"], 1, delta=1e-5)
        mean = sum(prices[:40]) / 40
        variance = sum((price - mean) ** 2 for price in prices[:40]) / 40
        self.assertAlmostEqual(own["rmse"] ** 2 / variance / own["loss"], 1, delta=1e-5)

    def test_series_in_arrays(self):
        for name, file in (("series_npy", "s.npy"), ("series_npz", "s.npz")):
            with self.subTest(name):
                self.train(name, more=SERIES_SPLIT)
                whole = self.predicted("--data", file)
                self.assertEqual(len(whole), 116)
                self.assertEqual((list(whole[0]), whole[0]["row"]), (["row", "value"], "5"))
                body = FORMATS[name].files(0)[file]
                if name == "series_npy":
                    rows = body[-1440:]
                    self.put("val.npy", npy("<f4", (30, 3), rows[720:1080]))
                    self.assertEqual(self.measured("--data", "val.npy"), self.measured("--split", "val"))
                    self.assertEqual([r["value"] for r in self.predicted("--data", "val.npy")][:-1],
                                     [r["value"] for r in whole][60:85])
                    self.put("wide.npy", npy("<f4", (30, 4), bytes(480)))
                    self.refused("has 4 columns, but the training file 3", "predict", "formats", "--data", "wide.npy", "-o", "-")
                else:
                    self.put("few.npz", zipped({"load": ("<f4", (30,), bytes(120))}))
                    self.refused("has no column 'heat.0'", "predict", "formats", "--data", "few.npz", "-o", "-")
                (self.folder / "dlrun-store" / "studies" / "formats.db").unlink()


if __name__ == "__main__":
    unittest.main()
