# SPDX-License-Identifier: Apache-2.0
"""Studies whose workers are jobs of Slurm: of a real one on loopback, and of one whose answers are chosen. Whatever happens
there, the export is that of the study on this machine's own workers, and no job is left."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import slurm_cluster
from support import DEADLINE, DIGITS, FUNCTION_STUDY, HAS_TRAINER, TRAIN_STUDY, Folder, wait_for

IS_LONG = os.environ.get("DLRUN_FAULTS") == "long"
STUDY = (FUNCTION_STUDY.replace("lanes: 8", "lanes: 4").replace("trials: 60", "trials: 24").replace("0.01", "0.05") +
         "executor: {slurm: {poll: 0.2, listen: 127.0.0.1EXTRA}}\n")


def study(extra=""):
    return STUDY.replace("EXTRA", extra and ", " + extra)


class OnSlurm(Folder):
    environment = {}

    def setUp(self):
        super().setUp()
        self.study = self.write(study())
        self.store = self.folder / "store"

    def expected(self, text=None):
        """The same study on this machine's workers."""
        path = self.write(text or study(), "calm.yaml")
        done = self.run_dlrun("tune", path, "--executor", "local", "--workers", 4, "--store", self.folder / "calm")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.digest(self.folder / "calm")

    def begin(self, *arguments):
        return self.start("tune", self.study, "--store", self.store, *arguments, env={**os.environ, **self.environment})

    def tune(self, *arguments):
        return self.finish(self.begin(*arguments))

    def finish(self, process):
        out, err = process.communicate(timeout=DEADLINE)
        return subprocess.CompletedProcess([], process.returncode, out, err)

    def results(self):
        """Pieces that were measured by now."""
        done = self.run_dlrun("report", "--sql", "select count(*) n from metrics", "--format", "csv", "--store", self.store)
        return int(done.stdout.split()[-1]) if done.returncode == 0 else 0

    def sql(self, statement):
        done = self.run_dlrun("report", "--sql", statement, "--format", "csv", "--store", self.store)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()[1:]

    def assert_same(self, done, text=None):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.digest(self.store), self.expected(text))


