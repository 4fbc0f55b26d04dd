# SPDX-License-Identifier: Apache-2.0
"""Studies whose workers are jobs of Slurm: of a real one on loopback, and of one whose answers are chosen. Whatever happens
there, the export is that of the study on this machine's own workers, and no job is left."""
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import fake_slurm
import gangs
import slurm_cluster
from support import BIN, DIGITS, FUNCTION_STUDY, GATED_STUDY, HAS_TRAINER, TRAIN_STUDY, Folder, is_stopped, kill, state_of

IS_LONG = os.environ.get("DLRUN_FAULTS") == "long"
EXECUTOR = "executor: {slurm: {poll: 0.2, listen: 127.0.0.1EXTRA}}\n"
STUDY = FUNCTION_STUDY.replace("lanes: 8", "lanes: 4").replace("trials: 60", "trials: 24") + EXECUTOR
GATED = GATED_STUDY.replace("lanes: 8", "lanes: 4").replace("trials: 30", "trials: 24") + EXECUTOR

# Ranks that add up what each of them has, as torch.distributed's all_reduce does. All report, and only the first is heard.
# Rank 1 loses its host in the first attempt of trial 1, and fails in trial 2.
ALL_REDUCE = """\
import json, os, socket, sys
x, rank, ranks, trial = float(sys.argv[1]), int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), os.environ["DLRUN_TRIAL"]
if rank == 1 and trial == "1" and os.environ["DLRUN_ATTEMPT"] == "1":
    os.kill(os.getppid(), 9)
if rank == 1 and trial == "2":
    sys.exit("rank 1 fails")
place, mine = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])), x * (rank + 1)
if rank == 0:
    server = socket.create_server(place)
    peers = [server.accept()[0] for _ in range(ranks - 1)]
    total = mine + sum(float(peer.makefile().readline()) for peer in peers)
    for peer in peers:
        peer.sendall(f"{total!r}\\n".encode())
else:
    while True:
        try:
            peer = socket.create_connection(place)
            break
        except ConnectionRefusedError:
            pass
    peer.sendall(f"{mine!r}\\n".encode())
    total = float(peer.makefile().readline())
print(f"::dlrun {json.dumps({'metric': 'total', 'step': 1, 'value': total + 100 * rank})}")
print(json.dumps({"metric": "node", "step": 1, "value": int(os.environ["SLURMD_NODENAME"][1:])}), file=os.fdopen(3, "w"))
"""
GROUP = """\
study: sphere
seed: 7
objective: {metric: total, direction: minimize}
space: {x: {type: float, low: 0, high: 1}}
search: {sampler: random, lanes: 2}
limits: {trials: 4, failures: 1}
resources: {nodes: 2}
trial: {kind: command, command: [python3, all_reduce.py, "{x}"]}
""" + EXECUTOR


# The first attempt saves when it is told to end, and ends well. The next one goes on from there.
SAVES = """\
if mkdir began-$DLRUN_TRIAL; then
  trap 'echo {\\"checkpoint\\": \\"$PWD/saved-$DLRUN_TRIAL\\", \\"step\\": 1} >&3; exit 0' TERM
  touch saved-$DLRUN_TRIAL
  echo '::dlrun {"metric": "value", "step": 1, "value": 0}'
  while :; do sleep 0.05; done
fi
echo '::dlrun {"metric": "value", "step": 2, "value": 1}'
"""
SAVING = """\
study: sphere
objective: {metric: value, direction: minimize}
space: {x: {type: float, low: 0, high: 1}}
search: {sampler: random, lanes: 2}
limits: {trials: 2}
trial: {kind: command, command: [sh, save.sh, "{x}"], epochs: 2}
""" + EXECUTOR


def study(extra="", text=STUDY):
    return text.replace("EXTRA", extra and ", " + extra)


