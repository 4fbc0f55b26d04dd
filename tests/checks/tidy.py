#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over the driver's sources (lib and apps without libtorch), once per content.

  tidy.py BUILD_DIR [--jobs N] [--seconds S] [FILE...]

A file that was clean is not looked at again until it, a project header it reaches, .clang-tidy, its compile command or
clang-tidy changes: the hash of those is remembered in ${XDG_CACHE_HOME:-~/.cache}/dlrun/tidy. Ends with 1 at a finding.
After S seconds no further file is begun, how many were left is said, and the next run begins with those.
"""
import argparse
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dlrun/tidy"
TIDY = "clang-tidy-14"
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.M)
FORGET_AFTER_DAYS = 60


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


def key_of(command, version):
    folders = [Path(word[2:]) for word in command["command"].split() if word.startswith(f"-I{ROOT}")]
    digest = hashlib.sha256(version + (ROOT / ".clang-tidy").read_bytes())
    digest.update(command["command"].replace(str(ROOT), "").encode())
    for path in reached(Path(command["file"]).resolve(), folders):
        digest.update(str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path).encode())
        digest.update(content(path)[0])
    return digest.hexdigest()


def is_ours(command, wanted):
    place = Path(command["file"]).resolve()
    if not place.is_relative_to(ROOT) or place.relative_to(ROOT).parts[0] not in ("lib", "apps"):
        return False
    return "/torch/csrc/api/include" not in command["command"] and (not wanted or place in wanted)


def look_at(command, build, end):
    begun = time.monotonic()
    if begun > end:
        return None, 0  # no time left
    ran = subprocess.run([TIDY, "--quiet", "-p", str(build), "--extra-arg=-Wno-unknown-warning-option",
                          command["file"]],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return ran, time.monotonic() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("files", nargs="*", type=Path)
    asked = parser.parse_args()
    version = subprocess.run([TIDY, "--version"], stdout=subprocess.PIPE, check=True).stdout
    commands = json.loads((asked.build / "compile_commands.json").read_text())
    wanted = {path.resolve() for path in asked.files}
    keyed = {c["file"]: (key_of(c, version), c) for c in commands if is_ours(c, wanted)}
    CACHE.mkdir(parents=True, exist_ok=True)
    for mark in CACHE.iterdir():
        if time.time() - mark.stat().st_mtime > FORGET_AFTER_DAYS * 86400:
            mark.unlink(missing_ok=True)
    new = [(key, command) for key, command in keyed.values() if not (CACHE / key).exists()]
    print(f"tidy: {len(keyed)} files, {len(keyed) - len(new)} known to be clean", flush=True)
    end = time.monotonic() + asked.seconds
    faulty, left = 0, 0
    with ThreadPoolExecutor(asked.jobs) as pool:
        for (key, command), (ran, seconds) in zip(new, pool.map(lambda job: look_at(job[1], asked.build, end), new)):
            if ran is None:
                left += 1
                continue
            place = Path(command["file"]).relative_to(ROOT)
            print(f"tidy: {place} {seconds:.1f} s{'' if ran.returncode == 0 else ': findings'}", flush=True)
            if ran.returncode == 0:
                (CACHE / key).touch()
            else:
                faulty += 1
                print(ran.stdout.replace(f"{ROOT}/", "") or ran.stderr, flush=True)
    if left:
        print(f"tidy: {left} files were NOT looked at: {asked.seconds:.0f} s were over; the next run begins with them")
    print(f"tidy: {faulty} files with findings" if faulty else "tidy: clean" if not left else "tidy: the others are clean")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
