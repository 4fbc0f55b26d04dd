#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the checks that look at each source alone, in a small checkout with planted faults."""
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import sources  # noqa: E402  (needs the path above)
import syntax  # noqa: E402

SOUND = "#include <string>\nstd::string name;\n"
LACKS_AN_INCLUDE = "std::string name;\n"


class Checks(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = Path(holder.name).resolve()
        for name, value in (("ROOT", self.root), ("CACHE", self.root / "cache")):
            self.addCleanup(setattr, sources, name, getattr(sources, name))
            setattr(sources, name, value)
        sources.content.cache_clear()
        self.write("lib/util/text.cpp", SOUND)
        self.git("init", "-q")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *words], cwd=self.root, check=True,
                       stdout=subprocess.DEVNULL)

    def commit(self):
        self.git("add", "lib")
        self.git("commit", "-qm", "more")

    def commands(self, *paths):
        return {Path(path): f"g++ -o x.o -c {self.root / path}" for path in paths}

    def check(self, commands, seconds=60.0):
        """The exit code and the printed lines."""
        sources.content.cache_clear()
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            code = sources.check_each("syntax", commands, b"tool", syntax.command_line, 1, seconds)
        return code, printed.getvalue()

    def test_a_missing_include_is_found_and_the_clean_file_is_remembered(self):
        self.write("lib/util/bad.cpp", LACKS_AN_INCLUDE)
        commands = self.commands("lib/util/text.cpp", "lib/util/bad.cpp")
        code, printed = self.check(commands)
        self.assertEqual(code, 1)
        self.assertRegex(printed, r"lib/util/bad.cpp .*: findings")
        code, printed = self.check(commands)
        self.assertEqual(code, 1)
        self.assertIn("2 files, 1 known to be clean", printed)

    def test_a_header_that_changes_makes_its_sources_new(self):
        self.write("lib/util/name.hpp", SOUND)
        self.write("lib/util/text.cpp", '#include "name.hpp"\n')
        commands = self.commands("lib/util/text.cpp")
        self.assertEqual(self.check(commands)[0], 0)
        self.assertIn("1 known to be clean", self.check(commands)[1])
        self.write("lib/util/name.hpp", LACKS_AN_INCLUDE)
        self.assertEqual(self.check(commands)[0], 1)

    def test_files_that_changed_last_come_first(self):
        self.write("lib/util/old.cpp", SOUND)
        self.commit()
        self.write("lib/util/new.cpp", SOUND)
        self.commit()
        self.write("lib/util/text.cpp", SOUND + "\n")
        names = ("old", "new", "text")
        printed = self.check(self.commands(*(f"lib/util/{name}.cpp" for name in names)))[1]
        self.assertEqual(sorted(names, key=printed.index), ["text", "new", "old"])

    def test_no_file_is_begun_when_the_time_is_over(self):
        code, printed = self.check(self.commands("lib/util/text.cpp"), seconds=-1)
        self.assertEqual(code, 0)
        self.assertIn("1 files were NOT checked", printed)

    def test_a_check_that_is_still_running_when_the_time_is_over_ends_with_its_children(self):
        child = f"sleep 600.{os.getpid()}"
        commands = {Path("lib/util/text.cpp"): f"sh -c '{child}; true' -o x"}
        self.assertIn("1 files were NOT checked", self.check(commands, seconds=0.2)[1])
        self.assertEqual(subprocess.run(["pgrep", "-f", child], check=False).returncode, 1)

    def test_a_source_without_a_compile_command_is_found(self):
        self.write("lib/nn/layer.cpp", SOUND)
        commands = self.commands("lib/util/text.cpp")
        self.assertEqual(sources.missing(commands, ("lib",)), [Path("lib/nn/layer.cpp")])
        self.assertEqual(sources.missing(commands, ("lib",), left_out=("nn",)), [])
        with self.assertRaises(SystemExit):
            sources.require_all("syntax", sources.missing(commands, ("lib",)))

    def test_compile_commands_of_unity_builds_name_no_source(self):
        """A tree that is built with unity must not pass for one that names every source."""
        self.write("build/alone/compile_commands.json", json.dumps(
            [{"file": str(self.root / "build/unity/util_0.cpp"), "command": "g++"}]))
        self.write("tests/checks/alone", "#!/bin/sh\n")
        (self.root / "tests/checks/alone").chmod(0o755)
        commands = sources.configured_alone(self.root / "build")
        self.assertEqual(sources.missing(commands, ("lib",)), [Path("lib/util/text.cpp")])


if __name__ == "__main__":
    unittest.main()
