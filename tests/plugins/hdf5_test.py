#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The plugin hdf5 on files that h5py writes: known content, faults at their places, damage, and a study of it."""
import json
import os
import random
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/support"), str(ROOT / "tests/faults"), str(ROOT / "plugins/hdf5")]
from environments import SKIPPED, enter  # noqa: E402

OBJECT = Path(os.environ.get("DLRUN_PLUGINS", ".").split(":")[0]) / "hdf5.so"
if not OBJECT.exists():
    print(f"SKIPPED: {OBJECT} is missing, as without libhdf5-dev", file=sys.stderr, flush=True)
    sys.exit(SKIPPED)
enter(Path(__file__).parent / "requirements-hdf5.txt")

import h5py  # noqa: E402
import make  # noqa: E402
import numpy  # noqa: E402
from support import HAS_TRAINER, Folder  # noqa: E402

STUDY = """\
study: arrays
seed: 7
objective: {metric: val.loss, direction: minimize}
space:
  lr: {at: optimizer.lr, type: float, low: 1e-3, high: 1e-2, scale: log}
search: {sampler: random, lanes: 2}
limits: {trials: 2}
trial:
  data: {op: OP, path: a.OP, inputs: x, targets: y}
  model: {nodes: [{op: linear, out: classes}]}
  loss: cross_entropy
  optimizer: {op: adam, lr: 0.01}
  epochs: 2
  batch_size: 8
"""
ROWS = 60
Y = numpy.arange(ROWS) % 3
X = (numpy.random.default_rng(0).normal(size=(ROWS, 4)) + Y[:, None]).astype("f4")
NAMES = numpy.array(["cat", "dog", "älk"])[Y]


def write(path):
    """The same numbers in every form, and everything that must be refused."""
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=X, chunks=(7, 3), compression="gzip", shuffle=True)
        file["y"] = Y
        file["g/deep/big"] = X.astype(">f8")
        file["g/deep/y"] = Y.astype(">i2")
        file["half"] = X.astype("f2")
        file["names"] = NAMES.astype(h5py.string_dtype())
        file["fixed"] = numpy.array([b"cat", b"dog", b"elk"])[Y]
        file["flags"] = Y > 0
        file["few"] = Y[:50]
        file["single"] = 3.0
        file["nan"] = numpy.where(numpy.arange(ROWS * 4).reshape(ROWS, 4) == 30, numpy.nan, X)
        file["pairs"] = numpy.zeros(ROWS, dtype=[("a", "i4"), ("b", "f4")])
        file["soft"] = h5py.SoftLink("/g/deep/big")
        file["out"] = h5py.ExternalLink("b.h5", "/x")
        file["hop"] = h5py.SoftLink("/out")
        file["dangling"] = h5py.SoftLink("/nowhere")
        file.create_dataset("outside", shape=(ROWS, 4), dtype="f4", external=[("raw.bin", 0, ROWS * 16)])
        layout = h5py.VirtualLayout((ROWS, 4), "f4")
        layout[:] = h5py.VirtualSource("b.h5", "x", (ROWS, 4))
        file.create_virtual_dataset("virtual", layout)
        file.create_dataset("huge", shape=(ROWS, 1 << 36), chunks=(1, 1024), dtype="f4")


FAULTS = {"inputs": {"/nope": "there is no data set '/nope'", "/single": "is a single value", "/nan": "has NaN in example 7, number 2",
                     "/names": "holds texts", "/out": "is a link into another file", "/hop": "there is no data set",
                     "/dangling": "there is no data set", "/outside": "has its numbers in other files",
                     "/virtual": "has its numbers in other files", "/pairs": "holds neither numbers nor texts",
                     "/g": "is a group or a type", "/huge": "needs more than"},
          "targets": {"/few": "has 60 examples, but", "/single": "is a single value", "/nope": "there is no data set '/nope'"}}


