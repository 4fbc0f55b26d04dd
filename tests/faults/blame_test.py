# SPDX-License-Identifier: Apache-2.0
"""Machines that are bad and trials that are bad: which is which, who gets work meanwhile, and when it is tried again.
What the study finds does not depend on it."""
import os
import signal
import unittest

from remote_support import RemoteFolder

STUDY = """\
study: sphere
seed: 7
objective: {metric: loss, direction: minimize}
space: {x: {type: float, low: 0, high: 1}}
search: {sampler: random, lanes: 4}
limits: {trials: 12}
retry: {signal: 1, delay: 0.1}
trial: {kind: command, command: [python3, step.py, "{x}"]}
"""

PROGRAM = """\
import json, os, signal, sys, time
trial, here = int(os.environ["DLRUN_TRIAL"]), os.environ.get("HOST_OF_TEST", "")
def lost():
    return [name.split()[1] for name in os.listdir() if name.startswith("lost ")]
def must_wait():  # the good machine, until the bad one has lost three of the first four; later for "go on", but not before
    if here == "good" and len(lost()) < 3:  # these have come again
        return True
    if trial < 8 or os.path.exists("go on"):
        return not os.path.exists("go")
    return all(os.path.exists(f"done {i}") for i in lost())
while must_wait():
    time.sleep(0.01)
if here == "bad":
    open(f"lost {trial}", "w").close()
if here == "bad" or os.path.exists(f"poison {trial}"):
    os.kill(os.getpid(), signal.SIGSEGV)
if os.path.exists(f"first of {trial}") and os.environ["DLRUN_ATTEMPT"] == "1":
    os.kill(os.getpid(), signal.SIGSEGV)
with os.fdopen(int(os.environ["DLRUN_REPORT_FD"]), "w") as reports:
    print(json.dumps({"metric": "loss", "step": 1, "value": float(sys.argv[1])}), file=reports)
open(f"done {trial}", "w").close()
"""

LOST_AND_NOT_BACK = """select count(*) from v_trials where state != 'completed'
and trial in (select trial from v_attempts where state = 'failed')"""

ON_HOSTS = "from v_attempts a join v_workers w on w.driver = a.driver and w.worker = a.worker"

OF_BAD_SINCE = f"select count(*) {ON_HOSTS} where host = 'bad' and a.driver = 2"


