# SPDX-License-Identifier: Apache-2.0
"""Trains on every format with real workers: finite, the same bits again, and every file's content in the lineage."""
import json
import math
import shutil
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from formats import FORMATS  # noqa: E402
from support import HAS_TRAINER, Folder  # noqa: E402

STUDY = """\
study: formats
seed: 7
objective: {{metric: val.loss, direction: minimize}}
space:
  lr: {{at: optimizer.lr, type: float, low: 1e-3, high: 1e-2, scale: log}}
search: {{sampler: random, lanes: 2}}
limits: {{trials: 2}}
trial:
  data: {data}
  model:
    nodes:
      {nodes}
  loss: {loss}
  optimizer: {{op: adam, lr: 0.01}}
  epochs: 2
  batch_size: 8
"""
REFUSED = 4  # exit code: the store has a study of this name with another identity


@unittest.skipUnless(HAS_TRAINER, "this build has no trainer")
class Formats(Folder):

    def put(self, form, place, variant=0, only=None):
        """The study and its files in a folder; of a variant all files, or one."""
        for name, content in form.files(variant).items():
            if only in (None, name):
                path = self.folder / place / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        return self.write(STUDY.format(data=form.data, nodes=form.nodes, loss=form.loss), f"{place}/study.yaml")

    def rows(self, store, statement):
        done = self.run_dlrun("report", "--sql", statement, "--format", "json", "--store", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [list(row.values()) for row in json.loads(done.stdout)["rows"]]

    def train(self, study, store, workers):
        done = self.tune(study, store, workers)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.logical(store)

    def content(self, store):
        return self.rows(store, "select data_sha256 from environment order by started limit 1")[0][0]

    def check_bits(self, study):
        first = self.train(study, self.folder / "one", 1)
        self.assertEqual(self.train(study, self.folder / "two", 2), first)
        self.assertRegex(self.content(self.folder / "one"), "^[0-9a-f]{64}$")
        for (objective,) in self.rows(self.folder / "one", "select objective from trials"):
            self.assertTrue(math.isfinite(objective), objective)

    def check_identity(self, form, study):
        """The same files elsewhere are the same study; any other content is another."""
        shutil.copytree(self.folder / "here", self.folder / "there")
        done = self.tune(self.folder / "there" / "study.yaml", self.folder / "one")
        self.assertEqual(done.returncode, 0, done.stderr)
        original, changed = form.files(0), form.files(1)
        for name in list(original)[:8]:
            self.assertNotEqual(changed[name], original[name])
            self.put(form, "here", 1, name)
            done = self.tune(study, self.folder / "one")
            self.assertEqual(done.returncode, REFUSED, f"{name}: {done.stderr}")
            self.put(form, "here", 0, name)
        self.assertEqual(self.tune(study, self.folder / "one").returncode, 0)


def case(name):
    def test(self):
        study = self.put(FORMATS[name], "here")
        self.check_bits(study)
        self.check_identity(FORMATS[name], study)
    return test


for format_name in FORMATS:
    setattr(Formats, f"test_{format_name}", case(format_name))

if __name__ == "__main__":
    unittest.main()
