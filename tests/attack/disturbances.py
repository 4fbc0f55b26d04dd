# SPDX-License-Identifier: Apache-2.0
"""Which disturbance is number i: a pure function of the seed, i, and the studies and kinds to choose from."""
import errno
import random
import signal
from dataclasses import dataclass

from injector import Plan
from studies import STUDIES

# How often each kind is drawn in twenty-one. Kinds with 0 run only if --kinds names them.
KINDS = {"kill": 4, "interrupt": 1, "freeze": 1, "disk": 3, "sync": 1, "read": 1, "name": 1, "files": 1, "spawn": 1, "memory": 2,
         "tmpfs": 1, "mixed": 3,
         "artifacts": 1}  # files of finished pieces deleted or changed between kill and resume
ERRORS = {"disk": (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS), "sync": (errno.EIO, errno.ENOSPC), "read": (errno.EIO,),
          "name": (errno.EACCES, errno.EIO, errno.ESTALE), "files": (errno.EMFILE, errno.ENFILE),
          "spawn": (errno.EAGAIN, errno.ENOMEM), "memory": (errno.ENOMEM,)}
WITHOUT_PROGRAMS = ("files", "spawn", "memory")  # what becomes of a program that lacks these is the program's own affair
FOREVER = -1                                     # until the run ends


@dataclass(frozen=True)
class Blow:
    """One disturbed run. @param moment  share of the calm run's calls after which it strikes"""
    kind: str
    role: str
    calls: str
    moment: float
    action: str = "fail"
    number: int = 0
    times: int = 1
    workers: int = 2
    is_widowed: bool = False  # a worker is stopped, its driver killed, and the worker goes on under the next driver

    def plan(self, counts):
        """For a study with these calls. Where its workers make none of the kind, the driver is struck instead."""
        role = self.role if counts[self.role, self.calls] else "driver"
        return Plan(role, self.calls, 1 + int(self.moment * counts[role, self.calls]), self.action, self.number, self.times)


@dataclass(frozen=True)
class Disturbance:
    index: int
    study: object
    kind: str
    blows: tuple
    verb: str   # how the user goes on: "resume", or "again" for the command that began the study
    workers: int


def deal(deck, seed, index, purpose):
    """Card number `index` of decks that are shuffled one after the other, so that every card comes."""
    cards = [card for card, times in deck for _ in range(times)]
    random.Random(f"{seed} {purpose} {index // len(cards)}").shuffle(cards)
    return cards[index % len(cards)]


def draw(seed, index, studies, kinds):
    study = STUDIES[deal([(name, STUDIES[name].weight) for name in studies], seed, index, "studies")]
    kind = deal([(name, KINDS[name] or 1) for name in kinds], seed, index, "kinds")
    if kind == "artifacts" and not study.has_checkpoints:
        kind = "kill"
    chance = random.Random(f"{seed} {index}")
    plain = [name for name in ERRORS] + ["kill", "interrupt", "freeze"]
    each = [chance.choice(plain) for _ in range(chance.randint(2, 4))] if kind == "mixed" else [kind]
    blows = tuple(draw_blow(chance, study, name, is_first=i == 0) for i, name in enumerate(each))
    return Disturbance(index, study, kind, blows, chance.choice(("resume", "again")), chance.randint(1, 4))


def draw_blow(chance, study, kind, is_first):
    roles = ["driver", "worker", "worker"] + (["program"] if study.has_programs and kind not in WITHOUT_PROGRAMS else [])
    role = "driver" if kind in ("tmpfs", "artifacts") else chance.choice(roles)
    moment = 0.9 * chance.random() if is_first else chance.random() ** 2  # runs that continue are shorter
    options = {"kind": kind, "role": role, "moment": moment, "workers": chance.randint(1, 4)}
    anywhere = chance.choice(("disk", "disk", "read", "open") if role == "program" else ("disk", "disk", "talk", "talk", "open", "memory"))
    if kind in ("kill", "artifacts"):
        return Blow(calls=anywhere, action="signal", number=signal.SIGKILL, times=chance.choice((1, 1, 2)), **options)
    if kind == "interrupt":
        number = chance.choice((signal.SIGINT, signal.SIGTERM)) if role == "driver" else signal.SIGTERM
        return Blow(calls=anywhere, action="signal", number=number, times=chance.choice((1, 2)) if role == "driver" else 1, **options)
    if kind == "freeze":
        return Blow(calls=anywhere, action="signal", number=signal.SIGSTOP, is_widowed=role == "worker" and chance.random() < 0.5, **options)
    if kind == "tmpfs":
        return Blow(calls="disk", action="count", **options)
    times = chance.choice((1, 3) if role == "program" else (1, 3, FOREVER))
    calls = {"files": "open", "memory": chance.choice(("memory", "large"))}.get(kind, kind)
    if kind == "sync" and role == "program":
        calls = "disk"  # it syncs nothing
    return Blow(calls=calls, number=chance.choice(ERRORS[kind]), times=1 if kind == "memory" else times, **options)
