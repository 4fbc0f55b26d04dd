# SPDX-License-Identifier: Apache-2.0
"""The same study gives the same export: on any number of workers, and after kill -9 of the driver or of a worker."""
import sqlite3
import unittest

from support import FUNCTION_STUDY, HAS_TRAINER, TRAIN_STUDY, Folder, alive, children, kill, wait_for


def results(store, name):
    """Results committed so far, read beside the running driver."""
    try:
        with sqlite3.connect(f"file:{store / 'studies' / (name + '.db')}?mode=ro", uri=True) as db:
            return db.execute("select count(*) from v_trials where epochs > 0").fetchone()[0]
    except sqlite3.Error:
        return 0


class Identity:
    """Runs once with a function, once with real training."""

    STUDY = ""
    NAME = ""
    MOMENTS = ()

    def prepare(self, store):
        """What the store holds before."""

    def undisturbed(self):
        self.prepare(self.folder / "calm")
        done = self.tune(self.write(self.STUDY), self.folder / "calm", workers=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.digest(self.folder / "calm")

    def test_workers_do_not_matter(self):
        calm = self.undisturbed()
        self.prepare(self.folder / "many")
        done = self.tune(self.folder / "study.yaml", self.folder / "many", workers=4)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.digest(self.folder / "many"), calm)

    def test_the_driver_may_be_killed(self):
        calm = self.undisturbed()
        store = self.folder / "killed"
        self.prepare(store)
        for moment in self.MOMENTS:
            driver = self.start("tune", "study.yaml", "--workers", "2", "--store", store)
            self.assertTrue(wait_for(lambda: results(store, self.NAME) >= moment or driver.poll() is not None))
            workers = children(driver.pid)
            kill(driver.pid)
            driver.communicate()
            self.assertTrue(wait_for(lambda: not any(alive(pid) for pid in workers)), "workers outlived their driver")
        done = self.tune(self.folder / "study.yaml", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.digest(store), calm)

    def test_workers_may_be_killed(self):
        calm = self.undisturbed()
        store = self.folder / "lost"
        self.prepare(store)
        driver = self.start("tune", "study.yaml", "--workers", "2", "--store", store)
        for moment in self.MOMENTS:
            wait_for(lambda: results(store, self.NAME) >= moment or driver.poll() is not None)
            for pid in children(driver.pid)[:1]:
                kill(pid)
        _, err = driver.communicate(timeout=120)
        self.assertEqual(driver.returncode, 0, err)
        self.assertEqual(self.digest(store), calm)


class FunctionIdentity(Identity, Folder):
    STUDY, NAME, MOMENTS = FUNCTION_STUDY, "sphere", (1, 10, 30)


class LearningIdentity(FunctionIdentity):
    """With a sampler that begins with the trials of an earlier study."""

    STUDY = FUNCTION_STUDY.replace("sampler: random", "sampler: tpe, learn_from: [before]")

    def prepare(self, store):
        before = FUNCTION_STUDY.replace("study: sphere", "study: before").replace(", sleep: 0.01", "")
        done = self.tune(self.write(before, "before.yaml"), store)
        self.assertEqual(done.returncode, 0, done.stderr)


@unittest.skipUnless(HAS_TRAINER, "the trainer library is not built")
class TrainIdentity(Identity, Folder):
    STUDY, NAME, MOMENTS = TRAIN_STUDY, "digits", (1, 6, 12)


if __name__ == "__main__":
    unittest.main()
