# SPDX-License-Identifier: Apache-2.0
"""Workers that join over a bad network: what was not acknowledged is said again, both sides give up in bounded time,
attempts stay fenced, and the study ends as on a good one. DLRUN_FAULTS=long tries an outage past the grace too."""
import os
import signal
import time
import unittest

from chaos_proxy import ChaosProxy
from remote_support import RemoteFolder
from support import FUNCTION_STUDY, kill, wait_for

IS_LONG = os.environ.get("DLRUN_FAULTS") == "long"


class Chaos(RemoteFolder):
    STUDY = FUNCTION_STUDY.replace("sleep: 0.01", "sleep: 0.03")

    def proxied(self):
        proxy = ChaosProxy(self.facts()["port"])
        self.addCleanup(proxy.close)
        return proxy, self.copy(port=proxy.port)

    def test_single_bytes_and_delays(self):
        driver = self.listen()
        proxy, endpoint = self.proxied()
        proxy.step, proxy.delay = 1, 0.00005
        slow, fast = self.join(endpoint), self.join()
        self.require_same(driver)
        self.require_ended(slow)
        self.require_ended(fast)
        self.assertEqual(proxy.connections, 1)

    def test_connections_that_are_cut_again_and_again(self):
        driver = self.listen()
        proxy, endpoint = self.proxied()
        workers = [self.join(endpoint), self.join(endpoint)]
        cuts = 0
        while driver.poll() is None and cuts < 8:
            time.sleep(0.4)
            proxy.cut()
            cuts += 1
        self.require_same(driver)
        for worker in workers:
            self.require_ended(worker)
        self.assertGreater(proxy.connections, 4)
        self.assertEqual(len(self.rows("select 1 from workers")), 2)  # the same two, however often they came back
        self.assertEqual(self.rows("select max(attempt) from attempts"), [[1]])

    def test_a_silent_network_is_given_up_and_taken_up_again(self):
        driver = self.listen()
        proxy, endpoint = self.proxied()
        worker = self.join(endpoint)
        self.assertTrue(wait_for(self.has_worker))
        proxy.is_deaf = True
        time.sleep(36)  # both sides hear nothing for 30 s; the kernel in between acknowledges all the while
        proxy.is_deaf = False
        err = self.require_same(driver)
        self.require_ended(worker)
        self.assertGreater(proxy.connections, 1)
        self.assertNotIn("ended", err)
        self.assertEqual(self.rows("select max(attempt) from attempts"), [[1]])

    @unittest.skipUnless(IS_LONG, "DLRUN_FAULTS is not long")
    def test_past_the_grace_its_work_goes_elsewhere(self):
        """Without copies of what is late, which would be home long before."""
        self.study = self.write(self.STUDY + "resources: {speculate: false}\n")
        driver = self.listen()
        proxy, endpoint = self.proxied()
        first = self.join(endpoint)
        self.assertTrue(wait_for(self.has_worker))
        proxy.is_deaf = True
        second = self.join()
        err = self.require_same(driver, seconds=180)
        self.require_ended(second)
        self.assertIn("it was not heard of for 60 s", err)
        self.assertEqual(self.rows("select max(attempt) from attempts"), [[2]])
        kill(first.pid)
        first.communicate()

    def test_a_driver_that_is_killed_and_resumed_has_its_workers_back(self):
        driver = self.listen()
        worker = self.join()
        self.assertTrue(wait_for(lambda: len(self.rows("select 1 from attempts where state = 'completed'")) > 5))
        kill(driver.pid, signal.SIGKILL)
        driver.communicate()
        driver = self.listen(verb="resume")
        self.require_same(driver)
        self.require_ended(worker)

    def test_a_driver_that_stays_away_is_given_up(self):
        driver = self.listen()
        worker = self.join()
        self.assertTrue(wait_for(self.has_worker))
        kill(driver.pid, signal.SIGKILL)
        driver.communicate()
        worker.send_signal(signal.SIGTERM)  # need not wait for the grace
        _, err = worker.communicate(timeout=30)
        self.assertIn("trying for 60 s to come back", err)


if __name__ == "__main__":
    unittest.main()
