#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The walls between the rooms, checked by machine.

  check.py source [--root DIR]            includes against link lists, owners of libraries, purity, READMEs, SPDX lines,
                                          lengths of sources, first words of comments
  check.py build BUILD_DIR [--root DIR]   dlrun is free of libtorch, every *_test.cpp is built and known to ctest, and
                                          every source is part of a unity source; needs BUILD_DIR/alone (checks/alone)

Prints a line for each breach, "file:line: what, and what would be right", and ends with 1 where there is one.
"""
import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

TORCH_ROOMS = {"nn", "data", "train", "parallel"}
TORCH_APPS = {"dlrun-trainer"}

# Which rooms may include a library; everyone else goes through them.
OWNERS = [
    (re.compile(r"(torch|ATen|c10|caffe2)/"), TORCH_ROOMS | TORCH_APPS, "libtorch"),
    (re.compile(r"yaml-cpp/"), {"document"}, "yaml-cpp"),
    (re.compile(r"sqlite3(ext)?\.h"), {"storage", "report"}, "SQLite"),
    (re.compile(r"sleef\.h"), {"util"}, "SLEEF"),
    (re.compile(r"boost/math/(distributions|special_functions/(?!prime))"), {"statistics"}, "Boost.Math"),
]

# Deciders take values and return values: no file, clock, thread or socket.
PURE_ROOMS = {"importance", "pareto", "statistics", "samplers", "pruners", "ablation", "study", "placement", "warmstart", "parallel"}
IMPURE_HEADER = re.compile(
    r"(fstream|filesystem|iostream|cstdio|stdio\.h|thread|future|unistd\.h|time\.h|ctime|sys/.*|boost/(asio|process).*|"
    r"util/files\.hpp)$")
IMPURE_CODE = re.compile(r"\b(steady_clock|system_clock|high_resolution_clock|getenv)\b")

# Differ by standard library or by run: all randomness comes from util's named streams.
FOREIGN_CHANCE = re.compile(
    r"\bstd::(uniform_(int|real)|normal|lognormal|bernoulli|binomial|geometric|poisson|exponential|gamma|weibull|cauchy|"
    r"discrete|piecewise_\w+)_distribution\b|\bstd::(shuffle|sample|random_device|default_random_engine)\b|\bs?rand\s*\(")

# Decisions rest on these rooms, and the C library's functions have other last bits on other processors: so do Eigen's, which
# ask the C library for the rest of an array.
DECIDING_ROOMS = {"util", "options", "recipe", "space", "spec", "trial", "statistics", "pareto", "samplers", "pruners", "ablation", "study", "driver",
                  "worker", "parallel"}
ELEMENTARY = (r"(exp|exp2|expm1|log|log2|log10|log1p|pow|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|cbrt|hypot|erf|erfc|"
              r"[lt]gamma)")
FOREIGN_FUNCTION = re.compile(rf"\bstd::{ELEMENTARY}f?\s*\(|\.{ELEMENTARY}\(\)")

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
SOURCES = {".cpp", ".hpp"}
WITH_SPDX = {".cpp", ".hpp", ".py", ".sql", ".cmake", ".sh"}
README_LINES, README_WIDTH = 15, 120

SOURCE_LINES = 400

# A comment that opens with one of these words does not name its subject and cannot be read alone.
SUBJECTLESS = re.compile(
    r"(What|Of|It|They|That|Those|These|This|Its|Their|Which|Who|Whose|One's|Them|Such|All that|Nobody|Nothing)\b", re.I)
COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'|(?P<mark>//[/!]?<?)\s*(?P<text>.*)')


def sources(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in SOURCES)


def cmake_calls(path):
    """(command, arguments) of every call in a CMakeLists.txt; enough of CMake for link lists."""
    text = re.sub(r"#.*", "", path.read_text())
    for name, arguments in re.findall(r"(\w+)\s*\(([^()]*)\)", text):
        yield name, arguments.split()


def room_links(cmake_file):
    """The LINKS of a folder's dlrun_room, or None where it has none."""
    for name, arguments in cmake_calls(cmake_file):
        if name == "dlrun_room":
            links, keyword = set(), None
            for word in arguments[1:]:
                if word.isupper():
                    keyword = word
                elif keyword == "LINKS":
                    links.add(word)
            return links
    return None


def app_links(cmake_file, rooms):
    """The rooms that an application links to directly."""
    links = set()
    for name, arguments in cmake_calls(cmake_file):
        if name == "target_link_libraries":
            links |= {re.sub(r"^dlrun(_|::)", "", word) for word in arguments[1:]} & rooms
    return links


def without_comments(text):
    """The text with comments and string contents blanked, its lines kept."""
    def blank(found):
        token = found.group()
        if token.startswith("/"):
            return re.sub(r"[^\n]", " ", token)
        return '""' if token.startswith('"') else token
    return re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/', blank, text, flags=re.S)


