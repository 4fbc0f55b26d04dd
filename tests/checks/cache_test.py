#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A second checkout is built from the first one's compiler cache: unity sources name files relative to the checkout."""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_SOURCE_DIR}/cmake)
include(Toolchain)
include(Unity)
include(Rooms)
add_subdirectory(lib/room)
"""
SOURCES = {
    "CMakeLists.txt": PROJECT,
    "lib/room/CMakeLists.txt": "dlrun_room(room)\n",
    "lib/room/one.hpp": "#pragma once\nint one();\n",
    "lib/room/one.cpp": '#include "room/one.hpp"\nint one() { return 1; }\n',
    "lib/room/two.cpp": '#include "room/one.hpp"\nint two() { return one() + one(); }\n',
}


@unittest.skipUnless(shutil.which("ccache"), "there is no ccache")
class SecondCheckout(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()
        settings = {name: value for name, value in os.environ.items() if not name.startswith("CCACHE_")}
        self.environment = {**settings, "CCACHE_DIR": str(self.folder / "cache")}

    def run_in(self, place, *words):
        return subprocess.run(words, cwd=place, env=self.environment, check=True, stdout=subprocess.PIPE, text=True).stdout

    def checkout(self, name):
        place = self.folder / name
        for path, text in SOURCES.items():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_text(text)
        shutil.copytree(ROOT / "cmake", place / "cmake")
        return place

    def build(self, place, *options):
        self.run_in(place, "cmake", "-S", ".", "-B", "build", "-G", "Ninja", *options)
        self.run_in(place, "cmake", "--build", "build")

    def counts(self):
        """How often ccache found a result by hashes of the sources alone, and how often it compiled."""
        lines = self.run_in(self.folder, "ccache", "--print-stats").splitlines()
        stats = {name: int(value) for name, value in (line.split("\t") for line in lines)}
        return stats["direct_cache_hit"], stats["cache_miss"]

    def test_nothing_is_compiled_twice(self):
        first = self.checkout("first")
        self.build(first)
        self.assertEqual(self.counts(), (0, 1), "both sources are one unity source")
        self.build(self.checkout("a_second_one"))
        self.assertEqual(self.counts(), (1, 1))

    def test_without_unity_each_source_is_compiled(self):
        self.build(self.checkout("first"), "-DDLRUN_UNITY=OFF")
        self.assertEqual(self.counts(), (0, 2))


if __name__ == "__main__":
    unittest.main()
