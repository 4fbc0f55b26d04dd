# SPDX-License-Identifier: Apache-2.0
"""Carries out one disturbance: runs that are disturbed, runs that are not until one ends with 0, and the verdict."""
import random
import re
import signal
import time
from dataclasses import dataclass, field

from damage import PLANTS, Tmpfs, damage_artifacts
from disturbances import FOREVER
from injector import Plan, State
from referee import LONGEST, House, judge, kill
from studies import write_study

RESUMABLE = {0, 75, 130, -signal.SIGKILL}
MOST_RESUMES = 3


@dataclass
class Calm:
    """What the undisturbed study leaves, and how many calls it takes."""
    exported: str = ""
    kept: list = field(default_factory=list)
    counts: dict = field(default_factory=dict)
    bytes: int = 0   # that the store takes on the disk


@dataclass
class Outcome:
    has_struck: bool = False
    plans: list = field(default_factory=list)
    codes: list = field(default_factory=list)
    found: list = field(default_factory=list)
    skipped: str = ""
    drivers: list = field(default_factory=list)  # processes
    seconds: float = 0.0


def calm_of(study, folder):
    house, calm = new_house(study, folder), Calm()
    state = State(folder, Plan())
    process = house.start(house.command("again", 2), state.environment())
    code = process.wait(LONGEST)
    if code != 0:
        raise SystemExit(f"the undisturbed study {study.name} ends with {code}: {house.last_line()}")
    calm.exported, calm.counts = house.export(), state.counts()
    calm.bytes = sum(path.stat().st_blocks * 512 for path in house.store.rglob("*"))
    house.run("gc", "--store", "store")
    calm.kept = house.artifacts()
    return calm


def new_house(study, folder):
    folder.mkdir(parents=True)
    write_study(study, folder)
    return House(folder, study)


def strike(disturbance, folder, calm, plant=""):
    """Carries out the disturbance. @param plant  a difference that the referee must find: its self-test"""
    begun, outcome, house, damaged = time.monotonic(), Outcome(), new_house(disturbance.study, folder), []
    disk = Tmpfs(house.store, disturbance, calm) if disturbance.kind == "tmpfs" else None
    try:
        if disk and not disk.is_mounted:
            outcome.skipped = "tmpfs cannot be mounted here"
            return outcome
        for blow in disturbance.blows:
            disturbed_run(house, disturbance, blow, calm, outcome)
        if disk:
            outcome.has_struck = outcome.codes[-1] != 0
            disk.grow()
        if disturbance.kind == "artifacts" and outcome.codes[-1] != 0:  # a study that has ended is not trained again
            outcome.has_struck, damaged = damage_artifacts(house, disturbance.index)
        resume(house, disturbance, outcome)
        if disturbance.kind == "artifacts":
            mend(house, outcome)
        PLANTS[plant](house)
        outcome.found += judge(house, calm, damaged)
    finally:
        house.end_all()
        outcome.drivers = house.drivers
        outcome.seconds = time.monotonic() - begun
        if disk:
            disk.unmount(keep=bool(outcome.found))
    return outcome


def disturbed_run(house, disturbance, blow, calm, outcome):
    plan = blow.plan(calm.counts)
    state = State(house.folder, plan)
    outcome.plans.append(str(plan))
    verb = "again" if blow is disturbance.blows[0] else disturbance.verb
    process = house.start(house.command(verb, blow.workers), state.environment())
    code = watch(process, house, disturbance, blow, state)
    state.heal()
    outcome.codes.append(code)
    outcome.has_struck |= state.has_struck()
    ends = RESUMABLE | ({-blow.number} if blow.kind == "interrupt" else set())
    if code not in ends:
        outcome.found.append(f"a disturbed run ends with {code}: {house.last_line()}")


def watch(process, house, disturbance, blow, state):
    """Waits for the end of a run, and sees to processes that the plan has stopped. A plan without an end is healed after
    a while: these studies try again for ever, and then must go on. @return the exit code, or "never" """
    was_stopped, end, delay = False, time.monotonic() + LONGEST, random.Random(disturbance.index).uniform(0.02, 0.3)
    while process.poll() is None:
        if blow.times == FOREVER and time.monotonic() > end - LONGEST * 3 / 4:
            state.heal()
        if time.monotonic() > end:
            house.end_all()
            process.wait()
            return "never"
        if not was_stopped and (pid := state.stopped()):
            was_stopped = True
            time.sleep(delay)  # how long it lies still, not whether the test passes
            if blow.is_widowed:
                process.kill()
                process.wait()
                process = house.start(house.command(disturbance.verb, blow.workers))
                time.sleep(delay)
            kill(pid, signal.SIGCONT)
        time.sleep(0.005)
    return process.returncode


def mend(house, outcome):
    """Each study of the store is resumed by name: the resume before went on with the newest, where a search had ended."""
    for path in sorted((house.store / "studies").glob("*.db")):
        code, _ = house.run("resume", path.stem, "--store", "store")
        if code != 0:
            outcome.found.append(f"the resume of {path.stem} ends with {code}: {house.last_line()}")


def restore(house):
    """Does as the last help says. @return whether it named the command"""
    named = re.findall(r"help: `dlrun reproduce (\S+) --restore", (house.folder / "output").read_text(errors="replace"))
    return bool(named) and house.run("reproduce", named[-1], "--restore", "--store", "store")[0] == 0


def resume(house, disturbance, outcome):
    for _ in range(MOST_RESUMES):
        code, _ = house.run(*house.command(disturbance.verb, disturbance.workers))
        outcome.codes.append(code)
        if code == 0:
            return
        if code == 4 and disturbance.kind == "artifacts" and restore(house):
            continue  # weights of another study: the message names the command that brings them back
        outcome.found.append(f"the undisturbed resume ends with {code}: {house.last_line()}")
        if code == 1:
            return  # it counts as done
