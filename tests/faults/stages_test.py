# SPDX-License-Identifier: Apache-2.0
"""A grid of trials that begin with the same epochs trains them once, and ends with the same bits as each trial alone, on any
number of workers, and where the driver is killed in the middle."""
import unittest

from support import HAS_TRAINER, Folder, kill, rows_of

# Factors of a drop after seven of ten epochs: 24 trials need 7 + 24 x 3 = 79 epochs instead of 240.
GRID = """\
study: late
seed: 5
objective: {metric: val.accuracy, direction: maximize, at: best}
space: {gamma: {at: schedule.gamma, type: float, low: 0.02, high: 0.48, step: 0.02}}
search: {sampler: grid, lanes: 8}
trial:
  data: {op: csv, path: DIGITS, header: false, target: -1, split: {train: 0.7, val: 0.15, test: 0.15}}
  model:
    nodes:
      - {name: fc1, op: linear, out: 32}
      - {name: act1, op: relu}
      - {name: drop1, op: dropout, p: 0.1}
      - {name: head, op: linear, out: classes, role: head}
  optimizer: {op: sgd, lr: 0.2, momentum: 0.9}
  schedule: {op: multi_step, milestones: [7]}
  epochs: 10
keep: {best: 24}
"""
# Drops after 5, 6 or 7 epochs by two factors, rungs at 1, 3 and 9, three folds: branches of branches, cut by rungs.
RUNGS = """\
study: late
seed: 5
objective: {metric: val.accuracy, direction: maximize, at: best}
space:
  every: {at: schedule.every, type: int, low: 5, high: 7}
  gamma: {at: schedule.gamma, choices: [0.1, 0.5]}
search: {sampler: grid, lanes: 4, pruner: {op: asha, eta: 3, min_budget: 1, max_budget: 9}}
trial:
  data: {op: csv, path: DIGITS, header: false, target: -1, split: {folds: 3, test: 0.15}}
  model:
    nodes:
      - {name: fc1, op: linear, out: 16}
      - {name: act1, op: relu}
      - {name: head, op: linear, out: classes, role: head}
  optimizer: adam
  schedule: {op: step}
  epochs: 9
  folds: 3
"""
# What a sampler finds by chance is shared too, where it can come twice.
CHANCE = GRID.replace("sampler: grid", "sampler: random").replace("type: float, low: 0.02, high: 0.48, step: 0.02",
                                                                  "choices: [0.1, 0.2, 0.3, 0.4]")


def ask(store, statement):
    return rows_of(store / "studies" / "late.db", statement)


SHARED = ("select coalesce(sum(e.epochs - p.from_step), 0) from dl_edge e join dl_attempt a using (trial, replicate, fold, piece, "
          "attempt) join dl_decision p using (trial, replicate, fold, piece) where e.kind = 'shared_from' and a.state = 1 and "
          "p.kind < 2")
CHECKPOINTS = "select trial, replicate, fold, piece, role, step, sha256 from dl_artifact order by 1, 2, 3, 4, 5"


@unittest.skipUnless(HAS_TRAINER, "this build has no trainer")
class Stages(Folder):
    def tune(self, store, *options, workers=2):
        done = self.run_dlrun("tune", "study.yaml", "--workers", workers, "--store", store, "-q", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((store / "studies" / "late" / "stages").exists())

    def logical_of(self, store):
        done = self.run_dlrun("export", "--logical", "late", "--store", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def assert_equal(self, store, alone):
        self.assertEqual(self.logical_of(store), self.logical_of(alone))
        self.assertEqual(ask(store, CHECKPOINTS), ask(alone, CHECKPOINTS))

    def alone(self):
        store = self.folder / "alone"
        self.tune(store, "--set", "reuse=none")
        self.assertEqual(ask(store, SHARED), [(0,)])
        return store

    def test_a_grid_over_what_comes_late(self):
        self.write(GRID)
        alone = self.alone()
        for workers in (1, 2):
            store = self.folder / f"store{workers}"
            self.tune(store, workers=workers)
            self.assert_equal(store, alone)
            self.assertEqual(ask(store, SHARED), [(23 * 7,)])  # 79 epochs are trained
            cost = self.run_dlrun("report", "late", "--section", "cost", "--store", store, "--format", "csv").stdout
            self.assertIn("trained,79,epochs", cost)
            self.assertIn("shared,161,epochs", cost)

    def test_the_driver_may_be_killed_in_the_middle(self):
        self.write(GRID)
        alone, store = self.alone(), self.folder / "store"
        for moment in (1, 8, 16):
            driver = self.start("tune", "study.yaml", "--workers", 2, "--store", store, "-q")
            self.await_(f"{moment} pieces", lambda: self.count("dl_attempt where state = 1", store) >= moment, while_runs=driver)
            self.kill(driver)
        self.tune(store)
        self.assert_equal(store, alone)
        self.assertGreaterEqual(ask(store, SHARED)[0][0], 20 * 7)

    def test_rungs_and_folds(self):
        self.write(RUNGS)
        alone = self.alone()
        for workers in (1, 2):
            store = self.folder / f"store{workers}"
            self.tune(store, workers=workers)
            self.assert_equal(store, alone)
            self.assertGreater(ask(store, SHARED)[0][0], 0)

    def test_values_that_come_by_chance(self):
        self.write(CHANCE)
        self.tune(self.folder / "store", "--set", "limits.trials=4")
        self.tune(self.folder / "alone", "--set", "limits.trials=4", "--set", "reuse=none")
        self.assert_equal(self.folder / "store", self.folder / "alone")
        self.assertEqual(ask(self.folder / "store", SHARED), [(3 * 7,)])

    def test_a_trunk_that_is_lost_is_nobodys_loss(self):
        self.write(GRID.replace("low: 0.02, high: 0.48", "low: 0.02, high: 0.12"))
        alone, blows = self.alone(), 0
        while not self.lose_trunk(store := self.folder / f"store{blows}"):
            blows += 1
        self.tune(store)
        self.assert_equal(store, alone)

    def lose_trunk(self, store):
        """False: the study was over before the blow fell."""
        driver = self.start("tune", "study.yaml", "--workers", 2, "--store", store, "-q")
        running = "select w.pid from dl_attempt a join dl_worker w using (epoch, worker) where a.state = 0 and a.trial = 0"
        self.await_("the trunk's worker, or the end", lambda: ask(store, running) or driver.poll() is not None)
        for (pid,) in ask(store, running):
            kill(pid)
        self.finish(driver)
        return self.count("v_attempts where trial = 0 and cause = 'worker_lost'", store) > 0


if __name__ == "__main__":
    unittest.main()
