# SPDX-License-Identifier: Apache-2.0
"""Trials that want more memory than there is: by `resources.memory_mb`, and by the kernel's OOM killer. Their cause is `oom`,
others are not touched."""
import os
import resource
import signal
import subprocess
import unittest
from pathlib import Path

from support import Folder, files_of_processes

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
        return make_group(self, f"dlrun-test-{os.getpid()}", {"memory.limit_in_bytes": limit}, {"memory.max": limit})


def make_group(test, name, version1, version2):
    """A memory cgroup below ours, with these values in its files; the test is skipped where none may be made."""
    lines = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines()]
    old = [group for _, controllers, group in lines if controllers == "memory"]
    new = [group for number, _, group in lines if number == "0"]
    parent = Path("/sys/fs/cgroup/memory" + old[0]) if old else Path("/sys/fs/cgroup" + new[0])
    try:
        if not old:
            (parent / "cgroup.subtree_control").write_text("+memory")
        group = parent / name
        group.mkdir()
        test.addCleanup(group.rmdir)
        for file, value in (version1 if old else version2).items():
            (group / file).write_text(str(value))
    except (IndexError, OSError) as fault:
        test.skipTest(f"no memory cgroup may be made here: {fault}")
    return group


# Each member keeps what it has until all have as much.
CREW = """\
import subprocess, sys
held = "kept = bytearray(150 << 20); print(); import sys; sys.stdin.read()"
crew = [subprocess.Popen([sys.executable, "-c", held], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        for _ in range(int(sys.argv[1]))]
if not all(member.stdout.readline() for member in crew):
    for member in crew:
        member.kill()
    sys.exit(1)
for member in crew:
    member.stdin.close()
ends = [member.wait() for member in crew]
print('::dlrun {"metric": "value", "value": 1}')
sys.exit(any(ends))
"""
LEAVER = """\
import subprocess, sys
held = "import time; time.sleep(3600)"
left = subprocess.Popen([sys.executable, "-c", held, "left-by-" + sys.argv[1]], start_new_session=True, close_fds=True,
                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print('::dlrun {"metric": "value", "value": 1}')
"""


def limits_by_group(folder):
    """What doctor says of this machine."""
    done = folder.run_dlrun("doctor", "--format", "csv")
    return next(line for line in done.stdout.splitlines() if line.startswith("memory limits")).split(",")[2]


# The first attempt of the first trial leaves a process in a session of its own, and waits.
DAEMON = """\
import os, subprocess, sys, time
if not os.path.exists("left"):
    held = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(3600)'] + sys.argv[1:]).wait()"
    subprocess.Popen([sys.executable, "-c", held, sys.argv[1]], start_new_session=True, close_fds=True)
    with open("new", "w") as file:
        file.write(open(f"/proc/{os.getppid()}/stat").read().rsplit(")", 1)[1].split()[1])  # its keeper's parent
    os.rename("new", "left")
    time.sleep(3600)
print('::dlrun {"metric": "value", "value": 1}')
"""


class Left(Folder):
    """No control group: what a program left in a session of its own ends although its worker cannot end it."""

    def of_name(self, name):
        return [path for path in files_of_processes("cmdline") if name.encode() in read_or_nothing(path)]

    def test_what_is_left_ends_with_a_worker_that_is_killed(self):
        name = f"left-by-{os.getpid()}"
        self.write(DAEMON, "hoard.py")
        study = PROGRAM.replace("resources: {memory_mb: 400}\n", "").replace("hoard.py, '{gigabytes}'", f"hoard.py, {name}")
        study = study.replace("command: [", f"folder: {self.folder}, command: [").replace("[0, 1]", "[0]")
        driver = self.start("tune", self.write(study), "--workers", 1, "--store", "store")
        self.await_("the worker's number", (self.folder / "left").exists, while_runs=driver)
        self.await_("the process and its child", lambda: len(self.of_name(name)) == 3, while_runs=driver)
        os.kill(int((self.folder / "left").read_text()), signal.SIGKILL)
        self.end_of(driver)
        self.assertEqual(self.of_name(name), [])


