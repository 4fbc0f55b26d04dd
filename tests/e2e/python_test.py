# SPDX-License-Identifier: Apache-2.0
"""Functions of Python as trials: interpreters import once, no trial depends on those before it, and what goes wrong in one
takes that one alone."""
import json
import re
import sys
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from support import ROOT, Folder  # noqa: E402

STUDY = """\
study: python
seed: 3
objective: {{metric: loss, direction: minimize, at: last}}
space: {{x: {{type: float, low: 0, high: 1}}}}
search: {{sampler: random, lanes: 2{pruner}}}
limits: {{trials: {trials}, failures: 100}}
retry: {{oom: 0, signal: 0, exception: 0}}
{more}
trial: {{kind: python, function: "train.py:{function}", epochs: {epochs}, isolate: {isolate}}}
"""

# TRACE is what the test sees: imports, and each step of each trial.
TRAINS = """\
import os, random

def trace(*words):
    with open("TRACE", "a") as file:
        print(*words, file=file)

trace("import", os.getpid())
seen = []

def objective(trial):
    seen.append(trial.number)
    trace("begin", trial.number)
    for step in trial.steps:
        trace("step", trial.number, step)
        loss = (trial.params["x"] - 0.3) ** 2 + 1 / step + 0.01 * random.random()
        if not trial.report(step, loss=loss, seen=len(seen)):
            break
    trace("end", trial.number)

def resumes(trial):
    if trial.resume:
        assert int(open(trial.resume).read()) == trial.from_step
    if trial.init:
        trace("init", open(trial.init).read(), trial.from_step, trial.replicate)
    for step in trial.steps:
        trace("step", trial.number, step)
        file = trial.folder / str(step)
        file.write_text(str(step))
        trial.checkpoint(file)
        if not trial.report(step, loss=(trial.params["x"] - 0.3) ** 2 + 1 / step):
            break

def resumes_thirds(trial):
    done = int(open(trial.resume).read()) if trial.resume else 0
    for step in range(done + 3, trial.to_step + 1, 3):
        done += 3
        file = trial.folder / str(step)
        file.write_text(str(done))
        trial.checkpoint(file)
        trace("done", step, done, trial.from_step)
        if not trial.report(step, loss=(trial.params["x"] - 0.3) ** 2 + 1 / step):
            break
"""

ASHA = ", pruner: {op: asha, eta: 3}"


