# SPDX-License-Identifier: Apache-2.0
"""Bugs to plant: which there are, and the source with one of them in it.

A bug names its place by file, function and replaced text, never by line, so that it survives refactoring. One whose
place is gone, or is there twice, is an error: it would be counted as found without having been there.
"""
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KEPT = Path(__file__).resolve().parent / "kept"


class NotApplicable(Exception):
    """The place of a bug is gone or is not the only one."""


@dataclass(frozen=True)
class Mutant:
    """A bug.

    file: path below the checkout. function: a text that occurs once in the file. old: the text to be replaced; occurs
    once between `function` and the next line that begins with "}". tests: names of tests that must find it, nearest first.
    """
    name: str
    file: str
    function: str
    old: str
    new: str
    tests: tuple
    says: str

    def planted_in(self, text):
        """The source with the bug. @throws NotApplicable"""
        begin = self.only(text, self.function, 0, len(text), "function")
        end = text.find("\n}", begin)
        at = self.only(text, self.old, begin, len(text) if end < 0 else end + 2, "old")
        return text[:at] + self.new + text[at + len(self.old):]

    def only(self, text, wanted, begin, end, key):
        count = text.count(wanted, begin, end)
        if count != 1:
            raise NotApplicable(f"{self.name}: {self.file} has {key} = {wanted!r} {count} times, not once")
        return text.find(wanted, begin, end)


def read(file):
    """The mutants of one file of tests/mutants/kept. @throws NotApplicable  if a key is missing or unknown"""
    tables = tomllib.loads(file.read_text())["mutant"]
    try:
        return [Mutant(**{**table, "tests": tuple(table["tests"])}) for table in tables]
    except (KeyError, TypeError) as error:
        raise NotApplicable(f"{file.name}: {error}") from error


def kept(folder=KEPT):
    """{name: Mutant} in the order of files and of their tables."""
    found = {}
    for file in sorted(folder.glob("*.toml")):
        for mutant in read(file):
            if mutant.name in found:
                raise NotApplicable(f"{file.name}: a second mutant {mutant.name!r}")
            found[mutant.name] = mutant
    return found


def check(mutants, root=ROOT):
    """Faults of the mutants, a line for each."""
    problems = []
    for mutant in mutants:
        try:
            if mutant.old == mutant.new:
                raise NotApplicable(f"{mutant.name}: it changes nothing")
            mutant.planted_in((root / mutant.file).read_text())
        except (NotApplicable, OSError) as error:
            problems.append(str(error))
    return problems
