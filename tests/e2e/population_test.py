# SPDX-License-Identifier: Apache-2.0
"""Population based training on the digits: heirs begin with their donor's very weights, and the same study comes out of
one worker, of four, and of a driver and workers that are killed again and again."""
import hashlib
import json
import struct
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from support import HAS_TRAINER, Folder, children, kill  # noqa: E402

STUDY = """\
study: bred
seed: 11
objective: {metric: val.loss, direction: minimize}
space:
  lr:   {at: optimizer.lr, type: float, low: 1e-3, high: 0.3, scale: log}
  drop: {at: model.nodes.drop1.p, type: float, low: 0.0, high: 0.5}
search: {sampler: random, lanes: 4, pruner: {op: OP, population: 6, interval: 2}}
keep: {best: 1, last: 0, rungs: false}
trial:
  data: {op: csv, path: DIGITS, header: false, target: -1, scale: 16, split: {train: 0.7, val: 0.15, test: 0.15}}
  model:
    nodes:
      - {name: fc1, op: linear, out: 32}
      - {name: act1, op: relu}
      - {name: drop1, op: dropout, p: 0.1}
      - {name: head, op: linear, out: classes, role: head}
  loss: cross_entropy
  optimizer: {op: sgd, lr: 0.05, momentum: 0.9}
  schedule: {op: cosine}
  epochs: 8
  batch_size: 32
"""
KEPT = "keep: {best: 1, last: 9, rungs: true}"  # every checkpoint, to look into


def state_of(path):
    """The state that a checkpoint has beside its tensors."""
    data = path.read_bytes()
    size, = struct.unpack("<Q", data[:8])
    return json.loads(json.loads(data[8:8 + size])["__metadata__"]["state"])


@unittest.skipUnless(HAS_TRAINER, "this build has no trainer")
class Population(Folder):
    op = "pbt"

    def study(self, keep=None):
        text = STUDY.replace("OP", self.op)
        return self.write(text if keep is None else text.replace("keep: {best: 1, last: 0, rungs: false}", keep))

    def rows(self, store, statement):
        done = self.run_dlrun("report", "--sql", statement, "--format", "json", "--store", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [tuple(row.values()) for row in json.loads(done.stdout)["rows"]]

    def train(self, store, workers, study=None):
        done = self.tune(study or self.study(), store, workers)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.logical(store)

    def test_four_workers_and_kills_change_nothing(self):
        calm = self.train(self.folder / "one", 1)
        self.assertEqual(self.train(self.folder / "four", 4), calm)
        hurt = self.folder / "hurt"
        for moment in (2, 7, 11, 14):
            driver = self.start("tune", self.study(), "--workers", 3, "--store", hurt)
            self.await_(f"{moment} pieces, or the end",
                        lambda: driver.poll() is not None or self.count("v_attempts where state = 'completed'", hurt) >= moment)
            for worker in children(driver.pid)[:2 if moment == 7 else 0]:
                kill(worker)
            self.kill(driver)
        self.assertEqual(self.train(hurt, 3), calm)
        heirs = self.rows(hurt, "select count(*) from trials where donor is not null")[0][0]
        self.assertEqual(heirs, 3 * 2)

    def test_an_heir_begins_with_its_donors_checkpoint(self):
        store = self.folder / "store"
        self.train(store, 2, self.study(KEPT))
        heirs = self.rows(store, "select t.trial, t.donor, e.artifact, a.step from trials t join edges e on e.trial = "
                                 "t.trial and e.kind = 'inherited_from' join artifacts a on a.sha256 = e.artifact and "
                                 "a.trial = t.donor and a.role = 'last'")
        self.assertEqual(len(heirs), 6)
        for trial, donor, artifact, step in heirs:
            path, = (store / "artifacts").rglob(artifact + "*")
            self.assertEqual(hashlib.sha256(path.read_bytes()).hexdigest(), artifact)
            self.assertEqual(state_of(path)["epoch"], step)
            first = self.rows(store, f"select min(step) from metrics where trial = {trial}")[0][0]
            self.assertEqual(first, step + 1)
            self.check_is_said(store, trial, donor)

    def check_is_said(self, store, trial, donor):
        why = self.run_dlrun("explain", trial, "--store", store).stdout
        self.assertIn(f"heir of trial {donor}", why)
        self.assertIn("the schedule behind", why)
        shown = self.run_dlrun("show", trial, "--store", store).stdout
        self.assertRegex(shown, rf"donor +{donor}\b")

    def test_what_heirs_need_is_kept_and_the_rest_is_not(self):
        store = self.folder / "store"
        self.train(store, 1)
        left = self.rows(store, "select distinct trial from artifacts where deleted is null and role = 'last'")
        self.assertLessEqual(len(left), 1)  # the best one
        self.assertEqual(self.rows(store, "select count(*) from trials where state = 'failed'"), [(0,)])


class Bandits(Population):
    op = "pb2"


if __name__ == "__main__":
    unittest.main()