def comment_openings(text):
    """(line number, words) of every comment's first line; a comment goes on below at the same column with the same mark,
    where no code is."""
    above = None
    for number, line in enumerate(text.splitlines(), 1):
        found = next((token for token in COMMENT.finditer(line) if token["text"] is not None), None)
        words = found["text"] if found else ""
        here = (found.start(), found["mark"]) if words and "SPDX-License-Identifier" not in words else None
        if words and (here != above or line[:found.start()].strip()):
            yield number, words
        above = here


class SourceWalls:
    """The checks that need the source tree only."""

    def __init__(self, root):
        self.root = root
        self.breaches = []
        self.links = {}
        for cmake_file in sorted(root.glob("lib/*/CMakeLists.txt")):
            links = room_links(cmake_file)
            if links is not None:
                self.links[cmake_file.parent.name] = links

    def say(self, path, line, message):
        self.breaches.append(f"{path.relative_to(self.root)}:{line}: {message}")

    def run(self):
        rooms = set(self.links)
        self.check_one_way()
        for room in sorted(rooms):
            self.check_folder(self.root / "lib" / room, room, self.links[room])
        for cmake_file in sorted(self.root.glob("apps/*/CMakeLists.txt")):
            self.check_folder(cmake_file.parent, cmake_file.parent.name, app_links(cmake_file, rooms))
        for folder in ("include", "plugins", "templates"):
            self.check_outside(self.root / folder)
        for folder in ("lib", "apps", "include", "tests", "plugins", "templates", "third_party", "cmake", "packaging", "examples"):
            self.check_spdx(self.root / folder)
        return self.breaches

    def check_one_way(self):
        """A room's links lead to rooms that are there, and never back to itself."""
        for room, links in self.links.items():
            cmake_file = self.root / "lib" / room / "CMakeLists.txt"
            for link in sorted(links - set(self.links)):
                self.say(cmake_file, 1, f"room '{room}' links to '{link}', which is no room")
            reached, ahead = set(), [*links]
            while ahead:
                link = ahead.pop()
                if link not in reached:
                    reached.add(link)
                    ahead += self.links.get(link, ())
            if room in reached:
                self.say(cmake_file, 1, f"room '{room}' reaches itself through its links; arrows point one way")

    def check_folder(self, folder, room, links):
        self.check_readme(folder / "README.md", room)
        for path in sources(folder):
            text = path.read_text()
            self.check_length(path, text)
            self.check_comments(path, text)
            for number, line in enumerate(text.splitlines(), 1):
                found = INCLUDE.match(line)
                if found:
                    self.check_include(path, number, found.group(2), found.group(1) == '"', room, links)
            for number, line in enumerate(without_comments(text).splitlines(), 1):
                self.check_code(path, number, line, room)

    def check_outside(self, folder):
        """What is no room: headers for plugins, plugins, templates."""
        for path in sources(folder):
            text = path.read_text()
            self.check_length(path, text)
            self.check_comments(path, text)

    def check_readme(self, readme, room):
        if not readme.exists():
            self.say(readme, 1, f"'{room}' has no README.md; ten lines on what enters, what leaves, who calls")
            return
        lines = readme.read_text().splitlines()
        if not 2 <= len(lines) <= README_LINES:
            self.say(readme, 1, f"between 2 and {README_LINES} lines, please")
        for number, line in enumerate(lines, 1):
            if len(line) > README_WIDTH:
                self.say(readme, number, f"{len(line)} characters in a line; at most {README_WIDTH}, please")

    def check_length(self, path, text):
        lines = len(text.splitlines())
        if lines > SOURCE_LINES:
            self.say(path, SOURCE_LINES + 1, f"{lines} lines; split it by subject into sources of at most {SOURCE_LINES}")

    def check_comments(self, path, text):
        for number, words in comment_openings(text):
            if found := SUBJECTLESS.match(words):
                self.say(path, number, f"the comment opens with '{found.group()}'; name its subject, so that it can be read "
                                       "alone")

    def check_include(self, path, number, header, quoted, room, links):
        first = header.split("/")[0]
        if "/" in header and first in self.links:
            if first != room and first not in links:
                self.say(path, number, f"'{room}' includes \"{header}\", but '{first}' is not in its link list")
        elif quoted and not any((base / header).exists() for base in (path.parent, self.root / "apps" / room)):
            self.say(path, number, f"\"{header}\" is no file of '{room}' and no room's")
        for pattern, owners, library in OWNERS:
            if pattern.match(header) and room not in owners:
                self.say(path, number, f"only {', '.join(sorted(owners))} may include {library}'s <{header}>")
        if room in PURE_ROOMS and IMPURE_HEADER.match(header):
            self.say(path, number, f"'{room}' decides from values alone and may not include <{header}>")

    def check_code(self, path, number, line, room):
        if room in PURE_ROOMS and (found := IMPURE_CODE.search(line)):
            self.say(path, number, f"'{room}' decides from values alone and may not ask {found.group()}")
        if found := FOREIGN_CHANCE.search(line):
            self.say(path, number, f"{found.group()} differs by library or run; use a stream of util/random.hpp")
        if room in DECIDING_ROOMS and (found := FOREIGN_FUNCTION.search(line)):
            self.say(path, number, f"'{room}' is part of decisions, and {found.group()} differs by processor; use "
                                   "util/arithmetic.hpp")

    def check_spdx(self, folder):
        for path in sorted(folder.rglob("*")):
            if path.suffix not in WITH_SPDX or not path.is_file() or "golden" in path.parts:
                continue
            with path.open(errors="replace") as stream:
                head = [stream.readline() for _ in range(3)]
            if not any("SPDX-License-Identifier: Apache-2.0" in line for line in head):
                self.say(path, 1, "the first line should be: SPDX-License-Identifier: Apache-2.0")


