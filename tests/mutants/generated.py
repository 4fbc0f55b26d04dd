# SPDX-License-Identifier: Apache-2.0
"""Bugs that a tool makes: universalmutator changes one line at a time by its rules for C++."""
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from planting import ROOT

TOOL = "universalmutator==1.14.1"
ROOMS = ("study", "samplers", "pruners", "statistics", "ablation", "storage", "driver", "protocol", "dataset", "train", "nn",
         "warmstart")
# Rules of one kind that make most mutants and few bugs: a statement before each line, and swapped words of a declaration.
UNLIKELY = ("break;", "continue;")


@dataclass(frozen=True)
class Generated:
    """A changed line. line: its number, from 1. written: the line with the change. sound: the whole source without it."""
    file: str
    line: int
    written: str
    sound: str

    @property
    def name(self):
        return f"{self.file}:{self.line}"

    @property
    def old(self):
        return self.sound.splitlines()[self.line - 1].strip()

    @property
    def new(self):
        return self.written.strip()

    @property
    def text(self):
        """The whole source with the change."""
        lines = self.sound.splitlines(keepends=True)
        return "".join([*lines[:self.line - 1], self.written + "\n", *lines[self.line:]])


def tool():
    """The program `mutate`, installed into an environment below build/ where it is missing."""
    place = ROOT / "build/mutants/tool"
    if not (place / "bin/mutate").exists():
        venv.create(place, with_pip=True)
        subprocess.run([place / "bin/pip", "install", "--quiet", TOOL], check=True)
    return place / "bin/mutate"


def sources():
    """The sources that decide results, in the order of their paths."""
    return [file.relative_to(ROOT) for room in ROOMS for file in sorted((ROOT / "lib" / room).rglob("*.cpp"))]


@lru_cache(maxsize=None)
def mutants_of(file):
    """All that the tool makes of a source, without those of unlikely kinds, comments and includes. The tool takes seconds for
    each, so its answers are kept below build/."""
    sound = (ROOT / file).read_text()
    kept = ROOT / "build/mutants/generated" / hashlib.sha256(f"{TOOL}\n{file}\n{sound}".encode()).hexdigest()
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        new = kept.with_suffix(f".{os.getpid()}")
        new.write_text(json.dumps([(mutant.line, mutant.written) for mutant in made_by_tool(file, sound)]))
        new.rename(kept)
    return [Generated(str(file), line, written, sound) for line, written in json.loads(kept.read_text())]


def made_by_tool(file, sound):
    """All that counts of what the tool makes of a source, which it leaves as files."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([tool(), ROOT / file, "cpp", "--noCheck", "--mutantDir", folder], check=True,
                       stdout=subprocess.DEVNULL, cwd=folder)
        made = [changed(file, sound, path.read_text()) for path in sorted(Path(folder).glob("*.mutant.*"))]
    return [mutant for mutant in made if mutant]


def changed(file, sound, text):
    """The mutant, or None where nothing that counts is changed."""
    before, after = sound.splitlines(), text.splitlines()
    at = next((i for i, (old, new) in enumerate(zip(before, after)) if old != new), None)
    if at is None or len(before) != len(after) or not before[at].strip() or before[at].lstrip().startswith(("//", "#", "}")):
        return None
    if after[at].strip() in UNLIKELY or "".join(before[at].split()) == "".join(after[at].split()):
        return None
    return Generated(str(file), at + 1, after[at], sound)


def shuffled(seed):
    """All mutants in an order that the seed decides; each source is drawn by its number of lines, each line once."""
    draw = random.Random(seed)
    lines = [(file, at) for file in sources() for at in range(len((ROOT / file).read_text().splitlines()))]
    draw.shuffle(lines)
    for file, at in lines:
        here = [mutant for mutant in mutants_of(file) if mutant.line == at + 1]
        if here:
            yield draw.choice(here)


if __name__ == "__main__":
    for mutant, _ in zip(shuffled(int(sys.argv[1])), range(20)):
        print(f"{mutant.name}\n  - {mutant.old}\n  + {mutant.new}")
