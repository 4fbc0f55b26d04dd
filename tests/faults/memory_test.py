# SPDX-License-Identifier: Apache-2.0
"""Trials that want more memory than there is: by `resources.memory_mb`, and by the kernel's OOM killer. Their cause is `oom`,
others are not touched."""
import os
import resource
import unittest
from pathlib import Path

from support import Folder

SANITIZED = os.environ.get("DLRUN_SANITIZED") == "1"
STUDY = """\
study: greedy
objective: {metric: value, direction: minimize}
space:
  x: {type: float, low: 0, high: 1, step: 0.5}
  fault: {at: function.fault, type: categorical, choices: [none, hoard]}
search: {sampler: grid, lanes: 2, pruner: none}
RESOURCES
trial: {kind: function, function: sphere}
"""
PROGRAM = """\
study: program
objective: {metric: value, direction: minimize}
space:
  gigabytes: {type: ordinal, choices: [0, 1]}
search: {sampler: grid, pruner: none}
resources: {memory_mb: 400}
trial: {kind: command, command: [python3, hoard.py, '{gigabytes}']}
"""
SCRIPT = """\
import sys
kept = bytearray(int(sys.argv[1]) << 30)
print('::dlrun {"metric": "value", "value": 1}')
"""


class Greedy(Folder):
    def ends(self, store):
        done = self.run_dlrun("report", "--store", store, "--format", "csv", "--sql",
                              "select p.value, coalesce(t.cause, t.state) how, count(*) n from trials t join params p "
                              "on p.trial = t.trial where p.name = 'fault' group by 1, 2 order by 1")
        return done.stdout.split()[1:]

    @unittest.skipIf(SANITIZED, "the sanitizer reserves more than any limit")
    def test_a_trial_above_its_limit_fails_and_its_worker_lives(self):
        study = self.write(STUDY.replace("RESOURCES", "resources: {memory_mb: 400}"))
        done = self.tune(study, self.folder / "store")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.ends("store"), ["hoard,oom,3", "none,completed,3"], done.stderr)
        workers = self.run_dlrun("report", "--store", "store", "--format", "csv", "--sql", "select count(*) n from workers")
        self.assertEqual(workers.stdout.split()[-1], "2")

    def test_without_a_limit_it_may(self):
        done = self.tune(self.write(STUDY.replace("RESOURCES", "")), self.folder / "store")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.ends("store"), ["hoard,completed,3", "none,completed,3"], done.stderr)

    def test_too_little_for_anything_is_refused(self):
        done = self.run_dlrun("check", self.write(STUDY.replace("RESOURCES", "resources: {memory_mb: 1}")))
        self.assertEqual(done.returncode, 2)
        self.assertIn("memory_mb", done.stderr)

    @unittest.skipIf(SANITIZED, "the sanitizer takes more memory than the group has")
    def test_the_killer_of_the_kernel(self):
        group = self.new_group(500 << 20)
        study = self.write(STUDY.replace("RESOURCES", ""))
        done = self.run_dlrun("tune", study, "--workers", 1, "--store", "store",
                              preexec_fn=lambda: (group / "cgroup.procs").write_text(str(os.getpid())))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.ends("store"), ["hoard,oom,3", "none,completed,3"], done.stderr)

    def new_group(self, limit):
        """A memory cgroup of version 1 below ours."""
        ours = [line.split(":", 2)[2] for line in Path("/proc/self/cgroup").read_text().splitlines() if ":memory:" in line]
        try:
            group = Path("/sys/fs/cgroup/memory" + ours[0]) / f"dlrun-test-{os.getpid()}"
            group.mkdir()
            self.addCleanup(group.rmdir)
            (group / "memory.limit_in_bytes").write_text(str(limit))
        except (IndexError, OSError) as fault:
            self.skipTest(f"no memory cgroup may be made here: {fault}")
        return group


class Program(Folder):
    @unittest.skipIf(SANITIZED, "the sanitizer reserves more than any limit")
    def test_a_program_has_the_same_limit(self):
        self.write(SCRIPT, "hoard.py")
        done = self.tune(self.write(PROGRAM), self.folder / "store", workers=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        ends = self.run_dlrun("report", "--store", "store", "--format", "csv", "--sql", "select trial, state from trials")
        self.assertEqual(ends.stdout.split()[1:], ["0,completed", "1,failed"], done.stderr)
        self.assertIn("MemoryError", self.run_dlrun("show", "1", "--store", "store").stdout)


class Descriptors(Folder):
    """More workers than this process may have files open."""

    @unittest.skipIf(SANITIZED, "the sanitizer wants a descriptor of its own to look at an object's type")
    def test_few_descriptors(self):
        study = self.write(STUDY.replace("RESOURCES", ""))
        limited = self.run_dlrun("tune", study, "--workers", 100, "--store", "store", "--set", "search.lanes=100",
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)))
        self.assertEqual(limited.returncode, 75, limited.stderr)


if __name__ == "__main__":
    unittest.main()