class BuildWalls:
    """The checks that need a finished build."""

    def __init__(self, root, build):
        self.root = root
        self.build = build
        self.breaches = []

    def run(self):
        self.check_binaries()
        self.check_tests()
        self.check_unity()
        return self.breaches

    def check_binaries(self):
        for app in ("dlrun", "dlrun-worker"):
            if not (self.root / "apps" / app / "CMakeLists.txt").exists():
                continue
            binary = self.build / "bin" / app
            if not binary.exists():
                self.breaches.append(f"{binary}: not built")
                continue
            listed = subprocess.run([str(binary)], env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"},
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False).stdout
            if "libc.so" not in listed:
                self.breaches.append(f"{binary}: the loader lists no libraries")
            for library in re.findall(r"^\s*(?:\S*/)?(lib(?:torch|c10|cuda|cupti|nv)\S*)", listed, flags=re.M):
                self.breaches.append(f"{binary}: needs {library}; only the trainer library may see libtorch")
            if "libsleef" in listed:
                self.breaches.append(f"{binary}: needs libsleef, which would replace functions of libtorch's")

    def commands(self, folder):
        """Compile commands of a configured tree, as CMake writes them."""
        return json.loads((folder / "compile_commands.json").read_text())

    def check_tests(self):
        target_of = {}
        for command in self.commands(self.build / "alone"):
            found = re.search(r" -o \S*CMakeFiles/([^/]+)\.dir/", command["command"])
            target_of[str(Path(command["file"]).resolve())] = found.group(1) if found else None
        known = "".join(path.read_text() for path in self.build.rglob("CTestTestfile.cmake"))
        with_torch = re.search(r"^DLRUN_TORCH:BOOL=(ON|1|TRUE)$", (self.build / "CMakeCache.txt").read_text(), re.M)
        for path in sorted([*self.root.glob("tests/**/*_test.cpp"), *self.root.glob("plugins/**/*_test.cpp"),
                            *self.root.glob("lib/**/*_test.cpp"), *self.root.glob("apps/**/*_test.cpp")]):
            place = path.relative_to(self.root)
            if not with_torch and (TORCH_ROOMS | {"trainer", "torch"}) & set(place.parts):
                continue
            target = target_of.get(str(path.resolve()))
            if not target:
                self.breaches.append(f"{place}:1: no target builds this test")
            elif not re.search(rf"/{re.escape(target)}\"", known):
                self.breaches.append(f"{place}:1: built into '{target}', which ctest does not run")

    def check_unity(self):
        """Sources that a build without unity compiles are compiled by this one too, alone or in a unity source."""
        built = [Path(command["file"]) for command in self.commands(self.build)]
        reached = set(map(str, built))
        for path in built:
            if path.is_relative_to(self.build / "unity"):
                reached |= {str(self.root / place) for place in re.findall(r'#include "([^"]+)"', path.read_text())}
        for command in self.commands(self.build / "alone"):
            path = command["file"].replace(f"{self.build}/alone/", f"{self.build}/")
            if path not in reached:
                self.breaches.append(f"{path}:1: no unity source includes it, and nothing else compiles it")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["source", "build"])
    parser.add_argument("build", nargs="?", type=Path)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    asked = parser.parse_args()
    if asked.what == "build" and not asked.build:
        parser.error("which build folder?")
    root = asked.root.resolve()
    walls = SourceWalls(root) if asked.what == "source" else BuildWalls(root, asked.build.resolve())
    breaches = walls.run()
    print("\n".join(breaches) or f"walls ({asked.what}): sound")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
