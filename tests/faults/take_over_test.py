# SPDX-License-Identifier: Apache-2.0
"""Two drivers, one study: the second is told who holds it, or takes it over. The first may be alive, or stopped in the
middle of its work and wake up later: nothing that it writes then may be found in the store."""
import os
import signal
import socket
import sqlite3
import unittest
from contextlib import closing

from remote_support import RemoteFolder
from support import GATED_STUDY, alive, children


class TakeOver(RemoteFolder):
    STUDY = GATED_STUDY

    def setUp(self):
        super().setUp()
        self.write_gated()
        self.hold_from(12)

    def database(self):
        return self.folder / "store" / "studies" / "sphere.db"

    def begun(self):
        """A driver in the middle of the study, which cannot end."""
        driver = self.start("tune", self.study, "--workers", 2, "--store", "store")
        self.await_results(driver)
        return driver

    def await_results(self, driver):
        self.await_("results", lambda: self.count("v_trials where epochs > 0") > 2, while_runs=driver)

    def require_same(self, driver):
        (self.folder / "gate").unlink(missing_ok=True)
        return super().require_same(driver)

    def take_over(self, *more):
        return self.start("resume", "--take-over", "--store", "store", *(more or ("--workers", 2)))

    def is_in_a_transaction(self):
        with closing(sqlite3.connect(self.database(), timeout=0, isolation_level=None)) as with_us:
            try:
                with_us.execute("BEGIN IMMEDIATE")
                with_us.execute("ROLLBACK")
                return False
            except sqlite3.OperationalError:
                return True

    def everything(self):
        """All rows, and the files beside the database."""
        with closing(sqlite3.connect(self.database())) as database:
            rows = list(database.iterdump())
        beside = [self.database().with_suffix(suffix) for suffix in (".lock", ".head")]
        return rows, [path.read_bytes() for path in beside], sorted(os.listdir(self.database().parent / "sphere"))

    def stop(self, driver):
        """SIGSTOP at a moment at which it holds no lock of SQLite's."""
        def is_stopped():
            os.kill(driver.pid, signal.SIGSTOP)
            if not self.is_in_a_transaction():
                return True
            os.kill(driver.pid, signal.SIGCONT)
            return False
        self.await_("a moment without a transaction", is_stopped)

    def require_fenced(self, driver, winner):
        os.kill(driver.pid, signal.SIGCONT)
        self.assertIn(f"taken over by process {winner.pid} on {socket.gethostname()} since 20", self.end_of(driver, 75))

    def await_holder(self, driver):
        self.await_("the new driver's endpoint", lambda: self.endpoint.exists() and self.facts()["pid"] == driver.pid, driver)

    def test_the_second_is_told_who_holds_it_and_leaves(self):
        driver = self.begun()
        for verb in (["tune", self.study], ["resume"]):
            done = self.run_dlrun(*verb, "--store", "store")
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn(f"is being written by process {driver.pid} on {socket.gethostname()} since 20", done.stderr)
            self.assertIn("--take-over", done.stderr)
        self.require_same(driver)

    def test_one_that_answers_hands_over(self):
        driver = self.begun()
        second = self.take_over()
        self.assertIn(f"handed over to process {second.pid}", self.end_of(driver, 130))
        self.assertNotIn("fenced", self.require_same(second))

    def test_nobody_to_take_it_from(self):
        driver = self.begun()
        self.kill(driver)
        self.assertNotIn("asked to end", self.require_same(self.take_over()))

    def test_a_driver_that_was_stopped_wakes_up_fenced(self):
        driver = self.begun()
        workers = children(driver.pid)
        self.stop(driver)
        before = self.count("v_trials where epochs > 0")
        second = self.take_over()
        self.await_holder(second)
        self.require_fenced(driver, second)
        self.await_("the end of its workers", lambda: not any(map(alive, workers)))
        self.assertEqual(self.facts()["pid"], second.pid)  # it removed nothing of the second's
        self.assertEqual(self.run_dlrun("note", "sphere", "still there", "--store", "store").returncode, 0)
        err = self.require_same(second)
        self.assertIn("it is fenced", err)
        self.assertEqual(self.rows("select count(*) from notes where text = 'still there'"), [[1]])
        self.assertGreater(self.count("v_trials where epochs > 0"), before)
        self.assertEqual(self.run_dlrun("verify", "--store", "store").returncode, 0)

    def test_it_wakes_up_when_all_is_over(self):
        driver = self.begun()
        self.stop(driver)
        second = self.take_over()
        self.require_same(second)
        before = self.everything()
        self.require_fenced(driver, second)
        self.assertEqual(self.everything(), before)

    def test_a_joined_worker_follows(self):
        driver = self.listen()
        worker = self.join()
        self.await_results(driver)
        self.stop(driver)
        second = self.take_over("--workers", 0, "--listen", "127.0.0.1")
        self.await_holder(second)
        self.require_fenced(driver, second)
        self.require_same(second)
        self.require_ended(worker)


if __name__ == "__main__":
    unittest.main()
