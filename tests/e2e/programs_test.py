# SPDX-License-Identifier: Apache-2.0
"""Programs as trials under pruners: one process serves all pieces of its trial, and nothing is trained twice."""
import json
import signal
import sys
import unittest
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from support import Folder, children, kill, processes_with  # noqa: E402

# A script that knows nothing of dlrun: it trains nine epochs and prints what they come to. TRACE is what the test sees.
UNMODIFIED = """\
import os, sys, time
x = float(sys.argv[1])
trace = open(os.environ["TRACE"], "a")
print(x, 0, file=trace, flush=True)
for epoch in range(1, 10):
    time.sleep(0.02)
    print(x, epoch, file=trace, flush=True)
    print(f"epoch {epoch} loss: {(x - 0.3) ** 2 + 1 / epoch}")
"""

# One that leaves checkpoints, and goes on from them.
WITH_CHECKPOINTS = """\
import json, os, sys
x = float(sys.argv[1])
trace = open(os.environ["TRACE"], "a")
print(x, 0, file=trace, flush=True)
done = 0
if os.environ["DLRUN_RESUME"]:
    done = json.load(open(os.environ["DLRUN_RESUME"]))
out = os.fdopen(3, "w")
for epoch in range(done + 1, int(os.environ["DLRUN_TO_STEP"]) + 1):
    print(x, epoch, file=trace, flush=True)
    file = os.path.join(os.environ["DLRUN_DIR"], f"{epoch}.json")
    json.dump(epoch, open(file, "w"))
    for line in ({"checkpoint": file, "step": epoch}, {"metric": "loss", "step": epoch, "value": (x - 0.3) ** 2 + 1 / epoch}):
        print(json.dumps(line), file=out, flush=True)
"""

# The same, but nothing trains epoch 6 before a file is there.
HELD = WITH_CHECKPOINTS.replace("    file =", "    while epoch == 6 and not os.path.exists('gate'): time.sleep(0.01)\n    file =")
HELD = HELD.replace("import json, os, sys", "import json, os, sys, time")

STUDY = """\
study: programs
seed: 3
objective: {{metric: loss, direction: minimize, at: last}}
space: {{x: {{type: float, low: 0, high: 1}}}}
search: {{sampler: random, lanes: 2, pruner: {pruner}}}
limits: {{trials: 12}}
{more}
trial:
  kind: command
  command: [python3, script.py, "{{x}}"]
  env: {{TRACE: {trace}}}
  {regex}
  epochs: 9
"""

PRUNERS = ["{op: asha, eta: 3}", "{op: asha, eta: 3, type: stop}", "{op: hyperband, eta: 3}",
           "{op: median, startup_trials: 2, interval: 3}"]


class Programs(Folder):
    def study(self, pruner, script=UNMODIFIED, more=""):
        (self.folder / "script.py").write_text(script)
        trace = self.folder / "trace"
        trace.unlink(missing_ok=True)
        regex = r"metrics_regex: {loss: 'loss: ([0-9.eE+-]+)'}" if script is UNMODIFIED else ""
        return self.write(STUDY.format(pruner=pruner, more=more, trace=trace, regex=regex))

    def train(self, study, store, workers):
        done = self.tune(study, store, workers)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.logical(store)

    def trained(self):
        """{x: [epochs of each start]}"""
        runs = defaultdict(list)
        for line in (self.folder / "trace").read_text().splitlines():
            x, epoch = line.split()
            if epoch == "0":
                runs[x].append([])
            else:
                runs[x][-1].append(int(epoch))
        return runs

    def steps(self, store):
        statement = "select value, epochs from trials join params using (trial) order by trial"
        done = self.run_dlrun("report", "--sql", statement, "--format", "json", "--store", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [tuple(row.values()) for row in json.loads(done.stdout)["rows"]]

    def test_an_unmodified_script_starts_once_for_each_trial(self):
        for pruner in PRUNERS:
            with self.subTest(pruner):
                store = self.folder / f"store{PRUNERS.index(pruner)}"
                self.train(self.study(pruner), store, 1)
                runs = self.trained()
                for x, epochs in self.steps(store):
                    starts = runs[str(float(x))]
                    self.assertEqual(len(starts), 1, (x, starts))
                    self.assertEqual(starts[0], list(range(1, len(starts[0]) + 1)))
                    self.assertGreaterEqual(len(starts[0]), epochs)
                    self.assertLessEqual(len(starts[0]), epochs + 3)  # until it was stopped

    def test_four_workers_and_kills_change_nothing(self):
        for script in (UNMODIFIED, WITH_CHECKPOINTS):
            with self.subTest(script=script[:20]):
                study = self.study(PRUNERS[0], script)
                name = "plain" if script is UNMODIFIED else "checkpoints"
                calm = self.train(study, self.folder / f"{name}-one", 1)
                self.assertEqual(self.train(study, self.folder / f"{name}-four", 4), calm)
                hurt = self.folder / f"{name}-hurt"
                self.tune_with_kills(study, hurt)
                self.assertEqual(self.train(study, hurt, 2), calm)

    def test_where_none_may_wait_epochs_are_trained_again_and_do_not_count(self):
        study = self.study(PRUNERS[0], more="resources: {parked: 0}")
        calm = self.train(self.study(PRUNERS[0]), self.folder / "calm", 1)
        self.assertEqual(self.logical_without_spec(calm), self.logical_without_spec(self.train(study, self.folder / "none", 1)))
        self.assertGreater(max(len(starts) for starts in self.trained().values()), 1)

    def test_an_interrupted_trial_goes_on_from_its_last_checkpoint(self):
        study = self.study("null", HELD)
        (self.folder / "gate").touch()
        calm = self.train(study, self.folder / "calm", 1)
        for number in (signal.SIGINT, signal.SIGKILL):
            with self.subTest(number.name):
                store = self.folder / number.name
                self.interrupt_at_the_gate(study, store, number)
                self.assertEqual(self.train(study, store, 1), calm)
                first = list(self.trained().values())[0]
                self.assertEqual(first, [[1, 2, 3, 4, 5, 6], [6, 7, 8, 9]])
                self.assertEqual(self.count("dl_edge where kind = 'resumed_from'", store.name), 1)

    def interrupt_at_the_gate(self, study, store, number):
        (self.folder / "gate").unlink(missing_ok=True)
        (self.folder / "trace").write_text("")
        driver = self.start("tune", study, "--store", store, "--workers", "1")
        self.await_("epoch 6", lambda: (self.folder / "trace").read_text().endswith(" 6\n"), driver)
        workers = children(driver.pid)
        driver.send_signal(number)
        self.finish(driver)
        for worker in workers:
            kill(worker)  # which would go on for another driver
        self.await_("the end of its program", lambda: not processes_with("TRACE", self.folder / "trace"))
        (self.folder / "gate").touch()

    @staticmethod
    def logical_without_spec(text):
        return [line for line in text.splitlines() if '"kind":"study"' not in line and '"spec"' not in line]


if __name__ == "__main__":
    unittest.main()
