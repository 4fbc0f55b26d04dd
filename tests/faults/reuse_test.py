# SPDX-License-Identifier: Apache-2.0
"""Cells that an earlier ablation of the store holds are cited; the driver may be killed in the middle of it."""
import shutil
import unittest

from support import BIN, HAS_TRAINER, Folder, rows_of

BASE = """\
study: base
seed: 3
objective: {metric: value, direction: minimize}
space:
  x: {type: constant, value: 0.5}
  y: {type: constant, value: 1}
search: {lanes: 4}
trial: {kind: function, function: {op: sphere, noise: 0.1, curve: 0.2, sleep: 0.02}, epochs: 2}
"""
ONE = """\
ablation:
  components: [{id: curve, set: {function.curve: 0}}, {id: noise, set: {function.noise: 0.2}}]
  replicates: {n: 8}
"""
BASE_TRAIN = """\
study: base
seed: 3
objective: {metric: val.accuracy, direction: maximize}
trial:
  kind: train
  data: {op: csv, path: DIGITS, header: false, target: -1, split: {train: 0.7, val: 0.15, test: 0.15}}
  model:
    nodes:
      - {name: fc1, op: linear, out: 32}
      - {name: act1, op: relu}
      - {name: drop1, op: dropout, p: 0.1}
      - {name: head, op: linear, out: classes, role: head}
  loss: cross_entropy
  optimizer: {op: sgd, lr: 0.05, momentum: 0.9}
  epochs: 2
"""
ONE_TRAIN = """\
ablation:
  components: [{id: drop1, drop: {name: drop1}}, {id: momentum, set: {optimizer.momentum: 0}}]
  replicates: {n: 4}
"""


def count(store, statement):
    return sum(number for (number,) in rows_of(store / "studies" / "more.db", statement))


CITED = "select count(*) from dl_edge where kind = 'cited_from'"
RUN = "select count(*) from dl_attempt where worker is not null and state = 1"


class Reuse:
    """Once with a function, once with real training."""

    BASE = ONE = ""
    CELLS, KNOWN = 0, 0  # of the pairwise study, and how many of them the first one has

    def setUp(self):
        super().setUp()
        self.write(self.BASE, "base.yaml")
        self.write(self.ONE, "one.yaml")
        self.write("study: more\n" + self.ONE + "  design: pairwise\n", "two.yaml")

    def ablate(self, second, store, *options):
        done = self.run_dlrun("ablate", "base.yaml", second, "--workers", 2, "--store", store, "-q", *options)
        self.assertEqual(done.returncode, 0, done.stderr)

    def logical_of(self, store):
        done = self.run_dlrun("export", "--logical", "more", "--store", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_only_new_cells_run(self):
        store, alone = self.folder / "store", self.folder / "alone"
        self.ablate("one.yaml", store)
        self.ablate("two.yaml", store)
        self.assertEqual(count(store, CITED), self.KNOWN)
        self.assertEqual(count(store, RUN), self.CELLS - self.KNOWN)
        self.ablate("two.yaml", alone)
        self.assertEqual(count(alone, RUN), self.CELLS)
        self.assertEqual(self.logical_of(store), self.logical_of(alone))

    def test_the_driver_may_be_killed_in_the_middle(self):
        store, alone = self.folder / "store", self.folder / "alone"
        self.ablate("two.yaml", alone)
        self.ablate("one.yaml", store)
        for moment in (2, self.KNOWN // 2, self.KNOWN):
            driver = self.start("ablate", "base.yaml", "two.yaml", "--workers", 2, "--store", store, "-q")
            self.await_(f"{moment} citations", lambda: count(store, CITED) >= moment or driver.poll() is not None)
            self.kill(driver)
        self.ablate("two.yaml", store)
        self.assertGreaterEqual(count(store, CITED), self.KNOWN - 4)
        self.assertEqual(self.logical_of(store), self.logical_of(alone))
        self.assertEqual(count(store, "select count(*) from (select distinct trial from dl_attempt where state = 1)"), self.CELLS)

    def test_the_donor_may_go(self):
        store = self.folder / "store"
        self.ablate("one.yaml", store)
        self.ablate("two.yaml", store)
        before = self.logical_of(store)
        for file in (store / "studies").glob("base-ablation.*"):
            file.unlink()
        self.ablate("two.yaml", store)
        self.assertEqual(self.logical_of(store), before)


class Functions(Reuse, Folder):
    BASE, ONE, CELLS, KNOWN = BASE, ONE, 32, 24


@unittest.skipUnless(HAS_TRAINER, "this build has no trainer")
class Training(Reuse, Folder):
    BASE, ONE, CELLS, KNOWN = BASE_TRAIN, ONE_TRAIN, 16, 12

    def test_a_trainer_that_cannot_be_loaded_ends_a_study_that_would_cite(self):
        store, broken = self.folder / "store", self.folder / "broken"
        self.ablate("one.yaml", store)
        broken.mkdir()
        for name in ("dlrun", "dlrun-worker"):
            shutil.copy(BIN / name, broken)
        (broken / "libdlrun_trainer.so").write_text("no library\n")
        done = self.finish(self.start_program(broken / "dlrun", "ablate", "base.yaml", "two.yaml", "--store", store, "-q",
                                              cwd=self.folder))
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertIn("nothing can go on: cannot load the trainer library", done.stderr)
        self.ablate("two.yaml", store)
        self.assertEqual((count(store, CITED), count(store, RUN)), (self.KNOWN, self.CELLS - self.KNOWN))

    def test_a_study_that_keeps_checkpoints_of_epochs_cites_only_who_kept_them(self):
        store, alone = self.folder / "store", self.folder / "alone"
        keep = ("--set", "keep.epochs=[1]")
        self.ablate("one.yaml", store)
        self.ablate("two.yaml", store, *keep)
        self.assertEqual((count(store, CITED), count(store, RUN)), (0, self.CELLS))
        kept = "select count(*) from dl_artifact where role = 'epoch' and step = 1 and deleted is null"
        self.assertEqual(count(store, kept), self.CELLS)
        self.ablate("one.yaml", alone, *keep)
        self.ablate("two.yaml", alone, *keep)
        self.assertEqual((count(alone, CITED), count(alone, kept)), (self.KNOWN, self.CELLS))
        self.assertEqual(self.logical_of(store), self.logical_of(alone))

    def test_a_study_that_keeps_none_does_not_cite_who_did(self):
        store, alone = self.folder / "store", self.folder / "alone"
        self.ablate("one.yaml", store, "--set", "keep.epochs=[1]")
        self.ablate("two.yaml", store)
        self.ablate("two.yaml", alone)
        self.assertEqual(count(store, CITED), 0)
        self.assertEqual(self.logical_of(store), self.logical_of(alone))


if __name__ == "__main__":
    unittest.main()
