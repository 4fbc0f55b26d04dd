#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Executors that are plugins. `processes` is what `dlrun plugins new executor` writes: whatever happens to its workers and
to the driver, the export is that of dlrun's own workers, and no worker is left. Faults of `bad_executor` hurt nobody."""
import hashlib
import os
import re
import signal
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from support import BIN, GATED_STUDY, Folder, files_of_processes, kill, stat_of  # noqa: E402

STUDY = """\
study: sphere
seed: 7
objective: {metric: value, direction: minimize}
space: {x: {type: float, low: -1.0, high: 1.0}, y: {type: float, low: -1.0, high: 1.0}}
search: {sampler: random, lanes: 4, pruner: {op: asha, eta: 3, min_budget: 1, max_budget: 9}}
limits: {trials: 24}
executor: {EXECUTOR}
trial: {kind: function, function: {op: sphere}, epochs: 9}
"""
PROCESSES = "processes: {poll: 0.2, listen: 127.0.0.1EXTRA}"
BAD = "bad_executor: {poll: 0.2, listen: 127.0.0.1, EXTRA}"
USAGE, NO_WORKER, OUTSIDE = 2, 5, 75
FAULTS = {
    "how: throw": "failed in start: the host is asleep",
    "how: throw, after: 1": "failed in start: the host is asleep",
    "how: throw, in: state": "failed in state: the host is asleep",
    "how: odd": "failed in start: an exception that is no std::exception",
    "how: constructor": "failed in its constructor: the moon is wrong",
    "how: crash, after: 1": "ended by signal 11 (Segmentation fault) in start",
    "how: crash, in: state": "ended by signal 11 (Segmentation fault) in state",
    "how: hang": "gave no answer within 1 s in start",
    "how: hang, in: state": "gave no answer within 1 s in state",
    "how: empty": "gave an empty handle in start",
    "how: empty, in: state": "states for",
    "how: same": "' to two workers",
    "how: bytes": "gave a handle that is no valid UTF-8 in start",
    "how: bytes, in: state": "gave a state that is none in state",
    "how: unknown, in: state": "gave a state that is none in state",
}


