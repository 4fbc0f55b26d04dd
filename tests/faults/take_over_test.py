# SPDX-License-Identifier: Apache-2.0
"""Two drivers, one study: the second is told who holds it, or takes it over. The first may be alive, or stopped in the
middle of its work and wake up later: nothing that it writes then may be found in the store."""
import os
import signal
import socket
import sqlite3
import unittest

from remote_support import RemoteFolder
from support import FUNCTION_STUDY, alive, children, kill, wait_for


class TakeOver(RemoteFolder):
    STUDY = FUNCTION_STUDY.replace("sleep: 0.01", "sleep: 0.1")

    def database(self):
        return self.folder / "store" / "studies" / "sphere.db"

    def begun(self, *more):
        """A driver in the middle of the study."""
        driver = self.start("tune", self.study, "--workers", 2, "--store", "store", *more)
        self.assertTrue(wait_for(lambda: len(self.rows("select 1 from trials where state = 'completed'")) > 2, 60))
        return driver

    def take_over(self, *more):
        return self.start("resume", "--take-over", "--store", "store", *(more or ("--workers", 2)))

    def is_in_a_transaction(self):
        with_us = sqlite3.connect(self.database(), timeout=0, isolation_level=None)
        try:
            with_us.execute("BEGIN IMMEDIATE")
            with_us.execute("ROLLBACK")
            return False
        except sqlite3.OperationalError:
            return True
        finally:
            with_us.close()

    def everything(self):
        """All rows, and the files beside the database."""
        database = sqlite3.connect(self.database())
        rows = list(database.iterdump())
        database.close()
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
        self.assertTrue(wait_for(is_stopped))
        self.addCleanup(lambda: kill(driver.pid, signal.SIGCONT))

    def require_fenced(self, driver, winner):
        os.kill(driver.pid, signal.SIGCONT)
        _, err = driver.communicate(timeout=60)
        self.assertEqual(driver.returncode, 75, err)
        self.assertIn(f"taken over by process {winner.pid} on {socket.gethostname()} since 20", err)

    def holds(self, driver):
        return wait_for(lambda: self.endpoint.exists() and self.facts()["pid"] == driver.pid, 60)

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
        _, err = driver.communicate(timeout=60)
        self.assertEqual(driver.returncode, 130, err)
        self.assertIn(f"handed over to process {second.pid}", err)
        self.assertNotIn("fenced", self.require_same(second))

    def test_nobody_to_take_it_from(self):
        driver = self.begun()
        kill(driver.pid)
        driver.communicate()
        self.assertNotIn("asked to end", self.require_same(self.take_over()))

    def test_a_driver_that_was_stopped_wakes_up_fenced(self):
        driver = self.begun()
        workers = children(driver.pid)
        self.stop(driver)
        before = len(self.rows("select 1 from trials where state = 'completed'"))
        second = self.take_over()
        self.assertTrue(self.holds(second), second.poll())
        self.require_fenced(driver, second)
        self.assertTrue(wait_for(lambda: not any(map(alive, workers))), "its workers go on")
        self.assertEqual(self.facts()["pid"], second.pid)  # it removed nothing of the second's
        self.assertEqual(self.run_dlrun("note", "sphere", "still there", "--store", "store").returncode, 0)
        err = self.require_same(second)
        self.assertIn("it is fenced", err)
        self.assertEqual(self.rows("select count(*) from notes where text = 'still there'"), [[1]])
        self.assertGreater(self.rows("select count(*) from trials where state = 'completed'")[0][0], before)
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
        self.assertTrue(wait_for(lambda: len(self.rows("select 1 from trials where state = 'completed'")) > 2, 60))
        self.stop(driver)
        second = self.take_over("--workers", 0, "--listen", "127.0.0.1")
        self.assertTrue(self.holds(second), second.poll())
        self.require_fenced(driver, second)
        self.require_same(second)
        self.require_ended(worker)


if __name__ == "__main__":
    unittest.main()