class Python(Folder):
    def study(self, text=TRAINS, function="objective", isolate="fork", pruner="", trials=12, epochs=9, more=""):
        (self.folder / "trace").unlink(missing_ok=True)
        (self.folder / "train.py").write_text(text.replace("TRACE", str(self.folder / "trace")))
        return self.write(STUDY.format(function=function, isolate=isolate, pruner=pruner, trials=trials, epochs=epochs,
                                       more=more))

    def train(self, study, store, workers=1):
        done = self.tune(study, store, workers)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.logical(store)

    def traced(self, word):
        lines = (self.folder / "trace").read_text().splitlines()
        return [line.split()[1:] for line in lines if line.startswith(word + " ")]

    def rows(self, statement, store):
        done = self.run_dlrun("report", "--sql", statement, "--format", "json", "--store", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [list(row.values()) for row in json.loads(done.stdout)["rows"]]

    def failed(self, text, store="store", trials=1, **more):
        """Message and cause of the first trial that failed, and its log."""
        store = self.folder / store
        self.tune(self.study(text, trials=trials, epochs=1, **more), store, 1)
        message = self.rows("select message, cause from attempts where state = 'failed' order by trial limit 1", store)
        log = self.run_dlrun("logs", "python/0", "--store", store).stdout
        return (*(message[0] if message else ("", "")), log)

    def test_a_trial_cannot_depend_on_those_before_it(self):
        one = self.train(self.study(), self.folder / "one", 1)
        four = self.train(self.study(), self.folder / "four", 4)
        self.assertEqual(one, four)
        self.assertEqual(self.rows("select distinct value from metrics where metric = 'seen'", self.folder / "one"), [[1]])

    def test_each_worker_imports_once(self):
        for isolate in ("fork", "none"):
            with self.subTest(isolate):
                self.train(self.study(isolate=isolate), self.folder / isolate, 2)
                self.assertLessEqual(len(self.traced("import")), 2)
                self.assertEqual(len(self.traced("begin")), 12)

    def test_trials_that_follow_one_another_have_one_server(self):
        text = "import os\ndef objective(trial):\n    return os.getppid()\n"
        for _, servers in self.completed(text, trials=4, isolates=["fork"]):
            self.assertEqual(len(set(servers)), 1)

    def test_an_interpreter_that_is_shared_has_seen_other_trials(self):
        self.train(self.study(isolate="none"), self.folder / "store", 1)
        seen = self.rows("select max(value) from metrics where metric = 'seen'", self.folder / "store")
        self.assertEqual(seen, [[12]])

    def test_pruned_trials_wait_and_leave_their_function(self):
        for isolate in ("fork", "none"):
            with self.subTest(isolate):
                store = self.folder / isolate
                self.train(self.study(isolate=isolate, pruner=ASHA, more="resources: {parked: 12}"), store, 2)
                steps = Counter(tuple(step) for step in self.traced("step"))
                self.assertEqual(set(steps.values()), {1})
                epochs = self.rows("select trial, epochs from trials", store)
                self.assertEqual(sum(count for _, count in epochs), len(steps))
                self.assertEqual(len(self.traced("begin")), 12)
                self.assertEqual(len(self.traced("end")), 12)

    def test_interpreters_of_pruned_trials_are_used_again(self):
        study = self.study(isolate="none", pruner=", pruner: {op: median, startup_trials: 2, interval: 3}", trials=20)
        self.train(study, self.folder / "store", 1)
        self.assertLess(len(self.traced("import")), 6)

    def test_kills_change_nothing(self):
        study = self.study(pruner=ASHA)
        calm = self.train(study, self.folder / "calm", 1)
        hurt = self.folder / "hurt"
        self.tune_with_kills(study, hurt)
        self.assertEqual(self.train(study, hurt, 2), calm)

    def test_it_goes_on_from_its_checkpoint(self):
        waits = self.train(self.study(function="resumes", pruner=ASHA), self.folder / "waits", 1)
        self.assertTrue(all(count == 1 for count in Counter(map(tuple, self.traced("step"))).values()))
        study = self.study(function="resumes", pruner=ASHA, more="resources: {parked: 0}")
        again = self.train(study, self.folder / "again", 1)
        self.assertTrue(all(count == 1 for count in Counter(map(tuple, self.traced("step"))).values()))

        def values(text):
            return [line for line in text.splitlines() if '"spec"' not in line and '"kind":"study"' not in line]
        self.assertEqual(values(waits), values(again))

    def test_a_checkpoint_is_of_the_step_that_is_reported_next(self):
        study = self.study(function="resumes_thirds", pruner=", pruner: {op: asha, min_budget: 3, eta: 3}",
                           more="resources: {parked: 0}")
        self.train(study, self.folder / "store", 1)
        done = [list(map(int, numbers)) for numbers in self.traced("done")]
        self.assertTrue(all(step == trained for step, trained, _ in done))
        self.assertEqual({begin for *_, begin in done}, {0, 3})

    def test_the_log_says_that_no_checkpoint_counts(self):
        study = self.study("import time\ndef objective(trial):\n    for step in trial.steps:\n"
                           "        (trial.folder / str(step)).write_text('')\n"
                           "        trial.checkpoint(trial.folder / str(step))\n        trial.report(step, other=1)\n"
                           "        while trial.attempt == 1 and not (trial.folder / 'progress.jsonl').exists():\n"
                           "            time.sleep(0.01)  # a worker writes it when it comes to it\n"
                           "        assert step < 2 or trial.attempt > 1\n    return 1\n", trials=1, epochs=3)
        study.write_text(study.read_text().replace("exception: 0", "exception: 1"))
        self.assertEqual(self.tune(study, self.folder / "store", 1).returncode, 0)
        log = self.run_dlrun("logs", "python/0", "--store", self.folder / "store").stdout
        self.assertIn("dlrun: no checkpoint of the earlier attempt counts, so all steps of the piece are run again", log)
        self.assertEqual(self.rows("select count(*) from edges where kind = 'resumed_from'", self.folder / "store"), [[0]])

    def test_results_of_examples_are_artifacts(self):
        text = ("def objective(trial):\n    x = trial.params['x']\n    for step in trial.steps:\n"
                "        trial.examples(['b', 'a'], [x, x / step])\n"
                "        if not trial.report(step, loss=x + 1 / step):\n            break\n")
        study = self.study(text, pruner=ASHA)
        one, four = self.folder / "one", self.folder / "four"
        self.assertEqual(self.train(study, one, 1), self.train(study, four, 4))
        rows = self.rows("select a.trial, a.step, p.value from artifacts a join params p on p.trial = a.trial where a.role "
                         "= 'examples' and a.deleted is null order by a.trial, a.step", one)
        newest = {trial: (step, x) for trial, step, x in rows}
        self.assertEqual(len(newest), 12)
        for trial, (step, x) in newest.items():
            done = self.run_dlrun("export", "--examples", f"python/{trial}", "--store", one)
            self.assertEqual(done.stdout, f"replicate,fold,step,id,value\n0,0,{step},a,{x / step}\n0,0,{step},b,{x}\n")
        self.assertEqual(self.run_dlrun("verify", "python", "--store", one).returncode, 0)

    def test_results_of_examples_after_the_last_report_are_of_its_step(self):
        body = "trial.report(1, loss=trial.params['x'])\ntrial.examples([1], [0.5])\n"
        function = "def objective(trial):\n" + "".join(f"    {line}\n" for line in body.splitlines())
        script = self.folder / "script.py"
        script.write_text("import dlrun\ntrial = dlrun.trial()\n" + body)
        python = self.study(function, trials=2)
        program = python.with_name("program.yaml")
        text = python.read_text()
        kind = text[text.index("trial:"):]
        program.write_text(text.replace(kind, f"trial: {{kind: command, command: [python3, {script}], epochs: 3}}\n"))
        for study in (python, program):
            with self.subTest(study.name):
                store = self.folder / study.stem
                self.train(study, store, 1)
                self.assertEqual(self.rows("select distinct step from artifacts where role = 'examples'", store), [[1]])

    def test_a_final_training_begins_with_the_checkpoint_of_its_donor(self):
        for isolate in ("fork", "none"):
            with self.subTest(isolate):
                study = self.study(function="resumes", isolate=isolate, trials=2, epochs=2, more="final: {epochs: 3, seeds: 2}")
                self.assertEqual(self.tune(study, self.folder / isolate, 1).returncode, 0)
                self.assertEqual(self.traced("init"), [["2", "0", "0"], ["2", "0", "1"]])
                self.assertEqual(len(self.traced("step")), 2 * 2 + 2 * 3)

    def test_heirs_of_a_population_begin_with_checkpoints(self):
        study = self.study(function="resumes", pruner=", pruner: {op: pbt, population: 4, interval: 3}", trials=4)
        one = self.train(study, self.folder / "one", 1)
        self.assertEqual(one, self.train(study, self.folder / "four", 4))
        heirs = self.rows("select count(*) from edges where kind = 'inherited_from'", self.folder / "one")
        self.assertGreater(heirs[0][0], 0)

    def test_a_trial_has_its_folder_when_it_asks(self):
        text = ("import os, stat\ndef objective(trial):\n    was = os.path.exists(os.environ['DLRUN_DIR'])\n"
                "    return was or stat.S_IMODE(trial.folder.stat().st_mode)\n")
        for _, modes in self.completed(text):
            self.assertEqual(modes, [0o700, 0o700])

    def test_a_function_may_return_the_objective(self):
        text = "def objective(trial):\n    return {}\n"
        for value in ("trial.params['x']", "{'loss': trial.params['x'], 'other': 1}"):
            store = self.folder / value[:2]
            self.train(self.study(text.format(value), epochs=1, trials=2), store)
            rows = self.rows("select objective, value from trials join params using (trial)", store)
            self.assertEqual([objective for objective, _ in rows], [value for _, value in rows])

    def test_a_function_that_stops_early_and_returns_is_not_trained_on(self):
        text = TRAINS.replace("    trace(\"end\"", "    return loss\n    trace(\"end\"").replace(
            "loss=loss, seen=len(seen)):", "loss=loss) or step == 5:")
        study = self.study(text, pruner=ASHA, epochs=27, more="resources: {parked: 12}")
        self.train(study, self.folder / "store", 2)
        completed = self.rows("select distinct epochs from trials where state = 'completed'", self.folder / "store")
        self.assertEqual(completed, [[5]])
        self.assertEqual(len(self.traced("begin")), 12)

    def test_threads_are_those_of_the_study(self):
        text = "import os\nthreads = int(os.environ['OMP_NUM_THREADS'])\ndef objective(trial):\n    return threads\n"
        for more, threads in (("", 1), ("resources: {threads_per_trial: 3}", 3)):
            store = self.folder / f"store{threads}"
            self.tune(self.study(text, epochs=1, trials=1, more=more), store, 1)
            self.assertEqual(self.rows("select objective from trials", store), [[threads]])

    def completed(self, text, trials=2, isolates=("fork", "none"), **more):
        """Objectives of trials that shall all be completed, by isolation."""
        for isolate in isolates:
            store = self.folder / isolate
            done = self.tune(self.study(text, isolate=isolate, trials=trials, epochs=1, **more), store, 1)
            rows = self.rows("select state, objective from trials order by trial", store)
            self.assertEqual([state for state, _ in rows], ["completed"] * trials, done.stderr)
            yield isolate, [objective for _, objective in rows]

    def test_parameters_may_be_longer_than_a_pipe_holds(self):
        text = "def objective(trial):\n    return len(trial.params['text'])\n"
        for isolate in ("fork", "none"):
            study = self.study(text, isolate=isolate, trials=1, epochs=1)
            study.write_text(re.sub("space:.*", f"space: {{text: {{type: constant, value: {'é' * 150_000}}}}}", study.read_text()))
            done = self.tune(study, self.folder / isolate, 1)
            self.assertEqual(self.rows("select objective from trials", self.folder / isolate), [[150_000]], done.stderr)

    def test_a_thread_of_a_trial_that_is_over_reports_nothing(self):
        text = ("import threading\nover = threading.Event()\ntried = threading.Event()\n"
                "def late(trial):\n    over.wait()\n    try:\n        trial.report(1, loss=-1000)\n"
                "    except BaseException:\n        tried.set()\n"
                "def objective(trial):\n    if trial.number == 0:\n"
                "        threading.Thread(target=late, args=[trial], daemon=True).start()\n        return 5\n"
                "    over.set()\n    tried.wait()\n    return 6\n")
        self.assertEqual(list(self.completed(text, isolates=["none"])), [("none", [5, 6])])

    def test_threads_that_a_process_waits_for_are_named(self):
        text = ("import threading\ndef objective(trial):\n    over = threading.Event()\n"
                "    threading.Thread(target=over.wait, args=(0.2,), name='the loader').start()\n    return 1\n")
        log = self.failed(text)[2]
        self.assertIn("its process waits for threads that are no daemons: the loader", log)

    def test_a_child_of_the_function_is_no_interpreter(self):
        text = ("import os, sys\ndef objective(trial):\n    if os.fork() == 0:\n        {}\n"
                "    os.wait()\n    return trial.number\n")
        for how in ("return 777", "sys.exit(0)", "raise ValueError('of a child')"):
            for isolate, objectives in self.completed(text.format(how)):
                self.assertEqual(objectives, [0, 1], (how, isolate))

    def test_processes_of_the_function_can_be_ended(self):
        text = ("import multiprocessing, time\ndef objective(trial):\n"
                "    other = multiprocessing.get_context('fork').Process(target=time.sleep, args=[600])\n"
                "    other.start()\n    other.terminate()\n    other.join()\n    return other.exitcode\n")
        for _, objectives in self.completed(text):
            self.assertEqual(objectives, [-15, -15])

    def test_ends_of_the_import_are_not_those_of_a_trial(self):
        text = ("import atexit, os, tempfile\nkept = tempfile.TemporaryDirectory()\n"
                "def objective(trial):\n    atexit.register(print, 'the end')\n    return os.path.exists(kept.name)\n")
        for isolate, objectives in self.completed(text):
            self.assertEqual(objectives, [1, 1])
        self.assertIn("the end", self.run_dlrun("logs", "python/1", "--store", self.folder / "fork").stdout)

    def test_output_without_an_end_of_line_counts(self):
        text = ("import sys\ndef objective(trial):\n    sys.stdout.write('half\\n::dlrun ' + "
                "'{\"metric\": \"loss\", \"step\": 1, \"value\": 4}')\n    sys.stdout.flush()\n")
        for _, objectives in self.completed(text):
            self.assertEqual(objectives, [4, 4])

    def test_what_the_function_must_not_return(self):
        message, *_ = self.failed("async def objective(trial):\n    return 1\n")
        self.assertRegex(message, "^TypeError: the function returned coroutine; it may return a number, a dict of")

    def test_notes_are_no_cause(self):
        message, *_ = self.failed("def objective(trial):\n    e = ValueError('bad')\n    e.add_note('a hint')\n    raise e\n")
        self.assertEqual(message, "ValueError: bad (train.py, line 4)")

    def test_an_interpreter_that_may_not_wait_is_used_again(self):
        more = "resources: {parked: 0}"
        self.train(self.study(isolate="none", pruner=ASHA, more=more, function="resumes"), self.folder / "store", 1)
        self.assertEqual(len(self.traced("import")), 1)

    def test_the_running_trial_is_found_from_anywhere(self):
        text = "import dlrun\ndef objective(trial):\n    assert dlrun.trial(y=1) is trial\n    return 1\n"
        self.tune(self.study(text, epochs=1, trials=1), self.folder / "store", 1)
        self.assertEqual(self.rows("select state from trials", self.folder / "store"), [["completed"]])

    def test_an_exception_is_the_cause(self):
        message, cause, log = self.failed("def helper(x):\n    raise ValueError('too large')\n"
                                          "def objective(trial):\n    helper(1)\n")
        self.assertEqual((message, cause), ("ValueError: too large (train.py, line 2)", "exception"))
        self.assertRegex(log, r'(?s)Traceback.*line 4, in objective.*line 2, in helper.*ValueError: too large')
        self.assertNotIn("run.py", log)

    def test_what_goes_wrong_in_the_import_is_told_by_the_trial(self):
        for isolate in ("fork", "none"):
            message, cause, log = self.failed("print('hello')\nimport not_there\ndef objective(trial): pass\n",
                                              store=isolate, isolate=isolate)
            self.assertEqual(message, "ModuleNotFoundError: No module named 'not_there' (train.py, line 2)")
            self.assertIn("hello", log)
            self.assertNotIn("run.py", log)

    def test_a_syntax_error(self):
        message, _, log = self.failed("def objective(trial):\n    return (\n")
        self.assertRegex(message, r"SyntaxError: .*train.py, line 2")
        self.assertIn("return (", log)

    def test_want_of_memory_is_known(self):
        message, cause, _ = self.failed("def objective(trial):\n    raise MemoryError()\n")
        self.assertEqual(cause, "oom", message)

    def test_a_crash_takes_that_trial_alone(self):
        text = ("import os, signal\ndef objective(trial):\n    if trial.number == 1:\n"
                "        os.kill(os.getpid(), signal.SIGSEGV)\n    return trial.params['x']\n")
        for isolate in ("fork", "none"):
            message, cause, _ = self.failed(text, store=isolate, isolate=isolate, trials=3)
            self.assertEqual((message, cause), ("the program was killed by signal 11 (Segmentation fault)", "signal"))
            states = self.rows("select state from trials order by trial", self.folder / isolate)
            self.assertEqual(states, [["completed"], ["failed"], ["completed"]])

    def test_an_interpreter_that_ends_in_its_import(self):
        message, cause, _ = self.failed("import os\nos._exit(3)\ndef objective(trial): pass\n")
        self.assertRegex(message, "the interpreter ended with exit code 3 before it could begin a trial")
        self.assertEqual(cause, "exception")

    def test_an_interpreter_that_is_not_there_is_no_fault_of_a_trial(self):
        for isolate in ("fork", "none"):
            study = self.study(isolate=isolate)
            study.write_text(study.read_text().replace("isolate:", "python: .venv/bin/python, isolate:"))
            done = self.tune(study, self.folder / isolate, 1)
            self.assertEqual(done.returncode, 75, done.stderr)
            self.assertIn("cannot run '.venv/bin/python'", done.stderr)

    def test_an_exit_code(self):
        message, *_ = self.failed("import sys\ndef objective(trial):\n    sys.exit('no data')\n")
        self.assertEqual(message, "the program ended with exit code 1: no data")

    def test_a_program_with_the_client_waits_by_itself(self):
        (self.folder / "script.py").write_text("import dlrun\nimport train\ntrain.objective(dlrun.trial(x=0.5))\n")
        text = self.study(pruner=ASHA).read_text()
        as_function = self.train(self.study(pruner=ASHA), self.folder / "function", 2)
        study = self.write(re.sub("(?m)^trial:.*", "trial: {kind: command, command: [python3, script.py], epochs: 9}", text))
        self.train(study, self.folder / "script", 2)
        statement = "select trial, state, objective, epochs from trials order by trial"
        self.assertEqual(self.rows(statement, self.folder / "script"), self.rows(statement, self.folder / "function"))
        self.assertTrue(as_function)

    def script(self, text, more=""):
        """A study whose trials run this script."""
        (self.folder / "script.py").write_text(text)
        return self.write(re.sub("(?m)^trial:.*", "trial: {kind: command, command: [python3, script.py], epochs: 9}",
                                 self.study(trials=2, epochs=9, more=more).read_text()))

    def test_a_script_that_asks_again_gets_the_same_trial(self):
        study = self.script("import dlrun, random\ntrial = dlrun.trial()\nfor step in trial.steps:\n"
                            "    assert dlrun.trial(x=1) is trial\n    dlrun.trial().report(step, loss=random.random())\n")
        self.train(study, self.folder / "store")
        drawn = self.rows("select count(distinct value) from metrics group by trial", self.folder / "store")
        self.assertEqual(drawn, [[9], [9]])

    def test_defaults_of_a_script_stand_in_for_parameters_that_its_trial_does_not_have(self):
        study = self.script("import dlrun\ntrial = dlrun.trial(x=7, momentum=0.9)\nassert trial.params['momentum'] == 0.9\n"
                            "assert trial.params['x'] < 7\ntrial.report(9, loss=trial.params['x'])\n")
        self.train(study, self.folder / "store")

    def test_by_hand_a_trial_is_seeded_and_stays_the_same(self):
        (self.folder / "hand.py").write_text(
            "import dlrun, random\ntrial = dlrun.trial(lr=1, steps=2)\n"
            "print(random.random(), dlrun.trial() is trial, dlrun.trial(lr=1, steps=2) is trial, random.random())\n"
            "print(dlrun.trial(lr=2).params, dlrun.trial(lr=2).to_step)\n")
        environment = {"PYTHONPATH": str(ROOT / "python"), "PATH": "/usr/bin:/bin"}
        one, two = (self.finish(self.start_program(sys.executable, "hand.py", cwd=self.folder, env=environment))
                    for _ in range(2))
        self.assertEqual((one.stdout, one.stderr), (two.stdout, ""))
        self.assertRegex(one.stdout, r"^(\S+) True True (?!\1)\S+\n\{'lr': 2\} 1\n$")


if __name__ == "__main__":
    unittest.main()