class OnSlurm(Folder):
    environment = {}

    def setUp(self):
        super().setUp()
        self.study = self.write(study())
        self.store = self.folder / "store"

    def expected(self):
        """The same study on this machine's workers."""
        path = self.study.replace(self.folder / "calm.yaml")
        done = self.run_dlrun("tune", path, "--executor", "local", "--workers", 4, "--store", self.folder / "calm")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.digest(self.folder / "calm")

    def begin(self, *arguments):
        return self.start("tune", self.study, "--store", self.store, *arguments, env={**os.environ, **self.environment})

    def tune(self, *arguments):
        return self.finish(self.begin(*arguments))

    def begin_held(self, results, trial, text=None):
        """A driver whose study has so many measurements and cannot end, for no piece of the trial and later ones does."""
        self.study = self.write_gated(text or study(text=GATED))
        self.hold_from(trial)
        driver = self.begin()
        self.await_results(results, driver)
        return driver

    def await_results(self, count, driver):
        self.await_(f"{count} results", lambda: self.count("v_metrics") >= count, while_runs=driver)

    def sql(self, statement):
        done = self.run_dlrun("report", "--sql", statement, "--format", "csv", "--store", self.store)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()[1:]

    def assert_same(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.digest(self.store), self.expected())


@unittest.skipUnless(slurm_cluster.is_installed(), "no Slurm is installed here")
class OnCluster(OnSlurm):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
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

    def setUp(self):
        super().setUp()
        self.cluster.put_back_drained()

    def tearDown(self):
        self.await_("the end of all jobs", lambda: not self.cluster.jobs())


