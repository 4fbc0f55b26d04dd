# SPDX-License-Identifier: Apache-2.0
"""Workers that join over a bad network: what was not acknowledged is said again, both sides give up in bounded time,
attempts stay fenced, and the study ends as on a good one. DLRUN_FAULTS=long tries an outage past the grace too."""
import os
import signal
import unittest

from chaos_proxy import ChaosProxy
from remote_support import RemoteFolder
from support import FUNCTION_STUDY, GATED_STUDY

IS_LONG = os.environ.get("DLRUN_FAULTS") == "long"


class Chaos(RemoteFolder):
    STUDY = FUNCTION_STUDY.replace("sleep: 0.01", "sleep: 0.03")

    def proxied(self):
        proxy = ChaosProxy(self.facts()["port"])
        self.addCleanup(proxy.close)
        return proxy, self.copy(port=proxy.port)

    def listen_held(self):
        """A driver whose study cannot end before the gate is open. A piece that is late has no copy, which would be a
        second attempt without any loss."""
        self.study = self.write_gated(GATED_STUDY + "resources: {speculate: false}\n")
        self.hold_from(12)
        return self.listen()

    def await_results(self, count, driver):
        self.await_(f"{count} results", lambda: self.count("v_trials where epochs > 0") >= count, while_runs=driver)

    def test_single_bytes_and_delays(self):
        driver = self.listen_held()
        proxy, endpoint = self.proxied()
        proxy.step, proxy.delay = 1, 0.00005
        slow, fast = self.join(endpoint), self.join()
        self.await_workers(2, driver)
        self.open_gate()
        self.require_same(driver)
        self.require_ended(slow)
        self.require_ended(fast)
        self.assertEqual(proxy.connections, 1)

    def test_connections_that_are_cut_again_and_again(self):
        driver = self.listen_held()
        proxy, endpoint = self.proxied()
        workers = [self.join(endpoint), self.join(endpoint)]
        for cuts in range(8):
            self.await_("both workers, come back", lambda: proxy.connections >= 2 * (cuts + 1), while_runs=driver)
            self.hold_from(12 + cuts)
            self.await_results(2 + cuts, driver)
            proxy.cut()
        self.open_gate()
        self.require_same(driver)
        for worker in workers:
            self.require_ended(worker)
        self.assertEqual(len(self.rows("select 1 from workers")), 2)  # the same two, however often they came back
        self.assertEqual(self.rows("select max(attempt) from attempts"), [[1]])

    def test_a_silent_network_is_given_up_and_taken_up_again(self):
        driver = self.listen_held()
        proxy, endpoint = self.proxied()
        worker = self.join(endpoint)
        self.await_results(1, driver)
        proxy.is_deaf = True  # the kernel in between acknowledges all the while
        self.await_("a worker that gave its connection up", lambda: proxy.connections > 1, while_runs=driver)
        proxy.is_deaf = False
        self.open_gate()
        err = self.require_same(driver)
        self.require_ended(worker)
        self.assertNotIn("ended", err)
        self.assertEqual(self.rows("select max(attempt) from attempts"), [[1]])

    @unittest.skipUnless(IS_LONG, "DLRUN_FAULTS is not long")
    def test_past_the_grace_its_work_goes_elsewhere(self):
        """Without copies of what is late, which would be home long before."""
        self.study = self.write(self.STUDY + "resources: {speculate: false}\n")
        driver = self.listen()
        proxy, endpoint = self.proxied()
        first = self.join(endpoint)
        self.await_workers(1, driver)
        proxy.is_deaf = True
        second = self.join()
        err = self.require_same(driver)
        self.require_ended(second)
        self.assertIn("it was not heard of for 60 s", err)
        self.assertEqual(self.rows("select max(attempt) from attempts"), [[2]])
        self.kill(first)

    def test_a_driver_that_is_killed_and_resumed_has_its_workers_back(self):
        driver = self.listen_held()
        worker = self.join()
        self.await_results(5, driver)
        self.kill(driver)
        driver = self.listen(verb="resume")
        self.open_gate()
        self.require_same(driver)
        self.require_ended(worker)

    def test_a_driver_that_stays_away_is_given_up(self):
        driver = self.listen_held()
        words = self.folder / "words"
        with open(words, "w") as file:
            worker = self.join(stderr=file)
        self.await_workers(1, driver)
        self.kill(driver)
        self.await_("a worker that misses its driver", lambda: "trying for 60 s to come back" in words.read_text())
        worker.send_signal(signal.SIGTERM)  # need not wait for the grace
        self.finish(worker)


if __name__ == "__main__":
    unittest.main()
