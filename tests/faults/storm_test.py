# SPDX-License-Identifier: Apache-2.0
"""Drivers and workers killed, stopped and interrupted at random moments, again and again: the same export in the end.

A handful of blows by default; DLRUN_FAULTS=long deals forty, and kills drivers of functions two hundred times. DLRUN_SEED=n repeats a run that failed."""
import os
import random
import signal
import time
import unittest

from support import FUNCTION_STUDY, HAS_TRAINER, TRAIN_STUDY, Folder, children, kill

IS_LONG = os.environ.get("DLRUN_FAULTS") == "long"
SEED = int(os.environ.get("DLRUN_SEED", random.SystemRandom().randrange(10**6)))
BLOWS = 40 if IS_LONG else 5
PATIENT = "retry: {worker_lost: 1000}\n"
GRID_STUDY = """\
study: sphere
objective: {metric: value, direction: minimize}
space:
  x: {type: float, low: -1.0, high: 1.0, step: 0.25}
  y: {type: ordinal, choices: [0, 0.5, 1, 2]}
search: {sampler: grid, lanes: 5, pruner: none}
trial: {kind: function, function: {op: sphere, sleep: 0.005}, epochs: 4}
"""


class Storm:
    STUDY = ""
    LONGEST = 1.5  # seconds between two blows
    KILLS = BLOWS

    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        self.study = self.write(self.STUDY + PATIENT)
        self.assertEqual(self.tune(self.study, self.folder / "calm", workers=1).returncode, 0)
        self.calm = self.digest(self.folder / "calm")

    def begin(self, store):
        workers = self.random.choice((1, 2, 3))
        return self.start("tune", self.study, "--workers", workers, "--store", store)

    def pause(self):
        time.sleep(self.random.uniform(0, self.LONGEST))  # when the blow falls, not whether the test passes

    def require_same_end(self, store):
        done = self.tune(self.study, store)
        self.assertEqual(done.returncode, 0, f"seed {SEED}: {done.stderr}")
        self.assertEqual(self.digest(store), self.calm, f"seed {SEED}")

    def test_any_number_of_workers(self):
        for workers in (2, 4, 8) if IS_LONG else (3,):
            store = self.folder / f"with-{workers}"
            self.assertEqual(self.tune(self.study, store, workers).returncode, 0)
            self.assertEqual(self.digest(store), self.calm, f"{workers} workers")

    def test_drivers_killed(self):
        kills, begun = 0, 0
        while kills < self.KILLS:
            store = self.folder / f"drivers-{begun}"
            begun += 1
            while kills < self.KILLS and self.kill_driver(store):
                kills += 1
            self.require_same_end(store)

    def kill_driver(self, store):
        """False: the study was over before."""
        driver = self.begin(store)
        self.pause()
        was_alive = driver.poll() is None
        self.kill(driver)
        return was_alive

    def test_workers_killed(self):
        store = self.folder / "workers"
        blows = 0
        while blows < BLOWS:
            driver = self.begin(store)
            while driver.poll() is None and blows < BLOWS:
                time.sleep(self.random.uniform(0, self.LONGEST / 3))
                self.await_("workers, or the end", lambda: children(driver.pid) or driver.poll() is not None)
                for pid in self.random.sample(pids := children(driver.pid), min(1, len(pids))):
                    kill(pid)
                    blows += 1
            if driver.poll() is None and self.random.random() < 0.5:
                driver.kill()
            err = self.finish(driver).stderr
            if driver.returncode == 0:
                break
            if driver.returncode != -9:
                self.require_gave_up(driver, err)
        self.require_same_end(store)

    def require_gave_up(self, driver, err):
        """Three blows may fall on workers that are not ready yet: then the driver ends, and the study goes on later."""
        self.assertEqual(driver.returncode, 5, err)
        self.assertIn("workers in a row ended before they were ready: killed by signal 9", err)

    def test_interrupted_once_and_twice(self):
        store = self.folder / "interrupted"
        for _ in range(BLOWS):
            driver = self.begin(store)
            self.pause()
            driver.send_signal(signal.SIGINT)
            if self.random.random() < 0.5:
                time.sleep(self.random.uniform(0, 0.05))
                driver.send_signal(signal.SIGINT)
            err = self.finish(driver).stderr
            self.assertIn(driver.returncode, (0, 130, -signal.SIGINT), err)
        self.require_same_end(store)

    def test_workers_that_freeze_under_a_driver_that_dies(self):
        """What they finish after they thaw comes from an attempt that nobody waits for any more."""
        store = self.folder / "frozen"
        frozen = []
        for _ in range(max(BLOWS // 4, 2)):
            driver = self.begin(store)
            self.pause()
            pids = children(driver.pid)
            for pid in pids:
                kill(pid, signal.SIGSTOP)
            frozen += pids
            self.kill(driver)
        driver = self.begin(store)
        for pid in frozen:
            kill(pid, signal.SIGCONT)
        self.finish(driver)
        self.require_same_end(store)


class FunctionStorm(Storm, Folder):
    STUDY = FUNCTION_STUDY
    KILLS = 200 if IS_LONG else BLOWS


class GridStorm(Storm, Folder):
    STUDY = GRID_STUDY
    LONGEST = 0.7


@unittest.skipUnless(HAS_TRAINER, "the trainer library is not built")
class TrainStorm(Storm, Folder):
    STUDY = TRAIN_STUDY.replace("high: 128, step: 32", "high: 512, step: 32").replace("batch_size: 32", "batch_size: 8")
    LONGEST = 2.5


if __name__ == "__main__":
    unittest.main()