class Hdf5(Folder):

    def setUp(self):
        super().setUp()
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")}
        write(self.folder / "a.h5")
        (self.folder / "a.hdf5").write_bytes((self.folder / "a.h5").read_bytes())
        numpy.savez(self.folder / "a.npz", x=X, y=Y)

    def dlrun(self, *arguments, code=0):
        done = self.run_dlrun(*arguments, env=self.environment)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stderr}")
        return done

    def study(self, op="hdf5"):
        return self.write(STUDY.replace("OP", op), f"{op}.yaml")

    def check(self, *sets, code=0):
        return self.dlrun("check", self.study(), *[word for one in sets for word in ("--set", f"trial.data.{one}")], code=code)

    def test_faults_have_their_places(self):
        for key, faults in FAULTS.items():
            for path, message in faults.items():
                with self.subTest(f"{key} {path}"):
                    said = self.check(f"{key}={path}", code=2).stderr
                    self.assertIn(message, said)
                    self.assertRegex(said, r"(--set:1|hdf5.yaml:9):\d+: error")

    def test_damaged_files_hurt_nobody(self):
        whole, source = (self.folder / "a.h5").read_bytes(), random.Random(7)
        for round in range(40):
            bytes_ = bytearray(whole)
            if round % 2:
                del bytes_[source.randrange(len(bytes_)):]
            for _ in range(0 if round % 2 else 20):
                bytes_[source.randrange(min(len(bytes_), 8000))] ^= 1 << source.randrange(8)
            (self.folder / "a.hdf5").write_bytes(bytes_ or b"\\0")
            done = self.run_dlrun("check", self.study(), env={**self.environment, "DLRUN_PLUGIN_MEMORY_MB": "500",
                                                              "DLRUN_PLUGIN_DEADLINE": "20"})
            self.assertIn(done.returncode, (0, 2), done.stderr)

    def test_contract(self):
        for targets in ("y", "names"):
            self.dlrun("plugins", "test", "hdf5", "path=a.h5", "inputs=x", f"targets={targets}")

    @unittest.skipUnless(HAS_TRAINER, "this build has no trainer")
    def test_training_equals_that_on_npz(self):
        """Bit for bit, from every form of the same numbers."""
        def rows(op, name, *sets):
            words = [word for one in sets for word in ("--set", f"trial.data.{one}")]
            self.dlrun("tune", self.study(op), *words, "--workers", 1, "--store", self.folder / name)
            lines = [json.loads(line) for line in self.logical(self.folder / name).splitlines()]
            return [line for line in lines if "artifact" not in line and "study" not in line]
        expected = rows("npz", "npz")
        self.assertGreater(len(expected), 10)
        self.assertEqual(rows("hdf5", "one"), expected)
        self.assertEqual(rows("hdf5", "two", "inputs=/soft", "targets=/g/deep/y"), expected)
        self.assertNotEqual(rows("hdf5", "half", "inputs=/half"), expected)  # the comparison can fail

    @unittest.skipUnless(HAS_TRAINER, "this build has no trainer")
    def test_names_of_new_examples_are_those_of_the_training(self):
        self.dlrun("tune", self.study(), "--set", "trial.data.targets=/names", "--workers", 1, "--store", self.folder / "store")

        def evaluate(rows, names, code=0):
            with h5py.File(self.folder / "new.h5", "w") as file:
                file["x"], file["names"] = X[rows], names
            return self.dlrun("eval", "arrays", "--data", self.folder / "new.h5", "--store", self.folder / "store",
                              "--format", "json", code=code)
        loss = [json.loads(evaluate(rows, NAMES[rows].astype(h5py.string_dtype())).stdout) for rows in ([2, 5, 8], [2, 5, 8, 11])]
        self.assertNotEqual(loss[0], loss[1])
        self.assertIn('has the class "elk"', evaluate([0, 1], [b"cat", b"elk"], code=2).stderr)
        self.assertIn("holds no texts", evaluate([0, 1], [0, 1], code=2).stderr)

    @unittest.skipUnless(HAS_TRAINER, "this build has no trainer")
    def test_its_study_is_one_on_any_workers_and_after_kills(self):
        make.main(self.folder / "patterns.h5")
        study = self.write((ROOT / "plugins/hdf5/study.yaml").read_text())
        for workers in (1, 4):
            self.dlrun("tune", study, "--workers", workers, "--store", self.folder / f"store{workers}")
        expected = self.logical(self.folder / "store1")
        self.assertEqual(self.logical(self.folder / "store4"), expected)
        self.tune_with_kills(study, "killed")
        self.dlrun("tune", study, "--workers", 2, "--store", self.folder / "killed")
        self.assertEqual(self.logical(self.folder / "killed"), expected)


if __name__ == "__main__":
    unittest.main()
