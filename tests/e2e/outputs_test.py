# SPDX-License-Identifier: Apache-2.0
"""Two questions of one network on real data (examples/titanic/outputs.yaml, shorter): metrics of every output, better than
guessing, the same bits on any number of workers, a test measurement, weights to export."""
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from support import HAS_TRAINER, ROOT, Folder  # noqa: E402

STUDY = ROOT / "examples" / "titanic" / "outputs.yaml"
SHORT = ("--set", "limits.trials=4", "--set", "search.lanes=2", "--set", "search.pruner=none", "--set", "epochs=6")
OF_VAL = {"val.loss", "val.survived.loss", "val.survived.accuracy", "val.fare.loss", "val.fare.mae"}
OF_TRAIN = {name.replace("val", "train") for name in OF_VAL} | {"train.early.loss"}


@unittest.skipUnless(HAS_TRAINER, "this build has no trainer")
class Outputs(Folder):

    def rows(self, store, statement):
        done = self.run_dlrun("report", "--sql", statement, "--format", "json", "--store", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [list(row.values()) for row in json.loads(done.stdout)["rows"]]

    def train(self, store, workers):
        done = self.run_dlrun("tune", STUDY, *SHORT, "--workers", workers, "--store", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.logical(store)

    def test_two_questions(self):
        store = self.folder / "one"
        first = self.train(store, 1)
        self.assertEqual(self.train(self.folder / "two", 2), first)
        names = {name for (name,) in self.rows(store, "select distinct metric from metrics")}
        self.assertEqual(names, OF_VAL | OF_TRAIN | {name.replace("val", "test") for name in OF_VAL})
        best = max(value for (value,) in self.rows(store, "select objective from trials where objective is not null"))
        self.assertGreater(best, 0.75)  # 62 of 100 died

    def test_the_best_is_exported_with_all_heads(self):
        store = self.folder / "store"
        self.train(store, 2)
        best = self.rows(store, "select trial from trials order by objective desc limit 1")[0][0]
        done = self.run_dlrun("export", "--weights", f"titanic-outputs/{best}", "-o", "w.safetensors", "--store", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        header = (self.folder / "w.safetensors").read_bytes()[:4096].decode("latin-1")
        for name in ("head.weight", "price.weight", "side.weight"):
            self.assertIn(f'"{name}"', header)


if __name__ == "__main__":
    unittest.main()