class Blame(RemoteFolder):
    STUDY = STUDY

    def setUp(self):
        super().setUp()
        self.write(PROGRAM, "step.py")

    def let(self, *names):
        for name in names:
            (self.folder / name).touch()

    def join_from(self, host):
        return self.join(None, "--host-name", host, env={**os.environ, "HOST_OF_TEST": host})

    def on_hosts(self, *hosts):
        driver = self.listen()
        for host in hosts:
            self.join_from(host)
        self.await_workers(len(hosts), driver)
        self.let("go")
        return driver

    def await_all_that_were_lost(self, driver):
        """And five more, which is all that there is to do before "go on"."""
        self.await_completed(8, driver)
        self.await_("what was lost", lambda: self.ask(LOST_AND_NOT_BACK) == [(0,)], while_runs=driver)

    def completed(self):
        return self.rows("select count(*) from trials where state = 'completed'")[0][0]

    def test_a_bad_machine_is_set_aside_and_no_trial_pays(self):
        self.quarantine("{for: 10m}")  # longer than the test, also where it takes long
        driver = self.on_hosts("good", "bad")
        self.await_all_that_were_lost(driver)
        status = self.run_dlrun("status", "--store", "store")
        self.assertIn("sphere: host bad is set aside", status.stderr)
        self.assertIn("3 attempts were lost there, 3 pieces of these succeeded elsewhere", status.stderr)
        self.let("go on")
        err = self.require_same(driver)
        self.assertIn("host bad is set aside for 600 s: the last 3 trials on it were lost", err)
        self.assertEqual(self.completed(), 12)
        self.assertEqual(self.rows(f"select count(*) {ON_HOSTS} where host = 'bad'"), [[3]])
        self.assertEqual(self.rows("select count(*) from notes where text like 'host bad is set aside%'"), [[1]])

    def quarantine(self, rules):
        self.study.write_text(STUDY.replace("delay: 0.1", f"delay: 0.1, quarantine: {rules}"))

    def die_and_come_back(self, rules="{for: 10m}"):
        """When a host is set aside, for long; the next driver has a worker of each host, and these rules."""
        self.quarantine("{for: 10m}")
        driver = self.on_hosts("good", "bad")
        self.await_all_that_were_lost(driver)
        for process in self.started:
            process.kill()
        self.finish(driver)
        self.quarantine(rules)
        driver = self.listen()
        for i, host in enumerate(("good", "bad")):  # alone, even a bad one would get work
            self.join_from(host)
            self.await_workers(3 + i, driver)
        return driver

    def test_a_machine_stays_aside_when_the_driver_dies(self):
        driver = self.die_and_come_back()
        self.assertIn("sphere: host bad is set aside", self.run_dlrun("status", "--store", "store").stderr)
        self.let("go on")
        err = self.require_same(driver)
        self.assertRegex(err, "host bad is still set aside for [0-9]+ s: the last 3 trials on it were lost")
        self.assertEqual(self.completed(), 12)
        self.assertEqual(self.rows(OF_BAD_SINCE), [[0]])

    def test_its_time_goes_on_while_there_is_no_driver(self):
        driver = self.die_and_come_back("{for: 1s, max_for: 1s}")
        self.await_("work of the bad machine", lambda: self.ask(OF_BAD_SINCE) not in ([], [(0,)]), while_runs=driver)
        self.let("go on")
        self.require_same(driver)
        self.assertEqual(self.completed(), 12)

    def test_no_machine_is_set_aside_where_nobody_wants_it(self):
        self.quarantine("off")
        self.let("go on")
        err = self.require_same(self.on_hosts("good", "bad"))
        self.assertNotIn("set aside", err)
        self.assertEqual(self.completed(), 12)

    def test_a_bad_trial_is_told_from_a_bad_machine(self):
        self.let("poison 2", "poison 3", "poison 4", "poison 5", "go on")
        self.require_same(self.on_hosts("one", "two"))
        verdict = "lost on hosts one and two: the trial's fault, not the machine's"
        for trial in (2, 3, 4, 5):
            self.assertIn(verdict, self.run_dlrun("show", str(trial), "--store", "store").stdout)
        self.assertEqual(self.completed(), 8)
        self.assertEqual(self.rows(f"select count(distinct host) {ON_HOSTS} where trial = 2"), [[2]])

    def test_the_only_machine_is_never_set_aside(self):
        self.let(*[f"first of {i}" for i in range(6)], "go on")
        err = self.require_same(self.on_hosts("one"))
        self.assertNotIn("set aside", err)
        self.assertEqual(self.completed(), 12)

    def test_what_waits_to_be_tried_again_holds_nobody_up(self):
        self.study.write_text(STUDY.replace("delay: 0.1", "delay: 3600, max_delay: 3600"))
        self.let("first of 1", "go", "go on")
        driver = self.start("tune", self.study, "--workers", 2, "--store", "store")
        self.await_("the loss of trial 1", lambda: self.ask("select 1 from v_attempts where trial = 1 and state = 'failed'"), driver)
        self.await_completed(4, driver)
        self.assertEqual(self.rows("select count(*) from attempts where trial = 1"), [[1]])
        driver.send_signal(signal.SIGINT)
        self.end_of(driver, 130)
        (self.folder / "first of 1").unlink()
        self.require_same(self.start("resume", "--store", "store"))
        self.assertEqual(self.completed(), 12)


if __name__ == "__main__":
    unittest.main()