class RealTest(OnCluster):
    def running_jobs(self, least=1):
        return self.await_(f"{least} jobs that run", lambda: (jobs := self.cluster.jobs("RUNNING"))[least - 1:] and jobs)

    def tell_jobs_to_leave(self):
        for job in self.running_jobs():
            self.cluster.ask("scancel", "--batch", "--signal=USR1", job)

    def test_a_cluster_changes_nothing(self):
        self.assert_same(self.tune())
        self.assertEqual(self.cluster.jobs(), [])
        states = self.cluster.ask("squeue", "-h", "-r", "--states=all", "-o", "%T").split()
        self.assertNotIn("CANCELLED", states)  # workers were told, and ended by themselves

    def test_workers_share_jobs_that_share_a_limit(self):
        self.study = self.write(study("workers_per_job: 2, jobs: 1"))
        self.assert_same(self.tune())
        self.assertEqual(self.sql("select count(distinct worker) n from attempts"), ["2"])

    def test_jobs_come_and_go_and_the_controller_with_them(self):
        driver = self.begin_held(4, trial=12)
        jobs = self.running_jobs(4)
        self.cluster.ask("scancel", jobs[0])
        self.cluster.ask("scontrol", "requeue", jobs[1])
        self.cluster.kill_controller()
        before = self.count("v_metrics")
        self.hold_from(20)
        self.await_results(before + 1, driver)
        self.cluster.start_controller()
        self.open_gate()
        self.assert_same(self.finish(driver))

    def test_a_job_that_is_told_to_leave_saves_and_is_no_loss(self):
        driver = self.begin_held(3, trial=6)
        for enough in (8, 13):
            self.tell_jobs_to_leave()
            self.hold_from(enough + 3)
            self.await_results(enough, driver)
        self.tell_jobs_to_leave()
        self.open_gate()
        self.assert_same(self.finish(driver))
        self.assertEqual(self.sql("select distinct cause from attempts where cause not null"), ["preempted"])

    def test_a_driver_that_was_killed_takes_its_jobs_over(self):
        driver = self.begin_held(4, trial=12)
        before = set(self.running_jobs(4))
        # A worker that is refused by a dying driver before it has joined ends, and its job is replaced.
        self.await_("workers of all jobs", lambda: self.count("dl_worker WHERE state = 'joined'") >= 4, while_runs=driver)
        self.kill(driver)
        driver = self.begin()
        self.open_gate()
        self.assert_same(self.finish(driver))
        after = self.cluster.ask("squeue", "-h", "-r", "--states=all", "--me", "-o", "%i %o").splitlines()
        ours = [line.split()[0] for line in after if str(self.store) in line]
        self.assertLessEqual(set(ours), before)  # nothing was submitted anew

    def test_ctrl_c_leaves_no_job(self):
        driver = self.begin_held(4, trial=12)
        driver.send_signal(signal.SIGINT)
        self.end_of(driver, 130)
        self.assertEqual(self.cluster.jobs(), [])
        self.open_gate()
        self.assert_same(self.tune())

    def test_two_ctrl_c_leave_no_job_either(self):
        driver = self.begin_held(4, trial=12)
        driver.send_signal(signal.SIGINT)
        driver.send_signal(signal.SIGINT)
        self.end_of(driver, 130)
        self.await_("the end of all jobs", lambda: not self.cluster.jobs())
        self.open_gate()
        self.assert_same(self.tune())

    def test_a_program_runs_on_two_hosts_or_on_none(self):
        (self.folder / "all_reduce.py").write_text(ALL_REDUCE)
        self.study = self.write(study(text=GROUP))
        done = self.tune("--workers", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.sql("select trial from trials join params using (trial) where abs(objective - 3 * value) < 1e-9 order by trial"), ["0", "1", "3"])
        self.assertEqual(self.sql("select distinct value from metrics where metric = 'node'"), ["1.0"])
        self.assertEqual(self.sql("select trial, cause from attempts where cause not null order by trial"),
                         ["1,worker_lost", "2,exception"])
        self.assertIn("rank 1 on n2 was lost", self.ask("select message from v_attempts where cause = 'worker_lost'")[0][0])

    @unittest.skipUnless(HAS_TRAINER, "no trainer here")
    def test_ranks_of_two_hosts_have_the_bits_of_one(self):
        for op, cluster in (("ar_sgd", "processes"), ("bsp", "{op: processes, encrypt: false}")):
            with self.subTest(op=op):
                text = gangs.study(op).replace("cluster: processes", f"cluster: {cluster}")
                calm = self.write(text.replace(f"cluster: {cluster}", "cluster: processes"), "calm.yaml")
                done = self.run_dlrun("tune", calm, "--store", f"{op}-calm")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.study = self.write(study(text=text + EXECUTOR + "resources: {nodes: 2}\n"))
                self.store = self.folder / op
                done = self.tune()
                self.assertEqual(done.returncode, 0, done.stderr)
                values = "select metric, step, value from v_metrics order by metric, step"
                self.assertEqual(self.ask(values, op), self.ask(values, f"{op}-calm"))
                costs = "select step, number, gradients, updates, sent from v_ranks where role = 'rank' order by 1, 2"
                self.assertEqual(len(self.ask(costs, op)), 18)
                self.assertEqual(self.ask(costs, op), self.ask(costs, f"{op}-calm"))
                self.assertEqual(self.count("v_attempts", op), 1)

    @unittest.skipUnless(HAS_TRAINER, "no trainer here")
    def test_ranks_of_another_host_are_lost(self):
        for more, causes in (("", [("worker_lost",), (None,)]), (", on_loss: elastic", [(None,)])):
            with self.subTest(more=more):
                text = gangs.study(more=more).replace("epochs: 6", "epochs: 100")
                self.study = self.write(study(text=text + EXECUTOR + "resources: {nodes: 2}\n"))
                self.store = self.folder / f"store{len(causes)}"
                driver = self.begin()
                self.await_("an epoch", lambda: self.count("v_metrics", self.store) > 0, driver)
                rank = self.await_("the rank of the other host", lambda: gangs.ranks().get(-1), driver)
                kill(rank, signal.SIGSTOP)
                self.await_("that it stands still", lambda: is_stopped(rank), driver)
                kill(rank)
                done = self.finish(driver)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.ask("select cause from v_attempts order by attempt", self.store), causes)
                self.assertEqual(gangs.ranks(), {})

    def test_what_sbatch_refuses_is_said(self):
        self.study = self.write(study("partition: nowhere"))
        done = self.tune()
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("sbatch refuses our jobs", done.stderr)
        self.assertIn("nvalid partition", done.stderr)

    @unittest.skipUnless(HAS_TRAINER, "no trainer here")
    def test_training_goes_on_from_what_was_saved(self):
        self.study = self.write(TRAIN_STUDY + study(text=EXECUTOR))
        driver = self.begin("--workers", "2")
        self.await_results(10, driver)
        self.tell_jobs_to_leave()
        self.assert_same(self.finish(driver))

    @unittest.skipUnless(HAS_TRAINER, "no trainer here")
    def test_training_in_a_folder_of_the_node(self):
        scratch = self.folder / "scratch"
        self.study = self.write(TRAIN_STUDY + study(f"scratch: $NODE_DISK/dlrun, prologue: [export NODE_DISK={scratch}]",
                                                    EXECUTOR))
        driver = self.begin("--workers", "2")
        self.await_("a folder for each worker", lambda: len(list(scratch.glob("dlrun/*"))) == 2, while_runs=driver)
        self.await_results(10, driver)
        self.tell_jobs_to_leave()
        self.assert_same(self.finish(driver))
        self.assertEqual(list((scratch / "dlrun").iterdir()), [])

    @unittest.skipUnless(IS_LONG, "takes a minute")
    def test_a_node_that_dies(self):
        driver = self.begin_held(4, trial=12)
        self.cluster.kill("slurmd-n1.pid")
        self.open_gate()
        self.assert_same(self.finish(driver))
        self.cluster.start_node(1)

    @unittest.skipUnless(IS_LONG, "takes two minutes")
    def test_jobs_whose_time_is_up(self):
        driver = self.begin_held(4, trial=12, text=study("time: 1, notice: 30s", GATED))
        self.await_("a job whose time is up", lambda: self.ask("select 1 from v_attempts where cause = 'preempted'"), driver)
        self.open_gate()
        self.assert_same(self.finish(driver))


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
        with fake_slurm.locked(self.place):
            (self.place / name).write_text(str(value))

    def batches(self):
        return len(list(self.place.glob("*.batch")))

    def test_a_submission_that_fails_at_first_is_repeated(self):
        self.choose("refuse", 2)
        done = self.tune()
        self.assert_same(done)
        self.assertIn("job submit limit", done.stderr)
        self.assertEqual(self.batches(), 1)

    def test_a_submission_of_which_the_queue_shows_a_part_is_not_repeated(self):
        self.choose("slow", 1)
        driver = self.begin_held(4, trial=12)
        self.await_("all jobs in the queue", lambda: len(list(self.place.glob("*.job"))) >= 4, while_runs=driver)
        self.open_gate()
        self.assert_same(self.finish(driver))
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
        driver = self.begin_held(4, trial=12)
        self.choose("deaf", 1000)
        self.hold_from(20)
        self.await_results(16, driver)
        self.choose("deaf", 0)
        self.open_gate()
        self.assert_same(self.finish(driver))
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
        """Four have work at once, then one alone."""
        text = study("idle: 0.3", GATED).replace(", pruner: {op: asha, eta: 3, min_budget: 1, max_budget: 9}", "")
        driver = self.begin_held(4 * 9, trial=4, text=text.replace("trials: 24", "trials: 5"))
        self.await_("three workers less", lambda: self.workers() == 1, while_runs=driver)
        self.open_gate()
        self.assert_same(self.finish(driver))

    def test_a_program_of_a_job_that_is_ended_saves_and_is_no_loss(self):
        for extra in ("", "workers_per_job: 2"):
            with self.subTest(extra=extra):
                (self.folder / "save.sh").write_text(SAVES)
                self.study = self.write(study(extra, SAVING))
                self.store = self.folder / f"store {extra}"
                driver = self.begin("--workers", "2")
                self.await_("two programs", lambda: len(list(self.folder.glob("began-*"))) == 2, while_runs=driver)
                self.end_jobs()
                done = self.finish(driver)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.ask("select trial, attempt, cause, state from v_attempts order by 1, 2", self.store),
                                 [(0, 1, "preempted", "lost"), (0, 2, None, "completed"),
                                  (1, 1, "preempted", "lost"), (1, 2, None, "completed")])
                self.assertEqual(self.ask("select step, value from v_metrics order by trial, step", self.store), [(1, 0.0), (2, 1.0)] * 2)
                for path in self.folder.glob("began-*"):
                    path.rmdir()

    def workers(self):
        return sum(state_of(path.read_text()) != "Z" for path in self.place.glob("*.job"))

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
        driver = self.begin_held(2, trial=12)
        worker = self.start_program(BIN / "dlrun-worker", "--endpoint", self.store / "studies" / "sphere.endpoint")
        self.assertIn("workers are jobs of Slurm", self.end_of(worker, 2))
        self.open_gate()
        self.assert_same(self.finish(driver))


if __name__ == "__main__":
    unittest.main()
