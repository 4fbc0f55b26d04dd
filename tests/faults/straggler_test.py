# SPDX-License-Identifier: Apache-2.0
"""A piece that is far behind runs on a second worker too: the first to end counts, the study's export stays the same, and the
attempts say what happened. A copy costs nothing when it dies, and none outlives its driver."""
import os
import re
import signal
import unittest

from support import DIGITS, HAS_TRAINER, TRAIN_STUDY, Folder, children, is_stopped, kill

# Trial 3 waits for a file of its attempt, the others end at once.
WAITING = """\
study: waiting
objective: {metric: value, direction: minimize}
space: {x: {type: int, low: 0, high: 5}}
search: {sampler: grid, lanes: 2}
retry: {worker_lost: 0, signal: 0}
resources: {speculate: {factor: 2, after: 0.2}}
trial: {kind: command, shell: true, command: ["exec sh program.sh {x}"], epochs: 1}
"""
PROGRAM = """\
if [ $DLRUN_TRIAL = 3 ]; then while [ ! -e go-$DLRUN_ATTEMPT ]; do sleep 0.02; done; fi
echo '{"metric": "value", "step": 1, "value": '$VALUE'}' >&3
"""
# A first attempt at every third waits for a second one where they are to race, and then either may be home first.
RACING = """\
if [ -e race ] && [ $((DLRUN_TRIAL % 3)) = 2 ]; then
  touch began-$DLRUN_TRIAL-$DLRUN_ATTEMPT
  while [ ! -e began-$DLRUN_TRIAL-2 ]; do sleep 0.02; done
  sleep 0.$(($$ % 3))
fi
echo '{"metric": "value", "step": 1, "value": '$1'}' >&3
"""
QUICK = "resources: {speculate: {factor: 2, after: 1}}\n"
# A first attempt at trial 0 freezes its worker at its last epoch.
FREEZING = """\
study: freezing
objective: {metric: value, direction: minimize}
space:
  x: {type: constant, value: 0.5}
  when: {at: function.fault_step, type: int, low: 9, high: 18}
search: {sampler: grid, lanes: 4}
trial: {kind: function, function: {op: sphere, noise: 0.1, fault: freeze, fault_attempts: 1}, epochs: 9}
"""


class Stragglers(Folder):
    NAME = ""
    FOUR_DONE = "select 1 where (select count(*) from v_attempts where state = 'completed') >= 4"

    def setUp(self):
        super().setUp()
        self.store = self.folder / "store"

    def ask(self, statement, store=None):
        return super().ask(statement, store or self.store)

    def began(self, driver, statement):
        return self.await_(statement, lambda: self.ask(statement), while_runs=driver)

    def require_one_result_each(self):
        self.assertEqual(self.ask("select trial, piece, count(*) from v_attempts where state = 'completed' "
                                  "group by trial, replicate, fold, piece having count(*) <> 1"), [])