@unittest.skipIf(SANITIZED, "the sanitizer takes more memory than the group has")
class Group(Folder):
    """A limit for a worker and all that it starts together."""

    def setUp(self):
        super().setUp()
        if not limits_by_group(self).startswith("by control groups"):
            self.skipTest("no memory cgroup may be made here")

    def tune_programs(self, script, values):
        self.write(script, "hoard.py")
        study = PROGRAM.replace("[0, 1]", values)
        done = self.tune(self.write(study), self.folder / "store", workers=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_programs_that_are_small_each_and_large_together(self):
        self.tune_programs(CREW, "[1, 4]")
        ends = self.run_dlrun("report", "--store", "store", "--format", "csv", "--sql",
                              "select trial, coalesce(cause, state) how from trials")
        self.assertEqual(ends.stdout.split()[1:], ["0,completed", "1,oom"])
        self.assertIn("for want of memory", self.run_dlrun("show", "1", "--store", "store").stdout)

    def test_what_a_program_leaves_behind_ends_with_its_worker(self):
        name = f"left-by-{os.getpid()}"
        self.tune_programs(LEAVER.replace("sys.argv[1]", repr(name[8:])), "[0]")
        found = [path for path in files_of_processes("cmdline") if name.encode() in read_or_nothing(path)]
        self.assertEqual(found, [])

    def test_no_group_is_left(self):
        """Nor one of a driver that was killed."""
        gone = subprocess.Popen(["true"])
        gone.wait()
        killed = Path(make_group(self, f"dlrun-test-{os.getpid()}", {}, {})).with_name(f"dlrun-{gone.pid}-0")
        killed.mkdir()
        self.tune_programs(SCRIPT, "[0]")
        ours = tuple(f"dlrun-{process.pid}-" for process in [*self.started, gone])
        self.assertEqual([path for path in Path("/sys/fs/cgroup").rglob("dlrun-*") if path.name.startswith(ours)], [])


@unittest.skipIf(SANITIZED, "the sanitizer takes more memory than the group has")
@unittest.skipUnless(os.geteuid() == 0 and Path("/sys/fs/cgroup/cgroup.controllers").exists(),
                     "only root delegates a group of version 2 (tests/vm/run has them)")
class Delegated(Folder):
    """A user who was given a group of version 2, as by `systemd-run --user --scope -p Delegate=yes`."""
    NOBODY = 65534

    def setUp(self):
        super().setUp()
        self.group = make_group(self, f"dlrun-test-{os.getpid()}", {}, {})
        for path in [self.group, *self.group.iterdir(), self.folder]:
            os.chown(path, self.NOBODY, self.NOBODY)

    def as_user(self):
        (self.group / "cgroup.procs").write_text(str(os.getpid()))
        os.setgroups([])
        os.setgid(self.NOBODY)
        os.setuid(self.NOBODY)

    def test_limits_hold_and_the_group_is_left_as_it_was(self):
        self.write(CREW, "hoard.py")
        done = self.run_dlrun("tune", self.write(PROGRAM.replace("[0, 1]", "[1, 4]")), "--workers", 1, "--store", "store",
                              preexec_fn=self.as_user)
        self.assertEqual(done.returncode, 0, done.stderr)
        ends = self.run_dlrun("report", "--store", "store", "--format", "csv", "--sql",
                              "select trial, coalesce(cause, state) how from trials")
        self.assertEqual(ends.stdout.split()[1:], ["0,completed", "1,oom"])
        self.assertEqual([path.name for path in self.group.iterdir() if path.is_dir()], [])
        self.assertEqual((self.group / "cgroup.subtree_control").read_text().strip(), "")


def read_or_nothing(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


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