@unittest.skipUnless(slurm_cluster.is_installed(), "no Slurm is installed here")
class RealTest(OnSlurm):
    @classmethod
    def setUpClass(cls):
        cls.holder_of_cluster = tempfile.TemporaryDirectory(prefix="dlrun-slurm-")
        cls.cluster = slurm_cluster.Cluster(cls.holder_of_cluster.name)
        cls.addClassCleanup(cls.holder_of_cluster.cleanup)
        cls.addClassCleanup(cls.cluster.stop)
        try:
            cls.cluster.start()
        except (OSError, RuntimeError, subprocess.SubprocessError) as fault:  # a host name that is nobody's, no places for daemons
            if os.environ.get("DLRUN_NEEDS_SLURM"):
                raise
            raise unittest.SkipTest(f"Slurm does not start here: {fault}") from fault
        cls.environment = cls.cluster.environment

    def tearDown(self):
        self.cluster.wait_until(lambda: not self.cluster.jobs(), DEADLINE)

    def test_a_cluster_changes_nothing(self):
        self.assert_same(self.tune())
        self.assertEqual(self.cluster.jobs(), [])
        states = self.cluster.ask("squeue", "-h", "-r", "--states=all", "-o", "%T").split()
        self.assertNotIn("CANCELLED", states)  # workers were told, and ended by themselves

    def test_workers_share_jobs_that_share_a_limit(self):
        text = study("workers_per_job: 2, jobs: 1")
        self.study = self.write(text)
        self.assert_same(self.tune(), text)
        self.assertEqual(self.sql("select count(distinct worker) n from attempts"), ["2"])

    def test_jobs_come_and_go_and_the_controller_with_them(self):
        text = study().replace("sleep: 0.05", "sleep: 0.8")
        self.study = self.write(text)
        driver = self.begin()
        self.assertTrue(wait_for(lambda: self.results() >= 4), "no results")
        jobs = self.cluster.jobs("RUNNING")
        self.cluster.ask("scancel", jobs[0])
        self.cluster.ask("scontrol", "requeue", jobs[1])
        self.cluster.kill_controller()
        before = self.results()
        self.assertTrue(wait_for(lambda: self.results() > before), "no more results")
        self.assertIsNone(driver.poll())
        self.cluster.start_controller()
        self.assert_same(self.finish(driver), text)

    def test_a_job_that_is_told_to_leave_saves_and_is_no_loss(self):
        driver = self.begin()
        for enough in (3, 8, 13):
            self.assertTrue(wait_for(lambda: self.results() >= enough or driver.poll() is not None), "no results")
            for job in self.cluster.jobs("RUNNING"):
                self.cluster.ask("scancel", "--batch", "--signal=USR1", job)
        self.assert_same(self.finish(driver))
        self.assertEqual(self.sql("select worker, cause, message from attempts where cause not null and cause <> 'preempted'"), [])

    def test_a_driver_that_was_killed_takes_its_jobs_over(self):
        driver = self.begin()
        self.assertTrue(wait_for(lambda: self.results() >= 4), "no results")
        driver.kill()
        driver.wait()
        before = set(self.cluster.jobs("RUNNING"))
        self.assertEqual(len(before), 4)
        self.assert_same(self.tune())
        after = self.cluster.ask("squeue", "-h", "-r", "--states=all", "--me", "-o", "%i %o").splitlines()
        ours = [line.split()[0] for line in after if str(self.store) in line]
        self.assertLessEqual(set(ours), before)  # nothing was submitted anew

    def test_ctrl_c_leaves_no_job(self):
        driver = self.begin()
        self.assertTrue(wait_for(lambda: self.results() >= 4), "no results")
        driver.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(driver).returncode, 130)
        self.assertEqual(self.cluster.jobs(), [])
        self.assert_same(self.tune())

    def test_two_ctrl_c_leave_no_job_either(self):
        driver = self.begin()
        self.assertTrue(wait_for(lambda: self.results() >= 4), "no results")
        driver.send_signal(signal.SIGINT)
        driver.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(driver).returncode, 130)
        self.cluster.wait_until(lambda: not self.cluster.jobs())
        self.assert_same(self.tune())

    def test_what_sbatch_refuses_is_said(self):
        self.study = self.write(study("partition: nowhere"))
        done = self.tune()
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("sbatch refuses our jobs", done.stderr)
        self.assertIn("nvalid partition", done.stderr)

    @unittest.skipUnless(HAS_TRAINER, "no trainer here")
    def test_training_goes_on_from_what_was_saved(self):
        text = TRAIN_STUDY.replace("DIGITS", str(DIGITS)) + "executor: {slurm: {poll: 0.2, listen: 127.0.0.1}}\n"
        self.study = self.write(text)
        driver = self.begin("--workers", "2")
        self.assertTrue(wait_for(lambda: self.results() >= 10, 100), "no results")
        for job in self.cluster.jobs("RUNNING"):
            self.cluster.ask("scancel", "--batch", "--signal=USR1", job)
        self.assert_same(self.finish(driver), text)

    @unittest.skipUnless(HAS_TRAINER, "no trainer here")
    def test_training_in_a_folder_of_the_node(self):
        scratch = self.folder / "scratch"
        text = TRAIN_STUDY.replace("DIGITS", str(DIGITS)) + "executor: {slurm: {poll: 0.2, listen: 127.0.0.1, " \
            "scratch: $NODE_DISK/dlrun, prologue: [export NODE_DISK=" + str(scratch) + "]}}\n"
        self.study = self.write(text)
        driver = self.begin("--workers", "2")
        self.assertTrue(wait_for(lambda: self.results() >= 10, 100), "no results")
        self.assertEqual(len(list((scratch / "dlrun").iterdir())), 2)
        for job in self.cluster.jobs("RUNNING"):
            self.cluster.ask("scancel", "--batch", "--signal=USR1", job)
        self.assert_same(self.finish(driver), text)
        self.assertEqual(list((scratch / "dlrun").iterdir()), [])

    @unittest.skipUnless(IS_LONG, "takes a minute")
    def test_a_node_that_dies(self):
        driver = self.begin()
        self.assertTrue(wait_for(lambda: self.results() >= 4), "no results")
        self.cluster.kill("slurmd-n1.pid")
        self.assert_same(self.finish(driver))
        self.cluster.start_node(1)

    @unittest.skipUnless(IS_LONG, "takes two minutes")
    def test_jobs_whose_time_is_up(self):
        text = study("time: 1, notice: 30s").replace("sleep: 0.05", "sleep: 1").replace("trials: 24", "trials: 60")
        self.study = self.write(text)
        self.assert_same(self.tune(), text)
        self.assertNotEqual(self.sql("select count(*) n from attempts where cause = 'preempted'"), ["0"])