class Waiting(Stragglers):
    NAME = "waiting"
    TWO = "select 1 from v_attempts where trial = 3 and attempt = 2"

    def setUp(self):
        super().setUp()
        self.study = self.write(WAITING)
        self.program("$1")

    def program(self, value):
        (self.folder / "program.sh").write_text(PROGRAM.replace("$VALUE", value))

    def go(self, *attempts):
        for attempt in attempts:
            (self.folder / f"go-{attempt}").touch()

    def calm(self):
        self.go(1)
        self.assertEqual(self.tune(self.study, self.folder / "calm", workers=1).returncode, 0)
        digest = self.digest(self.folder / "calm")
        os.remove(self.folder / "go-1")
        return digest

    def begin(self):
        """With two attempts of trial 3."""
        driver = self.start("tune", self.study, "--workers", "3", "--store", self.store)
        self.began(driver, self.TWO)
        return driver

    def attempts(self):
        return self.ask("select attempt, state, cause from v_attempts where trial = 3 order by attempt")

    def pid_of(self, attempt):
        return self.ask("select w.pid from v_attempts a join v_workers w using (driver, worker) "
                        f"where a.trial = 3 and a.attempt = {attempt}")[0][0]

    def test_the_copy_is_home_first(self):
        calm = self.calm()
        driver = self.begin()
        self.go(2)
        err = self.end_of(driver)
        self.assertIn("it runs on another worker too", err)
        self.assertIn("attempt 2 was home first", err)
        self.assertEqual(self.attempts(), [(1, "cancelled", "overtaken"), (2, "completed", None)])
        self.assertEqual(self.ask("select attempt, kind, from_attempt from v_edges where trial = 3"),
                         [(2, "copied_from", 1)])
        self.assertEqual(self.digest(self.store), calm)
        self.assertIn("ran beside", self.run_dlrun("lineage", "3", "--store", self.store).stdout)
        self.assertEqual(self.run_dlrun("verify", "--store", self.store).returncode, 0)

    def test_the_first_one_is_home_first(self):
        calm = self.calm()
        driver = self.begin()
        self.go(1)
        self.end_of(driver)
        self.assertEqual(self.attempts(), [(1, "completed", None), (2, "cancelled", "overtaken")])
        self.assertEqual(self.digest(self.store), calm)

    def test_the_loss_of_one_costs_nothing(self):
        calm = self.calm()
        for lost, left in ((1, 2), (2, 1)):
            driver = self.begin()
            kill(self.pid_of(lost))
            self.began(driver, "select 1 from v_attempts where trial = 3 and cause = 'worker_lost'")
            self.go(left)
            self.end_of(driver)
            self.assertEqual(sorted(self.attempts()),
                             sorted([(lost, "lost", "worker_lost"), (left, "completed", None)]))
            self.assertEqual(self.digest(self.store), calm)
            os.remove(self.folder / f"go-{left}")
            self.store = self.folder / "other"

    def test_the_loss_of_both_counts_once(self):
        driver = self.begin()
        kill(self.pid_of(1))
        self.began(driver, "select 1 from v_attempts where trial = 3 and attempt = 1 and cause = 'worker_lost'")
        kill(self.pid_of(2))
        self.finish(driver)
        self.assertEqual(self.attempts(), [(1, "lost", "worker_lost"), (2, "lost", "worker_lost")])
        self.assertEqual(self.ask("select state, cause from v_trials where trial = 3"), [("failed", "worker_lost")])

    def test_the_driver_may_be_killed(self):
        calm = self.calm()
        for copy in (2, 4):  # a third attempt may be copied as the first one was, by what the log says of others
            driver = self.start("tune", self.study, "--workers", "3", "--store", self.store)
            self.began(driver, f"select 1 from v_attempts where trial = 3 and attempt = {copy}")
            self.kill(driver)
        self.go(5)
        done = self.tune(self.study, self.store, workers=1)  # alone: there is nobody for a copy
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.attempts()[:5],
                         [(n, "lost", "driver_lost") for n in range(1, 5)] + [(5, "completed", None)])
        self.assertEqual(self.digest(self.store), calm)

    def test_a_trial_may_be_cancelled(self):
        driver = self.begin()
        self.assertEqual(self.run_dlrun("cancel", "3", "--store", self.store).returncode, 0)
        self.end_of(driver)
        self.assertEqual(self.ask("select state from v_trials where trial = 3"), [("cancelled",)])
        self.assertEqual(self.ask("select 1 from v_attempts where trial = 3 and state = 'completed'"), [])

    def test_it_may_be_interrupted(self):
        calm = self.calm()
        driver = self.begin()
        driver.send_signal(signal.SIGINT)
        self.end_of(driver, 130)
        self.go(1, 2, 3, 4)
        self.assertEqual(self.tune(self.study, self.store, workers=1).returncode, 0)  # alone: there is nobody for a copy
        self.assertEqual(self.attempts()[-1], (3, "completed", None))
        self.assertEqual(self.digest(self.store), calm)

    def test_another_result_of_the_other_is_no_fault(self):
        self.program("$DLRUN_ATTEMPT")
        driver = self.begin()
        self.go(2, 1)
        self.end_of(driver)
        values = self.ask("select m.attempt, m.value, a.state from v_metrics m join v_attempts a using (trial, attempt) "
                          "where m.trial = 3 and m.metric = 'value'")
        self.assertEqual(len(values), 1)
        self.assertEqual(values[0][0], values[0][1])
        self.assertEqual(values[0][2], "completed")

    def test_many_copies_at_once(self):
        """Of those that race some come home together: the later one is refused."""
        (self.folder / "program.sh").write_text(RACING)
        text = WAITING.replace("high: 5", "high: 29").replace("lanes: 2", "lanes: 6")
        for store, speculate in (("calm", "false"), ("store", "{factor: 1.5, after: 0.05}")):
            study = self.write(text.replace("{factor: 2, after: 0.2}", speculate))
            done = self.tune(study, self.folder / store, workers=9)
            self.assertEqual(done.returncode, 0, done.stderr)
            (self.folder / "race").touch()
        self.assertNotEqual(self.ask("select 1 from v_attempts where cause = 'overtaken'"), [])
        self.require_one_result_each()
        self.assertEqual(self.digest(self.store), self.digest(self.folder / "calm"))
        self.store = self.folder / "calm"
        self.assertEqual(self.ask("select 1 from v_attempts where attempt > 1"), [])

    def test_programs_run_once_unless_asked(self):
        """By when one of the same age, whose study asks for it in the default's words, runs twice."""
        plain = self.write(WAITING.replace("{factor: 2, after: 0.2}", "auto"), "plain.yaml")
        asking = self.write(WAITING.replace("{factor: 2, after: 0.2}", "true"), "asking.yaml")
        driver = self.start("tune", plain, "--workers", "3", "--store", self.store)
        self.began(driver, self.FOUR_DONE)
        other = self.start("tune", asking, "--workers", "3", "--store", self.folder / "other")
        self.await_("a copy", lambda: self.ask(self.TWO, self.folder / "other"), while_runs=other)
        self.assertEqual(self.ask(self.TWO), [])
        self.go(1)
        self.end_of(driver)
        self.end_of(other)