class Executors(Folder):

    def setUp(self):
        super().setUp()
        self.environment = {**os.environ, "DLRUN_PLUGIN_DEADLINE": "60"}
        self.store = self.folder / "store"

    def study(self, executor=PROCESSES, extra="", text=STUDY, name="study.yaml"):
        executor = executor.replace("EXTRA", extra and (extra if "bad" in executor else f", {extra}"))
        return self.write(text.replace("EXECUTOR", executor), name)

    def gated(self, extra=""):
        text = GATED_STUDY.replace("lanes: 8", "lanes: 4").replace("trials: 30", "trials: 24")
        self.write_gated(text)
        return self.study(extra=extra, text=text + "executor: {EXECUTOR}\n")

    def dlrun(self, *words, code=0):
        done = self.run_dlrun(*words, env=self.environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def begin(self, study, *words):
        return self.start("tune", study, "-q", "--store", self.store, *words, env=self.environment)

    def begin_held(self, study, results, trial):
        """A driver with so many measurements, and four workers; no piece of the trial and later ones ends."""
        self.hold_from(trial)
        driver = self.begin(study)
        self.await_(f"{results} results", lambda: self.count("v_metrics") >= results, driver)
        self.await_("four workers", lambda: len(self.workers()) == 4, driver)
        return driver

    def assert_same(self, study, store="store"):
        """The export is that of the same study on dlrun's own workers."""
        self.dlrun("tune", study, "-q", "--executor", "local", "--workers", "2", "--store", "calm")
        self.assertEqual(self.logical(store), self.logical("calm"))

    def results(self, store):
        """The export without the line of the study, which says where workers ran."""
        return self.logical(store).splitlines()[1:]

    def workers(self, store="store"):
        """Process numbers of the workers that run for this store. What a worker has forked has its words until it begins a
        program."""
        found, endpoint = {}, str(self.folder / store / "studies" / "sphere.endpoint").encode()
        for path in files_of_processes("cmdline"):
            try:
                words, number = path.read_bytes().split(b"\0"), int(path.parent.name)
                if words[0].endswith(b"dlrun-worker") and words[1:3] == [b"--endpoint", endpoint]:
                    found[number] = stat_of(number)[2]
            except OSError:
                continue
        return [number for number, parent in found.items() if parent not in found]

    def words_of(self, worker):
        """Words of the command line behind the endpoint."""
        return Path(f"/proc/{worker}/cmdline").read_text().split("\0")[3:]

    def logs(self):
        return {path.name for path in self.store.glob("studies/sphere/workers/*.log")}

    def assert_nobody_left(self, store="store"):
        self.await_("the end of all workers", lambda: not self.workers(store))

    # ---- a place that works

    def test_same_on_one_and_four_workers(self):
        study = self.study()
        for workers in ("1", "4"):
            done = self.dlrun("tune", study, "--store", workers, "--workers", workers)
            self.assertIn("the plugin 'processes' 0.1.0 (", done.stderr)
            self.assertEqual(self.workers(workers), [])
            self.assert_same(study, workers)
        self.dlrun("verify", "--store", "4")

    def test_the_executor_is_in_the_lineage(self):
        study = self.gated()
        driver = self.begin_held(study, 4, trial=12)
        driver.send_signal(signal.SIGINT)
        self.end_of(driver, 130)
        self.open_gate()
        self.end_of(self.start("resume", "-q", "--store", self.store, "--executor", "local", env=self.environment))
        files = [Path(folder) / "processes.so" for folder in os.environ["DLRUN_PLUGINS"].split(":")]
        sha256, = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.exists()]
        self.assertEqual(self.ask("select executor, executor_version, executor_sha256 from v_environment order by driver"),
                         [("processes", "0.1.0", sha256), ("local", None, None)])
        shown = f"processes 0.1.0 ({sha256[:12]})"
        self.assertRegex(self.dlrun("show", "0", "--store", self.store).stdout, rf"executor +{re.escape(shown)}")
        self.assertNotIn("executor", self.dlrun("show", "20", "--store", self.store).stdout)
        page = self.folder / "page.html"
        self.dlrun("report", "--store", self.store, "--html", page)
        self.assertIn(shown, page.read_text())

    def test_a_worker_that_dies_is_replaced(self):
        study = self.gated()
        driver = self.begin_held(study, 4, trial=12)
        before, dead = self.logs(), self.workers()[0]
        kill(dead)
        self.await_("another worker", lambda: len(self.logs() - before) == 1 and len(self.workers()) == 4, driver)
        self.open_gate()
        self.end_of(driver)
        self.assert_same(study)
        causes = {message for message, in self.ask("select message from v_attempts where cause = 'worker_lost'")}
        # Another worker may have borrowed a program of the dead one, whose keeper ends with it.
        causes.discard("the process that keeps the program has ended")
        self.assertEqual(causes, {"it ended with code 137 (killed by a signal)"})

    def test_a_driver_that_was_killed_takes_its_workers_over(self):
        study = self.gated()
        driver = self.begin_held(study, 4, trial=12)
        workers, logs = set(self.workers()), self.logs()
        self.kill(driver)
        driver = self.begin(study)
        self.await_("workers that are back", lambda: self.count("dl_worker WHERE state = 'joined'") >= 8, driver)
        self.assertEqual(set(self.workers()), workers)
        self.open_gate()
        self.end_of(driver)
        self.assertEqual(self.logs(), logs)
        self.assert_same(study)
        self.assert_nobody_left()

    def test_ctrl_c_leaves_no_worker(self):
        study = self.gated()
        for signals in (1, 2):
            driver = self.begin_held(study, 4 * signals, trial=12)
            for _ in range(signals):
                driver.send_signal(signal.SIGINT)
            self.end_of(driver, 130)
            self.assert_nobody_left()
        self.open_gate()
        self.dlrun("tune", study, "-q", "--store", self.store)
        self.assert_same(study)

    def test_another_place_goes_on(self):
        """Where workers run is no part of a study."""
        study = self.gated()
        driver = self.begin_held(study, 4, trial=12)
        driver.send_signal(signal.SIGINT)
        self.end_of(driver, 130)
        self.open_gate()
        without = {**self.environment, "DLRUN_PLUGINS": ""}
        self.assertIn("there is no executor 'processes'", self.end_of(self.start("resume", "--store", self.store, env=without), USAGE))
        self.end_of(self.start("resume", "--store", self.store, "--executor", "local", env=without))
        self.assert_same(study)

    def test_fewer_places_than_workers(self):
        study = self.study(extra="jobs: 1")
        self.dlrun("tune", study, "-q", "--store", self.store)
        self.assertEqual(len(self.logs()), 1)
        self.assert_same(study)
        self.dlrun("tune", self.study(BAD, "how: full"), "-q", "--store", "full", "--workers", "2")
        self.assertEqual(self.results("full"), self.results("calm"))

    def test_scratch_and_idle(self):
        """Workers work in their own folder, and give their places back where nothing is left for them."""
        scratch = self.folder / "scratch"
        scratch.mkdir()
        study = self.gated(f"scratch: {scratch}, idle: 0.1")
        self.hold_from(0)
        driver = self.begin(study)
        self.await_("four workers", lambda: len(self.workers()) == 4 and len(list(scratch.iterdir())) == 4, driver)
        for worker in self.workers():
            self.assertEqual(self.words_of(worker)[:2], ["--scratch", str(scratch)])
        self.hold_from(23)
        self.await_("workers that leave", lambda: len(self.workers()) == 1, driver)
        self.open_gate()
        self.end_of(driver)
        self.assert_same(study)
        self.assertEqual(list(scratch.iterdir()), [])

    def test_workers_that_it_did_not_start_are_sent_away(self):
        driver = self.begin_held(self.gated(), 2, trial=12)
        worker = self.start_program(BIN / "dlrun-worker", "--endpoint", self.store / "studies" / "sphere.endpoint")
        self.assertIn("workers are started by the plugin 'processes'", self.end_of(worker, 2))
        self.open_gate()
        self.end_of(driver)

    # ---- faults

    def test_faults_stop_the_run(self):
        self.dlrun("tune", self.study(), "-q", "--executor", "local", "--store", "calm")
        for number, (how, text) in enumerate(FAULTS.items()):
            with self.subTest(how):
                store = f"bad{number}"
                self.environment["DLRUN_PLUGIN_DEADLINE"] = "1" if "hang" in how else "60"
                done = self.dlrun("tune", self.study(BAD, how), "-q", "--store", store, "--workers", "2", code=OUTSIDE)
                self.assertIn("plugin 'bad_executor' ", done.stderr)
                self.assertIn(text, done.stderr)
                self.assertIn("--executor local", done.stderr)
                self.dlrun("verify", "--store", store)
                self.dlrun("resume", "-q", "--executor", "local", "--store", store)
                self.assertEqual(self.results(store), self.results("calm"))

    def test_workers_that_end_early_end_the_study(self):
        done = self.dlrun("tune", self.study(BAD, "how: early"), "-q", "--store", self.store, code=NO_WORKER)
        self.assertIn("3 workers in a row that 'bad_executor' started ended before they were ready", done.stderr)

    def test_keys_are_checked(self):
        cases = {PROCESSES.replace("poll", "nise"): "did you mean 'nice'?",
                 PROCESSES.replace("0.2", "0"): "'executor.processes.poll' must be",
                 "proceses: {}": "did you mean 'processes'?",
                 "processes: {poll: 0.2}, proceses: {}": "did you mean 'processes'?",
                 PROCESSES.replace("EXTRA", "") + ", slurm: {}": "'executor' names several",
                 "bad_executor: {}": "needs the key 'how'"}
        for executor, text in cases.items():
            with self.subTest(executor):
                self.assertIn(text, self.dlrun("check", self.study(executor), code=USAGE).stderr)
        file = self.study()
        self.dlrun("check", file, "--set", "executor=processes")
        for word, near in {"proceses": "processes", "lokal": "local"}.items():
            mere = self.study(text=STUDY.replace("{EXECUTOR}", word), name="mere.yaml")
            self.assertIn(f"did you mean '{near}'?", self.dlrun("check", mere, code=USAGE).stderr)
        self.assertIn("needs the key 'how'", self.dlrun("check", file, "--set", "executor=bad_executor", code=USAGE).stderr)
        for name, text in {"proceses": "did you mean 'processes'?", "bad_executor": "needs the key 'how'"}.items():
            self.assertIn(text, self.dlrun("tune", file, "--executor", name, "--store", "none", code=USAGE).stderr)
        self.assertIn("the plugin 'processes' would start workers", self.dlrun("tune", file, "--dry-run").stderr)

    def test_contracts(self):
        self.dlrun("plugins", "test", "processes")
        self.environment["DLRUN_PLUGIN_DEADLINE"] = "5"  # for this long programs that never end are waited for
        for settings, text in {"how=throw in=stop": "failed in stop: the host is asleep", "how=blind": "a program does not end",
                               "how=same": "two programs have the same handle",
                               "how=early": "a program ended that should run"}.items():
            with self.subTest(settings):
                self.assertIn(text, self.dlrun("plugins", "test", "bad_executor", *settings.split(), code=1).stdout)


if __name__ == "__main__":
    unittest.main()
