# SPDX-License-Identifier: Apache-2.0
"""Trials that people carry out: whatever the order in which they ask and tell, the study is the same."""
import json
import os
import random
import subprocess
import sys
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from support import BIN, ROOT, Folder  # noqa: E402

sys.path.insert(0, str(ROOT / "python"))
os.environ["DLRUN_PROGRAM"] = str(BIN / "dlrun")
import dlrun  # noqa: E402

STUDY = """\
study: lab
seed: 4
objective: {{metric: loss, direction: minimize}}
feasible: {{metric: cost, max: 9.5}}
space:
  x: {{type: float, low: 0, high: 1}}
  kind: {{type: categorical, choices: [a, b]}}
search: {{sampler: tpe{search}}}
limits: {{trials: 5}}
trial: {{kind: asked, epochs: 9{trial}}}
"""
ASHA = ", lanes: 3, pruner: {op: asha, eta: 3}"
ARRIVAL = ", order: arrival"

WAITS = 75


class Ask(Folder):
    def study(self, search=ASHA, trial=""):
        return self.write(STUDY.format(search=search, trial=trial))

    def ask(self, study, store):
        """The next piece; {"finished": True, …}; None: it waits for others."""
        done = self.run_dlrun("ask", study, "--format", "json", "-q", "--store", store)
        if done.returncode == WAITS:
            self.assertIn("waits for trial", done.stderr)
            return None
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def tell(self, store, piece, step=None, code=0, **values):
        words = ["lab", piece["trial"], *(f"{name}={value!r}" for name, value in values.items())]
        if step is not None:
            words += ["--step", step]
        words += ["--replicate", piece["replicate"], "--format", "json", "-q", "--store", store]
        done = self.run_dlrun("tell", *words)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout) if code == 0 else done.stderr

    def carry_out(self, store, piece):
        """Tells each step, the last one in two parts."""
        x = piece["params"]["x"] + (piece["params"]["kind"] == "a") + piece["replicate"] / 10
        for step in range(piece["from_step"] + 1, piece["to_step"] + 1):
            last = self.tell(store, piece, step, loss=(x - 0.3) ** 2 + 1 / step)
            if step == piece["to_step"]:
                self.assertEqual(last["missing"], ["cost"])
            last = self.tell(store, piece, step, cost=10 * x)
        self.assertEqual(last["missing"], [])

    def play(self, study, store, most, seed):
        """Asks and tells in an order of its own, with at most so many trials out at a time."""
        order, out = random.Random(seed), []
        while True:
            piece = self.ask(study, store) if len(out) < most and (not out or order.random() < 0.6) else None
            if piece and piece.get("finished"):
                return self.logical(store)
            if piece:
                out.append(piece)
            elif out:
                self.carry_out(store, out.pop(order.randrange(len(out))))

    def require_sound(self, store):
        done = self.run_dlrun("verify", "--decisions", "all", "--store", store)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_order_of_tells_changes_nothing(self):
        for trial in ("", ", replicates: 2"):
            with self.subTest(trial):
                study = self.study(trial=trial)
                name = "members" if trial else "one"
                first = self.play(study, self.folder / f"{name}-1", 1, 1)
                store = self.folder / f"{name}-3"
                self.assertEqual(self.play(study, store, 3, 3), first)
                self.require_sound(store)

    def test_calls_at_the_same_time_follow_one_another(self):
        study, store = self.study(), self.folder / "many"
        calm = self.play(study, self.folder / "calm", 1, 1)
        faults, done = [], threading.Event()

        def work():
            try:
                while not done.is_set():
                    piece = self.ask(study, store)
                    if piece and piece.get("finished"):
                        return done.set()
                    if piece:
                        self.carry_out(store, piece)
            except BaseException as fault:  # noqa: BLE001: told below
                faults.append(fault)
                done.set()

        people = [threading.Thread(target=work) for _ in range(3)]
        for person in people:
            person.start()
        for person in people:
            person.join()
        self.assertEqual(faults, [])
        self.assertEqual(self.logical(store), calm)

    def test_in_order_of_arrival_nobody_waits(self):
        study, store = self.study(search=ARRIVAL), self.folder / "arrival"
        pieces = [self.ask(study, store) for _ in range(5)]
        self.assertEqual([piece["trial"] for piece in pieces], list(range(5)))
        self.carry_out(store, pieces[3])
        while (piece := self.ask(study, store)) and not piece.get("finished"):
            pieces.append(piece)
        self.assertIsNone(piece)  # the limit of trials is reached, and their results are awaited
        for piece in pieces[:3] + pieces[4:]:
            self.carry_out(store, piece)
        self.assertTrue(self.ask(study, store)["finished"])
        self.require_sound(store)

    def test_the_same_from_python(self):
        store = self.folder / "python"
        lab = dlrun.open(self.study(search=", lanes: 2"), store=store)
        values = {}
        for trial in lab:
            values[trial.number] = trial.params["x"]
            self.assertEqual(trial.steps, range(1, 10))
            self.assertEqual(lab.tell(trial, {"loss": 5}, step=4)["missing"], ["loss", "cost"])
            self.assertEqual(lab.tell(trial, loss=trial.params["x"], cost=1)["state"], "completed")
        self.assertIsNone(lab.ask())
        trials = lab.trials()
        self.assertEqual({trial["trial"]: trial["params"]["x"] for trial in trials}, values)
        self.assertEqual(list(values), list(range(5)))
        self.assertEqual(lab.best["objective"], min(values.values()))
        self.assertEqual(dlrun.open("lab", store=store).trials(), trials)

    def test_the_best_parameters_are_those_that_were_asked(self):
        text = STUDY.format(search=", lanes: 1", trial="").replace("[a, b]", "[true, false]")
        lab = dlrun.open(self.write(text), store=self.folder / "switches")
        asked = {}
        for trial in lab:
            asked[trial.number] = trial.params
            lab.tell(trial, loss=trial.params["x"], cost=1)
        self.assertEqual({type(params["kind"]) for params in asked.values()}, {bool})
        self.assertEqual({trial["trial"]: trial["params"] for trial in lab.trials()}, asked)
        self.assertEqual(lab.best["params"], asked[lab.best["trial"]])

    def test_python_says_what_is_wrong(self):
        lab = dlrun.open(self.study(search=", lanes: 1"), store=self.folder / "wrong")
        trial = lab.ask()
        with self.assertRaises(dlrun.Waiting) as waiting:
            lab.ask()
        self.assertEqual(waiting.exception.trials, [0])
        with self.assertRaisesRegex(dlrun.Error, "step 10 is not asked for"):
            lab.tell(trial, loss=1, step=10)
        self.assertEqual(lab.fail(trial, "it broke")["state"], "failed")
        with self.assertRaisesRegex(dlrun.Error, "cannot read"):
            dlrun.open(self.folder / "missing.yaml").ask()

    def test_a_trial_that_is_tried_again_begins_without_values(self):
        study, store = self.study(search=", lanes: 1", trial=""), self.folder / "again"
        first = self.ask(study, store)
        self.tell(store, first, step=4, loss=9.0, cost=1.0)
        self.assertEqual(self.tell(store, first, step=5, loss=float("nan"))["state"], "failed")
        self.assertTrue(self.tell(store, first, step=5, loss=float("nan"))["known"])
        self.run_dlrun("retry", "lab/0", "--store", store)
        second = self.ask(study, store)
        if second["trial"] != 0:
            self.tell(store, second, loss=2.0, cost=1.0)
            second = self.ask(study, store)
        self.assertEqual(second["trial"], 0)
        self.assertEqual(self.tell(store, second, cost=1.0)["missing"], ["loss"])
        self.tell(store, second, step=4, loss=8.0)
        self.assertEqual(self.tell(store, second, loss=3.0)["objective"], 3.0)
        done = self.run_dlrun("report", "--sql", "select value from metrics where trial = 0 and metric = 'loss' order by step",
                              "--format", "json", "--store", store)
        self.assertEqual([row["value"] for row in json.loads(done.stdout)["rows"]], [8.0, 3.0])
        self.require_sound(store)

    def test_the_same_told_once_more_is_no_later_step(self):
        lab = dlrun.open(self.study(), store=self.folder / "late")
        first = lab.ask()
        lab.tell(first, loss=0.5, cost=1)
        while (later := lab.ask()).number != first.number:
            lab.tell(later, loss=0.7, cost=1)
        self.assertTrue(lab.tell(first, loss=0.5, cost=1)["known"])
        self.assertEqual(lab.ask(trial=first.number).to_step, later.to_step)

    def test_what_was_told_stays(self):
        study, store = self.study(), self.folder / "stays"
        piece = self.ask(study, store)
        self.tell(store, piece, loss=0.5)
        self.assertTrue(self.tell(store, piece, loss=0.5)["known"])
        self.assertIn("loss at step 1 of trial 0 is 0.5 already", self.tell(store, piece, code=2, loss=0.6))
        self.assertIn("step 2 is not asked for", self.tell(store, piece, step=2, code=2, loss=0.6))
        self.assertIn("has no trial 7", self.tell(store, {**piece, "trial": 7}, code=3, loss=0.6))
        self.assertEqual(self.tell(store, piece, cost=1.0)["state"], "paused")
        self.assertTrue(self.tell(store, piece, cost=1.0)["known"])

    def test_a_call_that_is_killed_leaves_all_or_nothing(self):
        study, store = self.study(), self.folder / "killed"
        calm = self.play(study, self.folder / "calm", 1, 1)
        random_moments = random.Random(5)
        for _ in range(6):
            call = subprocess.Popen([BIN / "dlrun", "ask", study, "--store", store, "-q"], stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL)
            try:
                call.wait(random_moments.random() * 0.05)
            except subprocess.TimeoutExpired:
                call.kill()
                call.wait()
        out = []
        for trial in range(5):  # whatever was given out meanwhile is given again
            done = self.run_dlrun("ask", study, "--trial", trial, "--format", "json", "-q", "--store", store)
            if done.returncode == 0 and "params" in done.stdout:
                out.append(json.loads(done.stdout))
        for piece in out:
            self.carry_out(store, piece)
        self.assertEqual(self.play(study, store, 1, 1), calm)


if __name__ == "__main__":
    unittest.main()
