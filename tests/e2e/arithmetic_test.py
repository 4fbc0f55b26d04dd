# SPDX-License-Identifier: Apache-2.0
"""The same decisions on every x86-64 processor: each study is run twice, the second time with the C library's faster
instructions (AVX2, FMA, AVX-512) masked as on a processor without them, and both logical exports must be equal byte by byte.

DLRUN_EMULATOR, if set, is a command in front of the driver and the workers of the second run instead, such as
"qemu-x86_64 -cpu Nehalem".
"""
import difflib
import os
import shlex
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from support import BIN, Folder  # noqa: E402

MASK = "glibc.cpu.hwcaps=-AVX,-AVX2,-FMA,-FMA4,-AVX512F,-AVX512VL"
EMULATOR = shlex.split(os.environ.get("DLRUN_EMULATOR", ""))
LINES = "\n  "
BOX = "{x1: {type: float, low: -5, high: 10}, x2: {type: float, low: 0, high: 15}}"
UNIT = "{x1: {type: float, low: 0, high: 1}, x2: {type: float, low: 0, high: 1}, x3: {type: float, low: 0, high: 1}}"
MIXED = """
  x1: {type: float, low: 1e-3, high: 9, scale: log}
  x2: {type: int, low: 1, high: 300, scale: log}
  x3: {type: float, low: -1, high: 1}
  x4: {type: categorical, choices: [0.5, 1, 2]}"""
FINITE = """
  x1: {type: int, low: 1, high: 300, scale: log}
  x2: {type: float, low: 0, high: 1, step: 0.1}"""
SAMPLERS = ["auto", "random", "sobol", "halton", "tpe", "tpe_univariate", "cma_es", "gp", "nsga2", "evolution"]
FUNCTIONS = {"bnh": 2, "c2_dtlz2": 2, "dtlz2": 3, "zdt1": 2, "zdt2": 2, "zdt3": 2, "ackley": 1, "branin": 1, "hartmann6": 1,
             "levy": 1, "quadratic": 1, "rastrigin": 1, "rosenbrock": 1, "sphere": 1, "styblinski_tang": 1}
PRUNERS = ["asha", "{op: asha, type: stop}", "pasha", "successive_halving", "hyperband", "bohb", "median",
           "median_of_averages", "{op: percentile, percentile: 30, min_budget: 2}", "{op: threshold, upper: 9}",
           "{op: patience, patience: 2}"]

ABLATION = """\
ablation:
  components:
    - {id: curve, set: {function.curve: 0}}
    - {id: noise, set: {function.noise: 0}}
  replicates: auto
"""


def value_of(count):
    """The objectives that a function of so many values reports."""
    if count == 1:
        return "{metric: value, direction: minimize}"
    return "[" + ", ".join(f"{{metric: value{i}, direction: minimize}}" for i in range(1, count + 1)) + "]"


def study(space, trial, search, trials=40, objective=value_of(1), more=""):
    return f"""\
study: arithmetic
seed: 11
objective: {objective}
space: {space}
search: {search}
{f"limits: {{trials: {trials}}}" if trials else ""}
trial: {{kind: function, {trial}}}
{more}"""


def has_fused_operations():
    return "fma" in Path("/proc/cpuinfo").read_text().split()


