# SPDX-License-Identifier: Apache-2.0
"""The same study gives the same export: on any number of workers, and after kill -9 of the driver or of a worker."""
import unittest

from support import FUNCTION_STUDY, GATED_STUDY, HAS_TRAINER, TRAIN_STUDY, Folder, alive, children, kill, rows_of


class Identity:
    """Runs once with a program that can be held, once with real training."""

    STUDY = ""
    MOMENTS = ()

    def hold(self, moment):
        """The study has so many results at some time, and then does not end."""

    def let_go(self):
        """It may end."""

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
            self.hold(moment)
            driver = self.start("tune", "study.yaml", "--workers", "2", "--store", store)
            self.await_results(moment, store, driver)
            workers = children(driver.pid)
            self.kill(driver)
            self.await_("the end of its workers", lambda: not any(alive(pid) for pid in workers))
        self.let_go()
        done = self.tune(self.folder / "study.yaml", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.digest(store), calm)

    def test_workers_may_be_killed(self):
        calm = self.undisturbed()
        store = self.folder / "lost"
        self.prepare(store)
        self.hold(0)
        driver = self.start("tune", "study.yaml", "--workers", "2", "--store", store)
        for moment in self.MOMENTS:
            self.hold(moment)
            self.await_results(moment, store, driver)
            for pid in children(driver.pid)[:1]:
                kill(pid)
        self.let_go()
        self.end_of(driver)
        self.assertEqual(self.digest(store), calm)

    def await_results(self, moment, store, driver):
        """A study that nothing holds may have ended meanwhile."""
        self.await_(f"{moment} results", lambda: self.count("v_trials where epochs > 0", store) >= moment, while_runs=driver)


class ProgramIdentity(Identity, Folder):
    STUDY, MOMENTS = GATED_STUDY.replace("trials: 30", "trials: 60"), (1, 10, 30)

    def setUp(self):
        super().setUp()
        self.write_gated()

    def hold(self, moment):
        self.hold_from(moment + 8)

    def let_go(self):
        self.open_gate()


class LearningIdentity(ProgramIdentity):
    """With a sampler that begins with the trials of an earlier study."""

    STUDY = ProgramIdentity.STUDY.replace("sampler: random", "sampler: tpe, learn_from: [before]")

    def prepare(self, store):
        before = FUNCTION_STUDY.replace("study: sphere", "study: before").replace(", sleep: 0.01", "")
        done = self.tune(self.write(before, "before.yaml"), store)
        self.assertEqual(done.returncode, 0, done.stderr)

    def count(self, what, store="store"):
        return sum(number for (number,) in rows_of(store / "studies" / "sphere.db", f"select count(*) from {what}"))


@unittest.skipUnless(HAS_TRAINER, "the trainer library is not built")
class TrainIdentity(Identity, Folder):
    STUDY, MOMENTS = TRAIN_STUDY, (1, 6, 12)


if __name__ == "__main__":
    unittest.main()
