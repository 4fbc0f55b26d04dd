# SPDX-License-Identifier: Apache-2.0
"""Measures a build from nothing, with unity builds and without, at the same optimisation and without compiler cache.

The short form builds all programs with unity, and compares both kinds of build on some rooms: without unity the programs
take half an hour on two cores. --full builds all programs both ways.
"""
import os
import shutil
import subprocess
import time

from benchlib import ROOT, Row, say

SOME_ROOMS = ("dlrun_model", "dlrun_spec", "dlrun_nn")


def configured(unity):
    """A build folder with nothing built in it."""
    folder = ROOT / "build" / "bench" / f"unity-{unity.lower()}"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DDLRUN_TESTS=OFF",
                    f"-DDLRUN_UNITY={unity}", "-DCCACHE=OFF"], check=True, stdout=subprocess.DEVNULL)
    return folder


def built(folder, *targets):
    """Minutes on the clock and minutes of processor time."""
    say(f"building {', '.join(targets)} in {folder.name}")
    before, begun = os.times(), time.perf_counter()
    subprocess.run(["cmake", "--build", folder, "-j", str(len(os.sched_getaffinity(0))), "--target", *targets], check=True,
                   stdout=subprocess.DEVNULL)
    after = os.times()
    cpu = after.children_user - before.children_user + after.children_system - before.children_system
    return (time.perf_counter() - begun) / 60, cpu / 60


def rows(full):
    compared = ("programs",) if full else SOME_ROOMS
    _, theirs = built(configured("OFF"), *compared)
    wall, cpu = built(configured("ON"), "programs")
    ours = cpu if full else built(configured("ON"), *compared)[1]
    name = "build.programs" if full else "build.rooms " + ", ".join(room.removeprefix("dlrun_") for room in compared)
    return [Row("build.programs, from nothing", wall, "min", target="<= 10 min", met=wall <= 10),
            Row("build.programs, processor time", cpu, "min", target="<= 15 min", met=cpu <= 15),
            Row(f"{name}, processor time", ours, "min", "each source alone", theirs, ours / theirs, "<= 0.25x",
                ours / theirs <= 0.25)]
