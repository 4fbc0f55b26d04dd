# SPDX-License-Identifier: Apache-2.0
"""Ranks as processes: killed, held still and led into NaN. A piece begins again from its last checkpoint, with the same bits
where all ranks step together."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import gangs  # noqa: E402
from gangs import ranks  # noqa: E402
from support import DIGITS, HAS_TRAINER, Folder, is_stopped, kill, signal  # noqa: E402


@unittest.skipUnless(HAS_TRAINER, "nothing trains here")
class GangTest(Folder):
    def study(self, op="ar_sgd", lr=0.02, hang=60):
        return self.write(gangs.study(op, lr, hang), f"{op}.yaml")

    def stop_rank(self, number, driver):
        """A rank that stands still, before the gang has made an epoch without it."""
        pid = self.await_(f"rank {number}", lambda: ranks().get(number), driver)
        kill(pid, signal.SIGSTOP)
        self.await_(f"that rank {number} stands still", lambda: is_stopped(pid), driver)
        return pid

    def test_a_killed_rank_costs_an_attempt_and_no_bit(self):
        for op, victim, name in (("ar_sgd", 2, "rank 2"), ("bsp", 3, "server 0"), ("ar_sgd, reduce: gloo", 2, "rank 2")):
            with self.subTest(op=op):
                study = self.study(op)
                self.assertEqual(self.tune(study, f"{op}-calm").returncode, 0)
                driver = self.start("tune", study, "--store", f"{op}-hurt")
                kill(self.stop_rank(victim, driver))
                self.end_of(driver)
                self.assertEqual(self.logical(f"{op}-hurt"), self.logical(f"{op}-calm"))
                attempts = self.ask("select cause, message from v_attempts order by attempt", f"{op}-hurt")
                self.assertEqual(attempts[0], ("worker_lost", f"{name} ended by signal 9 (Killed)"))
                self.assertIsNone(attempts[1][0])

    def test_a_rank_whose_data_are_not_the_study_s_trains_nothing(self):
        """The first process of a gang alone compared the data, and ranks of other machines trained on what they had."""
        data = self.folder / "own.csv.gz"
        data.write_bytes(DIGITS.read_bytes())
        study = self.write(gangs.study().replace("DIGITS", data.name), "own.yaml")
        driver = self.start("tune", study, "--store", "hurt")
        victim = self.stop_rank(2, driver)
        whole = bytearray(data.read_bytes())
        whole[4] ^= 1  # the time in gzip's header: the same numbers, another file
        data.write_bytes(whole)
        kill(victim)  # the first process has the data, the next rank 2 reads them anew
        self.assertRegex(self.end_of(driver, code=75), r"rank [12]: the data is not what it was: its sha256 is ")
        self.assertEqual(self.ask("select count(*) from v_trials where state = 'failed'", "hurt"), [(0,)])

    def test_a_rank_that_hangs_is_named(self):
        study = self.write(gangs.study(hang=15).replace("epochs: 6", "epochs: 100000"), "long.yaml")
        driver = self.start("tune", study, "--store", "hurt")
        logs = self.folder / "hurt/studies/gang/trials/0"
        self.await_("an epoch", lambda: any("epoch 1: " in log.read_text() for log in logs.glob("*/attempt.log")), driver)
        self.stop_rank(1, driver)
        self.assertRegex(self.end_of(driver, code=1), r"trial 0 failed: hangs: no step for \S+ s; rank 1 does not answer")
        self.assertEqual(self.ask("select cause from v_attempts", "hurt"), [("timeout",)])
        self.await_("the end of all ranks", lambda: not ranks())

    def test_a_retry_that_depends_on_who_is_faster_is_no_divergence(self):
        driver = self.start("tune", self.study("aladdin"), "--store", "hurt")
        kill(self.stop_rank(2, driver))
        self.assertNotIn("an earlier attempt measured", self.end_of(driver))
        self.assertEqual(self.count("v_divergences", "hurt"), 0)
        self.assertEqual(self.count("v_attempts", "hurt"), 2)

    def test_a_record_is_that_of_the_attempt_that_counts(self):
        text = gangs.study("aladdin").replace("cluster: processes", "cluster: {op: processes, record: true}")
        study = self.write(text.replace("epochs: 6", "epochs: 40"), "record.yaml")
        driver = self.start("tune", study, "--store", "hurt")
        logs = self.folder / "hurt/studies/gang/trials/0"
        self.await_("an epoch", lambda: any("epoch 2: " in log.read_text() for log in logs.glob("*/attempt.log")), driver)
        kill(self.await_("rank 2", lambda: ranks().get(2), driver))
        self.end_of(driver)
        self.assertEqual(self.count("v_attempts", "hurt"), 2)
        self.assertEqual(self.ask("select count(*), min(step), max(step) from v_artifacts where role = 'record'", "hurt"),
                         [(40, 1, 40)])
        done = self.run_dlrun("reproduce", "gang/0", "--store", "hurt")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("reproduced: ", done.stdout)

    def elastic(self, op):
        return self.write(gangs.study(op, more=", on_loss: elastic"), f"{op}.yaml")

    def log_of(self, store):
        return self.run_dlrun("logs", "gang/0", "--store", store).stdout

    def test_the_others_go_on_without_a_rank_and_have_it_back_for_the_next_epoch(self):
        for op in ("ar_sgd", "sgp", "asp", "aladdin"):
            with self.subTest(op=op):
                driver = self.start("tune", self.elastic(op), "--store", op)
                kill(self.stop_rank(2, driver))
                self.end_of(driver)
                self.assertEqual(self.ask("select cause from v_attempts", op), [(None,)])
                log = [line for line in self.log_of(op).splitlines() if "processes" in line]
                self.assertEqual(len(log), 6)
                self.assertEqual([line.count("rank 2 was lost, 2 went on, next update after") for line in log].count(1), 1)
                self.assertRegex(log[-1], r"rank 2: \d+ gradients")
                (accuracy,), = self.ask("select value from v_metrics where metric = 'val.accuracy' and step = 6", op)
                self.assertGreater(accuracy, 0.5)
                numbers = [row[0] for row in self.ask("select group_concat(number) from (select step, number from v_ranks "
                                                      "where role = 'rank' order by 1, 2) group by step", op)]
                self.assertEqual(sorted(numbers), ["0,1"] + 5 * ["0,1,2"])

    def test_a_rank_is_lost_while_others_train(self):
        for op in ("bsp", "gosgd"):
            with self.subTest(op=op):
                study = self.elastic(op)
                study.write_text(study.read_text().replace("epochs: 6", "epochs: 100"))
                driver = self.start("tune", study, "--store", op)
                self.await_("an epoch", lambda: self.count("v_metrics", op) > 0, driver)
                kill(self.stop_rank(1, driver))
                self.end_of(driver)
                self.assertEqual(self.ask("select cause from v_attempts", op), [(None,)])
                self.assertEqual(self.log_of(op).count("rank 1 was lost, 2 went on"), 1)

    def test_two_ranks_are_lost_one_after_the_other(self):
        driver = self.start("tune", self.elastic("aladdin"), "--store", "store")
        victims = [self.stop_rank(number, driver) for number in (2, 1)]
        for victim in victims:
            kill(victim)
        self.end_of(driver)
        self.assertEqual(self.ask("select cause from v_attempts"), [(None,)])
        self.assertIn("1 went on, next update after", self.log_of("store"))

    def test_a_server_that_is_lost_takes_the_attempt_with_it(self):
        driver = self.start("tune", self.elastic("asp"), "--store", "store")
        kill(self.stop_rank(3, driver))
        self.end_of(driver)
        self.assertEqual(self.ask("select cause from v_attempts order by attempt"), [("worker_lost",), (None,)])

    def test_nan_on_any_rank_ends_the_trial(self):
        for op in ("ar_sgd", "asp", "ar_sgd, reduce: gloo"):
            with self.subTest(op=op):
                done = self.run_dlrun("tune", self.study(op, lr="1.0e+30"), "--store", op)
                self.assertIn("training diverged: train.loss is", done.stderr)
                self.assertEqual(self.ask("select cause from v_attempts", op), [("nan",)])

    def test_no_rank_outlives_its_worker(self):
        driver = self.start("tune", self.study(), "--store", "store")
        self.stop_rank(1, driver)
        self.kill(driver)
        self.await_("the end of all ranks", lambda: not ranks())


if __name__ == "__main__":
    unittest.main()