class Arithmetic(Folder):
    def setUp(self):
        super().setUp()
        if not EMULATOR and not has_fused_operations():
            self.skipTest("this processor has no fused multiply-add, so nothing can be masked")

        if EMULATOR:
            self.emulate_workers()

    def emulate_workers(self):
        """A driver starts the worker program that lies beside it: here a script."""
        shutil.copy(BIN / "dlrun", self.folder)
        worker = self.write(f'#!/bin/sh\nexec {shlex.join(EMULATOR)} {BIN / "dlrun-worker"} "$@"\n', "dlrun-worker")
        worker.chmod(0o755)

    def export(self, words, store, masked):
        command = [*EMULATOR, self.folder / "dlrun"] if masked and EMULATOR else [BIN / "dlrun"]
        environment = {**os.environ, **({"GLIBC_TUNABLES": MASK} if masked and not EMULATOR else {})}
        self.run_command([*command, *words, "--workers", "2", "--quiet", "--store", store], environment)
        self.run_command([*command, "export", "--logical", "-o", f"{store}.json", "--store", store], environment)
        return Path(f"{store}.json").read_text()

    def run_command(self, command, environment):
        done = subprocess.run([str(word) for word in command], env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def compare(self, name, text):
        self.compare_runs(name, ["tune", self.write(text, f"{name}.yaml")])

    def compare_runs(self, name, words):
        with self.subTest(name):
            plain, masked = (self.export(words, self.folder / f"{name}-{kind}", kind == "masked") for kind in ("plain", "masked"))
            changes = [line for line in difflib.unified_diff(plain.splitlines(), masked.splitlines(), lineterm="", n=0)
                       if line[0] in "+-" and line[:3] not in ("+++", "---")]
            self.assertEqual(len(changes), 0, f"{len(changes)} of {len(plain.splitlines())} lines\n  " + LINES.join(changes[:6]))
            self.run_command([BIN / "dlrun", "verify", "--decisions", "--quick", "--store", self.folder / f"{name}-masked"],
                             os.environ)

    def test_samplers_over_numbers(self):
        for name in SAMPLERS:
            self.compare(name, study(UNIT, "function: {op: rastrigin, noise: 0.1}", f"{{sampler: {name}}}", 60))

    def test_samplers_over_choices_and_scales(self):
        for name in SAMPLERS:
            self.compare(name, study(MIXED, "function: {op: levy, noise: 0.1}", f"{{sampler: {name}}}"))
        self.compare("grid", study(FINITE, "function: ackley", "{sampler: grid}"))

    def test_samplers_within_constraints(self):
        for name in SAMPLERS:
            more = "constraints: [x1 + x2 <= 1.2, x3 < x1]"
            self.compare(name, study(UNIT, "function: levy", f"{{sampler: {name}}}", more=more))

    def test_samplers_within_bounds(self):
        for name in ("gp", "tpe", "cma_es", "nsga2"):
            more = "feasible: [{metric: c1, max: 0}, {metric: c2, max: 0}]"
            space = "{x1: {type: float, low: 0, high: 1}, x2: {type: float, low: 0, high: 1}}"
            self.compare(name, study(space, "function: gramacy", f"{{sampler: {name}}}", more=more))

    def test_functions(self):
        for name, values in FUNCTIONS.items():
            space = BOX if name in ("branin", "bnh") else UNIT
            if name == "hartmann6":
                space = "{" + ", ".join(f"x{i}: {{type: float, low: 0, high: 1}}" for i in range(6)) + "}"
            self.compare(name, study(space, f"function: {name}", "{sampler: random}", 200, value_of(values)))

    def test_pruners(self):
        for number, pruner in enumerate(PRUNERS):
            trial = "function: {op: branin, curve: 3, noise: 1}, epochs: 9"
            self.compare(f"pruner{number}", study(BOX, trial, f"{{sampler: tpe, lanes: 4, pruner: {pruner}}}"))
        for pruner in ("pbt", "pb2"):
            self.compare(pruner, study(BOX, trial, f"{{sampler: random, pruner: {pruner}}}", None))
        trial = "function: {op: branin, noise: 5}, replicates: 10"
        self.compare("wilcoxon", study(BOX, trial, "{sampler: tpe, lanes: 4, pruner: wilcoxon}", 20))

    def test_an_end_by_expected_improvement(self):
        text = study(BOX, "function: branin", "{sampler: gp}", 60).replace("limits: {", "limits: {expected_improvement: 0.01, ")
        self.compare("promise", text)

    def test_an_ablation_that_stops_early(self):
        trial = "function: {op: ackley, noise: 0.1, curve: 0.2}, epochs: 2"
        base = self.write(study("{x: {type: constant, value: 0.5}}", trial, "{}", None).replace("search: {}\n", ""), "base.yaml")
        self.compare_runs("ablation", ["ablate", base, self.write(ABLATION, "ablation.yaml")])


if __name__ == "__main__":
    unittest.main()
