# SPDX-License-Identifier: Apache-2.0
"""Workers that join over the network (here: over loopback): they take part like local ones, the study ends as it would
have without them, and who may not join is told why."""
import os
import signal
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from remote_support import RemoteFolder  # noqa: E402
from support import GATED_STUDY  # noqa: E402


class Remote(RemoteFolder):
    STUDY = GATED_STUDY

    def setUp(self):
        super().setUp()
        self.write_gated()

    def refused(self, worker):
        done = self.finish(worker)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def listen_for(self, joining, workers=0):
        """A driver, and as many workers that all join it before a trial ends."""
        self.hold_from(0)
        driver = self.listen(workers=workers)
        joined = [self.join() for _ in range(joining)]
        self.await_workers(workers + joining, driver)
        return driver, joined

    def test_only_workers_that_join(self):
        driver, workers = self.listen_for(2)
        self.open_gate()
        err = self.require_same(driver)
        self.assertIn("waiting for a worker to join", err)
        self.assertEqual(err.count("joined from"), 2)
        for worker in workers:
            self.require_ended(worker)
        self.assertFalse(self.endpoint.exists())
        self.assertEqual(oct(self.key.stat().st_mode & 0o777), "0o600")

    def test_beside_local_workers(self):
        driver, [worker] = self.listen_for(1, workers=2)
        self.open_gate()
        self.require_same(driver)
        self.require_ended(worker)

    def test_a_worker_that_leaves_is_not_missed(self):
        driver, [first, second] = self.listen_for(2)
        first.terminate()
        self.require_ended(first)
        self.open_gate()
        err = self.require_same(driver)
        self.assertIn("it left: it was told to by signal 15", err)
        self.require_ended(second)

    def test_a_notice_may_come_again(self):
        driver, [first, second] = self.listen_for(2)

        def has_ended():
            for _ in range(20):
                first.send_signal(signal.SIGUSR1)
            return first.poll() is not None

        self.await_("the end of a worker that is told to leave", has_ended)
        self.require_ended(first)
        self.open_gate()
        self.require_same(driver)
        self.require_ended(second)
        self.assertEqual(self.rows("select count(*) n from attempts where cause not null and cause <> 'preempted'"), [[0]])

    def test_who_may_not_join_is_told_why(self):
        driver = self.listen()

        def elsewhere(**changes):
            return self.refused(self.join(self.copy(**changes)))

        self.assertRegex(elsewhere(version="9.9.9"), r"driver is dlrun 9\.9\.9 \(protocol \d+\), this worker \d")
        self.assertRegex(elsewhere(protocol=99), r"\(protocol 99\), this worker .* \(protocol \d+\)")
        self.assertIn("the store", elsewhere(file="/nowhere/sphere.endpoint"))
        tried = elsewhere(addresses=["127.0.0.2", "127.0.0.3"])
        self.assertRegex(tried, r"127\.0\.0\.2:\d+: Connection refused; 127\.0\.0\.3:\d+: Connection refused")
        other = self.folder / "other.key"
        other.write_bytes(os.urandom(32))
        other.chmod(0o600)
        self.assertIn("another key", elsewhere(key=str(other)))
        other.chmod(0o644)
        self.assertIn("open to others", elsewhere(key=str(other)))
        self.assertIn("no driver", self.refused(self.join(self.folder / "no.endpoint")))
        worker = self.join()
        err = self.require_same(driver)
        self.require_ended(worker)
        self.assertRegex(err, r"refused a connection from 127\.0\.0\.1:\d+")
        self.assertNotIn(self.key.read_bytes().hex(), err)

    def test_addresses_are_tried_in_turn(self):
        driver = self.listen()
        worker = self.join(self.copy(addresses=["127.0.0.2", "127.0.0.1"]))
        self.require_same(driver)
        self.require_ended(worker)

    def test_the_key_is_on_no_command_line_and_in_no_environment(self):
        driver, [worker] = self.listen_for(1, workers=1)
        key = self.key.read_bytes()
        for pid in (driver.pid, worker.pid):
            for part in ("cmdline", "environ"):
                text = Path(f"/proc/{pid}/{part}").read_bytes()
                self.assertNotIn(key, text)
                self.assertNotIn(key.hex().encode(), text)
        self.open_gate()
        self.require_same(driver)
        self.require_ended(worker)

    def test_a_key_that_others_may_read_stops_the_driver(self):
        self.require_same(self.listen(workers=2))
        self.key.chmod(0o640)
        done = self.run_dlrun("tune", self.study, "--set", "limits.trials=70", "--amend", "--workers", 1, "--listen",
                              "127.0.0.1", "--store", "store")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("open to others", done.stderr)

    def test_bad_options(self):
        for words, text in ((("--workers", 0), "leaves nobody to work"),
                            (("--listen", "127.0.0.1:99999"), "no address to listen on"),
                            (("--listen", "[::1"), "no address to listen on"),
                            (("--listen", "no.such.host.invalid"), "there is no host")):
            done = self.run_dlrun("tune", self.study, *words, "--store", "store")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(text, done.stderr)


class SlowToLeave(RemoteFolder):
    STUDY = """\
study: sphere
objective: {metric: value, direction: minimize}
space: {x: {type: float, low: 0, high: 1}}
search: {sampler: random, lanes: 1}
limits: {trials: 1}
trial: {kind: command, command: [sh, run.sh, "{x}"], epochs: 1, grace: 60s}
"""

    def test_a_worker_whose_grace_is_over_says_so(self):
        """Such a worker ended without a word, which counted as its loss."""
        (self.folder / "run.sh").write_text("trap '' TERM; mkdir began && exec sleep 1000\n"
                                            "echo '::dlrun {\"metric\": \"value\", \"value\": 1}'\n")
        driver = self.listen()
        first = self.join()
        self.await_("the program", (self.folder / "began").exists, while_runs=driver)
        first.terminate()
        self.require_ended(first)
        second = self.join()
        self.require_ended(driver)
        self.require_ended(second)
        self.assertEqual(self.rows("select cause from attempts order by attempt"), [["preempted"], [None]])


if __name__ == "__main__":
    unittest.main()