class Frozen(Stragglers):
    NAME = "freezing"

    def require_overtaken(self, driver, frozen):
        try:
            self.began(driver, "select 1 from v_attempts where cause = 'overtaken'")
        finally:
            kill(frozen, signal.SIGCONT)
        self.end_of(driver)
        self.assertEqual(self.ask("select 1 from v_attempts where cause <> 'overtaken'"), [])
        self.require_one_result_each()
        self.assertEqual(self.digest(self.store), self.digest(self.folder / "calm"))


class FrozenFunction(Frozen):
    def test_a_frozen_worker_is_overtaken_before_it_is_missed(self):
        calm = self.start("tune", self.write(FREEZING), "--workers", "1", "--store", self.folder / "calm")
        kill(self.frozen_worker(calm), signal.SIGCONT)
        self.end_of(calm)
        driver = self.start("tune", self.write(FREEZING + QUICK), "--workers", "2", "--store", self.store)
        self.require_overtaken(driver, self.frozen_worker(driver))

    def frozen_worker(self, driver):
        return self.await_("a worker that froze", lambda: [pid for pid in children(driver.pid) if is_stopped(pid)], driver)[0]


@unittest.skipUnless(HAS_TRAINER, "the trainer library is not built")
class FrozenTraining(Frozen):
    """The copy goes on from where the frozen one was saved, or anew: the weights are the same."""
    NAME = "digits"
    STUDY = re.sub(r", pruner: .*}}", "}", TRAIN_STUDY).replace("epochs: 9", "epochs: 30").replace("DIGITS", str(DIGITS))
    PREPARED = "select pid from v_workers where (driver, worker) in (select driver, worker from v_attempts where state = 'completed')"

    def test_a_frozen_worker_is_overtaken_before_it_is_missed(self):
        self.assertEqual(self.tune(self.write(self.STUDY), self.folder / "calm", workers=1).returncode, 0)
        driver = self.start("tune", self.write(self.STUDY + QUICK), "--workers", "2", "--store", self.store)
        workers = self.await_("a trial of each worker", lambda: (rows := self.ask(self.PREPARED))[1:] and [pid for (pid,) in rows],
                              while_runs=driver)  # from then on their numerics are known
        for pid in workers:
            kill(pid, signal.SIGSTOP)
        self.assertIsNone(driver.poll(), "nothing was held up")  # now nothing ends until they go on
        kill(workers[1], signal.SIGCONT)
        self.require_overtaken(driver, workers[0])


if __name__ == "__main__":
    unittest.main()
