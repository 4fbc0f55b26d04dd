# SPDX-License-Identifier: Apache-2.0
"""A driver is killed while workers that joined are at long trials: those go on without it, the next driver takes them and what
ended meanwhile over, and only what nobody came back with begins again."""
import signal
import unittest

from remote_support import RemoteFolder
from support import kill

# A trial ends when the file of its number is there.
STUDY = """\
study: sphere
objective: {metric: value, direction: minimize}
space: {x: {type: int, low: 0, high: 5}}
search: {sampler: grid, lanes: 2}
trial: {kind: command, shell: true, command: ["exec sh PROGRAM {x}"], epochs: 1}
"""
PROGRAM = """\
while [ ! -e FOLDER/go-$DLRUN_TRIAL ]; do
  [ -e FOLDER/program.sh ] || exit 1
  sleep 0.02
done
echo $1 > $DLRUN_DIR/state
echo '{"metric": "value", "step": 1, "value": '$1'}' >&3
echo '{"checkpoint": "state", "step": 1}' >&3
touch FOLDER/done-$DLRUN_TRIAL
"""


class DeadDriver(RemoteFolder):
    def setUp(self):
        self.STUDY = ""
        super().setUp()
        program = self.write(PROGRAM.replace("FOLDER", str(self.folder)), "program.sh")
        self.study = self.write(STUDY.replace("PROGRAM", str(program)))
        self.driver = self.listen()
        self.workers = [self.join(), self.join()]
        self.await_("two attempts under way", lambda: self.count("v_attempts where state = 'running'") == 2, self.driver)

    def attempts(self, state=None):
        where = f" where state = '{state}'" if state else ""
        return self.rows(f"select trial, attempt, state, cause from attempts{where} order by trial, attempt")

    def let_go(self, *trials):
        for trial in trials:
            (self.folder / f"go-{trial}").touch()

    def require_begun_again(self, *trials):
        """Of those that were under way these, and no others."""
        rows = []
        for trial in range(2):
            again = [[trial, 1, "lost", "driver_lost"], [trial, 2, "completed", None]]
            rows += again if trial in trials else [[trial, 1, "completed", None]]
        self.assertEqual([row for row in self.attempts() if row[0] < 2], rows)

    def worker_at(self, trial):
        [[pid]] = self.rows("select w.pid from attempts a join workers w on w.driver = a.driver and w.worker = a.worker "
                            f"where a.trial = {trial}")
        return next(worker for worker in self.workers if worker.pid == pid)

    def test_trials_go_on_and_results_wait_for_the_next_driver(self):
        self.kill(self.driver)
        self.let_go(0)
        self.await_("the end of trial 0", (self.folder / "done-0").exists)
        driver = self.listen(verb="resume")
        self.await_("its result", lambda: self.count("v_attempts where trial = 0 and attempt = 1 and state = 'completed'"), driver)
        self.assertIn([1, 1, "running", None], self.attempts())
        self.let_go(*range(6))
        err = self.require_same(driver)
        self.require_begun_again()
        self.assertIn("2 attempts may be under way at workers that joined", err)
        self.assertIn("trial 1, attempt 1: worker", err)
        for worker in self.workers:
            self.require_ended(worker)

    def test_two_drivers_that_die_are_as_one(self):
        for workers in (4, 6):
            self.kill(self.driver)
            self.driver = self.listen(verb="resume")
            self.await_workers(workers, self.driver)
        self.let_go(*range(6))
        self.require_same(self.driver)
        self.require_begun_again()

    def test_what_died_with_the_driver_begins_again(self):
        victim = self.worker_at(1)
        kill(victim.pid)
        self.kill(self.driver)
        driver = self.listen(verb="resume")
        self.let_go(*range(6))
        err = self.require_same(driver)
        self.require_begun_again(1)
        self.assertIn("trial 1, attempt 1: its driver ended, and its worker did not come back within 10 s", err)

    def test_a_trial_is_cancelled_whose_worker_is_away_or_back(self):
        kill(self.worker_at(1).pid)
        self.kill(self.driver)
        driver = self.listen(verb="resume")
        self.await_workers(3, driver)
        for trial in range(2):
            self.assertEqual(self.run_dlrun("cancel", trial, "--store", "store").returncode, 0)
        self.let_go(*range(2, 6))
        self.assertNotIn("did not come back", self.end_of(driver))
        states = self.rows("select state from trials order by trial")
        self.assertEqual(states, [["cancelled"]] * 2 + [["completed"]] * 4)

    def test_nobody_waits_for_workers_of_a_driver_that_opens_no_door_or_is_told_to_stop(self):
        for worker in self.workers:
            kill(worker.pid)
        self.kill(self.driver)
        driver = self.listen(verb="resume")
        driver.send_signal(signal.SIGINT)
        self.end_of(driver, 130)
        self.assertEqual(len(self.attempts("running")), 2)  # left to the next
        self.let_go(*range(6))
        done = self.run_dlrun("resume", "--workers", "2", "--store", "store")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("did not come back", done.stderr)
        self.require_begun_again(0, 1)


class DeadDriverOfWorkersApart(DeadDriver):
    """The same, where artifacts travel through whichever driver there is."""

    def join(self):
        return super().join(None, "--scratch", self.folder)

    def test_trials_go_on_and_results_wait_for_the_next_driver(self):
        super().test_trials_go_on_and_results_wait_for_the_next_driver()
        self.assertEqual(len(self.rows("select 1 from artifacts where role = 'last'")), 6)


if __name__ == "__main__":
    unittest.main()