class ChosenAnswersTest(OnSlurm):
    def setUp(self):
        super().setUp()
        self.place = self.folder / "slurm"
        self.place.mkdir()
        bin_folder = self.folder / "bin"
        bin_folder.mkdir()
        for name in ("sbatch", "squeue", "scancel"):
            (bin_folder / name).symlink_to(Path(__file__).with_name("fake_slurm.py"))
        self.environment = {"FAKE_SLURM": str(self.place),
                            "PATH": f"{bin_folder}:{Path(sys.executable).parent}:{os.environ['PATH']}"}
        self.addCleanup(self.end_jobs)

    def end_jobs(self):
        subprocess.run([self.folder / "bin" / "scancel", "--name=all"], env={**os.environ, "FAKE_SLURM": str(self.place)},
                       check=True)

    def choose(self, name, value):
        (self.place / name).write_text(str(value))

    def batches(self):
        return len(list(self.place.glob("*.batch")))

    def test_a_submission_that_fails_at_first_is_repeated(self):
        self.choose("refuse", 2)
        done = self.tune()
        self.assert_same(done)
        self.assertIn("job submit limit", done.stderr)
        self.assertEqual(self.batches(), 1)

    def test_a_submission_that_succeeded_though_it_said_otherwise_is_not_repeated(self):
        self.choose("lie", 1)
        self.assert_same(self.tune())
        self.assertEqual(self.batches(), 1)

    def test_a_queue_that_never_answers_ends_the_study_which_goes_on_later(self):
        self.choose("deaf", 1000)
        done = self.tune()
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("squeue failed 12 times, and never succeeded: slurm_load_jobs error", done.stderr)
        self.assertEqual(self.batches(), 0)
        self.choose("deaf", 5)
        self.assert_same(self.tune())

    def test_a_queue_that_does_not_answer_stops_nothing(self):
        driver = self.begin()
        self.assertTrue(wait_for(lambda: self.results() >= 4), "no results")
        self.choose("deaf", 1000)
        self.assertTrue(wait_for(lambda: self.results() >= 12 or driver.poll() is not None), "no more results")
        self.choose("deaf", 0)
        done = self.finish(driver)
        self.assert_same(done)
        self.assertEqual(self.batches(), 1)

    def test_jobs_without_workers_end_the_study_with_what_they_printed(self):
        self.study = self.write(study("prologue: ['echo there is no module cuda', 'exit 1']"))
        done = self.tune()
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("jobs in a row brought no worker", done.stderr)
        self.assertIn("there is no module cuda", done.stderr)

    def test_no_slurm_at_all(self):
        self.environment = {"PATH": str(self.folder)}
        done = self.tune()
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("there is no Slurm here", done.stderr)

    def test_an_answer_that_is_none(self):
        self.choose("states", "squeue: something else\n")
        done = self.tune()
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertIn("squeue printed", done.stderr)

    def test_workers_without_work_give_their_places_back(self):
        text = study("idle: 0.3").replace("lanes: 4, pruner: {op: asha, eta: 3, min_budget: 1, max_budget: 9}",
                                          "lanes: 4, pruner: none").replace("trials: 24", "trials: 5")
        text = text.replace("sleep: 0.05", "sleep: 0.2")  # four at once, then one alone for two seconds
        self.study = self.write(text)
        driver = self.begin()
        alone = wait_for(lambda: self.workers() == 1, 30)
        done = self.finish(driver)
        self.assertTrue(alone, done.stderr)
        self.assert_same(done, text)

    def workers(self):
        count = 0
        for path in self.place.glob("*.job"):
            try:
                count += Path(f"/proc/{path.read_text()}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
            except OSError:
                continue
        return count if self.batches() else -1

    def test_the_script_is_shown_and_nothing_started(self):
        done = self.run_dlrun("tune", self.study, "--store", self.store, "--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("#SBATCH --job-name=dlrun-sphere-", done.stdout)
        self.assertFalse(self.store.exists())

    def test_where_workers_work_is_for_the_jobs_shell_to_say(self):
        self.study = self.write(study("scratch: $TMPDIR/a b"))
        done = self.run_dlrun("tune", self.study, "--store", self.store, "--dry-run")
        self.assertIn(' --scratch "$TMPDIR/a b" --job ', done.stdout)
        self.study = self.write(study("scratch: $TMPDIR/`id`"))
        done = self.run_dlrun("tune", self.study, "--store", self.store, "--dry-run")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("executor.slurm.scratch", done.stderr)

    def test_workers_that_belong_to_no_job_are_sent_away(self):
        driver = self.begin()
        self.assertTrue(wait_for(lambda: self.results() >= 2), "no results")
        worker = shutil.which("dlrun-worker", path=os.environ.get("DLRUN_BIN", "build/release/bin"))
        done = subprocess.run([worker, "--endpoint", self.store / "studies" / "sphere.endpoint"], text=True,
                              stderr=subprocess.PIPE, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("workers are jobs of Slurm", done.stderr)
        self.assert_same(self.finish(driver))


if __name__ == "__main__":
    unittest.main()
