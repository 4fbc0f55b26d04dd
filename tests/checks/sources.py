# SPDX-License-Identifier: Apache-2.0
"""Checks that look at each source alone: which sources there are, which were clean before, and which come first.

A source is checked with its compile command from BUILD_DIR/alone, a tree that is only configured, without unity
builds: a unity build's own compile commands name generated files only. A source that was clean is not checked again
until it, a project header that it reaches, its compile command, or the tool changes. The hashes of clean sources are
kept in ${XDG_CACHE_HOME:-~/.cache}/dlrun/CHECK and shared by all checkouts. Sources that changed last are checked
first, so that a run with a time limit checks what is new.
"""
import argparse
import hashlib
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dlrun"
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.M)
FORGET_AFTER_DAYS = 60


def configured_alone(build):
    """The compile commands of BUILD_DIR/alone, configured now, as {path below the checkout: command}."""
    subprocess.run([ROOT / "tests/checks/alone", build], check=True)
    commands = json.loads((build / "alone/compile_commands.json").read_text())
    places = {Path(command["file"]).resolve(): command["command"] for command in commands}
    return {place.relative_to(ROOT): command for place, command in places.items() if place.is_relative_to(ROOT)}


def missing(commands, folders, left_out=()):
    """Sources of these folders that have no compile command: they would be passed over without a word."""
    there = [path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("*.cpp")]
    return sorted(path for path in there if path not in commands and path.parts[1] not in left_out)


def newest_first():
    """{path: rank}: what is not committed has rank -1, then by the last commit that changed a file."""
    def git(*words):
        ran = subprocess.run(["git", *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                             check=False)  # without a commit there is no order, which is no fault
        return ran.stdout.splitlines()
    ranks = {}
    for path in git("log", "--name-only", "--format="):
        ranks.setdefault(Path(path), len(ranks))
    ranks.update((Path(line[3:]), -1) for line in git("status", "--porcelain", "--untracked-files=all"))
    return ranks


@lru_cache(maxsize=None)
def content(path):
    data = path.read_bytes()
    return hashlib.sha256(data).digest(), INCLUDE.findall(data.decode(errors="replace"))


def reached(path, folders):
    """The file and every file of the project that it includes, directly or not."""
    seen, ahead = set(), [path]
    while ahead:
        path = ahead.pop()
        if path in seen:
            continue
        seen.add(path)
        for header in content(path)[1]:
            ahead += [found for folder in (path.parent, *folders) if (found := (folder / header).resolve()).is_file()]
    return sorted(seen)


def key_of(place, command, tool):
    """@param tool  bytes that change when the tool or its settings do"""
    folders = [Path(word[2:]) for word in command.split() if word.startswith(f"-I{ROOT}")]
    digest = hashlib.sha256(tool + command.replace(str(ROOT), "").encode())
    for path in reached(ROOT / place, folders):
        digest.update(str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path).encode())
        digest.update(content(path)[0])
    return digest.hexdigest()


class Memory:
    """Hashes of clean sources, kept between runs and shared by checkouts."""

    def __init__(self, check):
        self.folder = CACHE / check
        self.folder.mkdir(parents=True, exist_ok=True)
        for mark in self.folder.iterdir():
            if time.time() - mark.stat().st_mtime > FORGET_AFTER_DAYS * 86400:
                mark.unlink(missing_ok=True)

    def has(self, key):
        return (self.folder / key).exists()

    def keep(self, key):
        (self.folder / key).touch()


def ran_until(end, words):
    """The finished process, or None if time was over before it began or ended.

    @param end  of time.monotonic()
    """
    left = end - time.monotonic()
    if left <= 0:
        return None
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          cwd=ROOT, start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=None if left == math.inf else left)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # a compiler is a child of the cache's program
            process.communicate()  # none of them holds the pipes any more
            return None
    return subprocess.CompletedProcess(words, process.returncode, out, err)


def check_each(check, commands, tool, command_line, jobs, seconds):
    """Runs command_line(place, command) for each source that was not clean before.

    @return  the exit code: 1 if a source has findings
    """
    memory, ranks, end = Memory(check), newest_first(), time.monotonic() + seconds
    keys = {place: key_of(place, command, tool) for place, command in commands.items()}
    new = sorted((place for place in keys if not memory.has(keys[place])), key=lambda place: ranks.get(place, math.inf))
    print(f"{check}: {len(keys)} files, {len(keys) - len(new)} known to be clean", flush=True)

    def run(place):
        begun = time.monotonic()
        return ran_until(end, command_line(place, commands[place])), time.monotonic() - begun

    faulty, left = 0, 0
    with ThreadPoolExecutor(jobs) as pool:
        for place, (ran, took) in zip(new, pool.map(run, new)):
            if ran is None:
                left += 1
                continue
            print(f"{check}: {place} {took:.1f} s{'' if ran.returncode == 0 else ': findings'}", flush=True)
            if ran.returncode == 0:
                memory.keep(keys[place])
            else:
                faulty += 1
                print((ran.stdout or ran.stderr).replace(f"{ROOT}/", ""), flush=True)
    if left:
        print(f"{check}: {left} files were NOT checked: {seconds:.0f} s were over; the next run goes on with them")
    print(f"{check}: {faulty} files with findings" if faulty else f"{check}: {'the others are clean' if left else 'clean'}")
    return 1 if faulty else 0


def arguments(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("files", nargs="*", type=Path)
    return parser.parse_intermixed_args()


def chosen(commands, files):
    """The sources that a person named, or all."""
    wanted = {path.resolve() for path in files}
    return {place: command for place, command in commands.items() if not wanted or ROOT / place in wanted}


def require_all(check, lost):
    """Ends the program if there are sources without a compile command."""
    if lost:
        sys.exit(f"{check}: {len(lost)} sources have no compile command, for example {lost[0]}")
