# SPDX-License-Identifier: Apache-2.0
"""The plan that injector.c reads and the calls that it counts: a file of numbers that all processes of a run share."""
import errno
import itertools
import os
import struct
from dataclasses import dataclass
from pathlib import Path

ROLES = ("driver", "worker", "program")
CLASSES = ("disk", "sync", "read", "name", "open", "spawn", "memory", "large", "talk")
ACTIONS = ("count", "fail", "signal")
SHIM = Path(os.environ.get("DLRUN_INJECTOR", "build/release/bin/libdlrun_injector.so")).resolve()
NUMBERS = struct.Struct(f"={8 + len(ROLES) * len(CLASSES)}q")


@dataclass(frozen=True)
class Plan:
    """From call `at` of a class on, `times` calls fail with an errno or raise a signal (-1: all). The default only counts."""
    role: str = "driver"
    calls: str = "disk"
    at: int = 0
    action: str = "count"
    number: int = 0
    times: int = 0

    def __str__(self):
        how = {"count": "nothing", "fail": errno.errorcode.get(self.number, ""), "signal": f"signal {self.number}"}[self.action]
        times = "until the end" if self.times < 0 else f"{self.times} times"
        return f"{how} {times} from call {self.at} of {self.role} {self.calls} on"


class State:
    """One run's shared file. Processes of an earlier run may still use theirs, so each run has its own."""

    def __init__(self, folder, plan):
        self.folder = folder
        self.file = next(path for i in itertools.count() if not (path := folder / f"injector-{i}").exists())
        head = (ROLES.index(plan.role), CLASSES.index(plan.calls), plan.at, ACTIONS.index(plan.action), plan.number, plan.times)
        self.file.write_bytes(NUMBERS.pack(*head, *[0] * (2 + len(ROLES) * len(CLASSES))))

    def heal(self):
        """Ends the plan for the processes that have it."""
        with open(self.file, "r+b") as file:
            file.seek(3 * 8)
            file.write(struct.pack("=q", ACTIONS.index("count")))

    def environment(self):
        return {"LD_PRELOAD": str(SHIM), "ATTACK_STATE": str(self.file), "ATTACK_FOLDER": str(self.folder)}

    def numbers(self):
        return NUMBERS.unpack(self.file.read_bytes())

    def has_struck(self):
        return self.numbers()[6] > 0

    def stopped(self):
        """Process that the plan stopped last; 0 if none."""
        return self.numbers()[7]

    def counts(self):
        """Calls by (role, class)."""
        names = [(role, calls) for role in ROLES for calls in CLASSES]
        return dict(zip(names, self.numbers()[8:]))
