# SPDX-License-Identifier: Apache-2.0
"""examples/titanic/ablation.yaml: what each column says is told rightly, on any number of workers; baseline and variants
begin with the same bits; where the network has learned nothing, nothing is ranked."""
import json
import struct
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from support import HAS_TRAINER, ROOT, Folder  # noqa: E402

TITANIC = ROOT / "examples" / "titanic"
FEW = ("--set", "ablation.replicates.n=3", "--set", "epochs=2")


def tensors(path):
    """{name: (shape, bytes)} of a safetensors file."""
    whole = path.read_bytes()
    (size,) = struct.unpack("<Q", whole[:8])
    header = json.loads(whole[8:8 + size])
    header.pop("__metadata__", None)
    return {name: (t["shape"], whole[8 + size + t["data_offsets"][0]:8 + size + t["data_offsets"][1]])
            for name, t in header.items()}


@unittest.skipUnless(HAS_TRAINER, "this build has no trainer")
class Ablation(Folder):

    def ablate(self, name, workers, *sets):
        store = self.folder / name
        done = self.run_dlrun("ablate", TITANIC / "study.yaml", TITANIC / "ablation.yaml", *sets, "--workers", workers,
                              "--store", store, "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        return store

    def contributions(self, store):
        done = self.run_dlrun("report", "--section", "ablation", "--format", "json", "--store", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        table = next(t for t in json.loads(done.stdout)["tables"] if t["title"] == "contributions")
        return {row["component"]: row for row in table["rows"]}

    def weights(self, store, variant):
        """Of the first replicate."""
        done = self.run_dlrun("report", "--store", store, "--format", "json", "--sql",
                              "select v.trial from params v join params r on r.trial = v.trial and r.name = 'replicate' "
                              f"where v.name = 'variant' and v.value = '{variant}' and r.value = 1")
        self.assertEqual(done.returncode, 0, done.stderr)
        trial = list(json.loads(done.stdout)["rows"][0].values())[0]
        file = self.folder / f"{variant}.safetensors"
        done = self.run_dlrun("export", "--weights", f"titanic-ablation/{trial}", "-o", file, "--store", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        return tensors(file)

    def test_sex_is_what_decided(self):
        store = self.ablate("two", 2)
        found = self.contributions(store)
        self.assertEqual(len(found), 9)
        self.assertEqual(found["sex"]["verdict"], "helps")
        self.assertTrue(0.05 < found["sex"]["contribution"] < 0.15, found["sex"])
        for name, row in found.items():
            self.assertEqual((row["pairs"], row["lost"]), (12, 0), name)
            self.assertLess(row["contribution"], 0.04 if name != "sex" else 1, name)
        self.assertEqual(self.logical(store), self.logical(self.ablate("one", 1)))

    def test_all_begin_with_the_same_bits(self):
        keep = ("--set", "optimizer.lr=1e-30", "--set", "keep.best=40")  # nothing moves: the weights are the first ones
        store = self.ablate("first", 2, *FEW, *keep)
        baseline, dropout, sex = (self.weights(store, name) for name in ("baseline", "dropout", "sex"))
        self.assertEqual(dropout, baseline)
        for name in ("head.weight", "head.bias"):  # fc1 has fewer inputs, by which its bounds are drawn
            self.assertEqual(sex[name], baseline[name])
        self.assertLess(sex["fc1.weight"][0][1], baseline["fc1.weight"][0][1])

    def test_a_baseline_that_learned_nothing_ranks_nothing(self):
        store = self.ablate("collapsed", 2, *FEW, "--set", "optimizer.weight_decay=190")  # to zero in a few steps
        self.assertEqual({row["verdict"].split()[0].rstrip(":") for row in self.contributions(store).values()}, {"invalid"})


if __name__ == "__main__":
    unittest.main()
