#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The walls' own test: a small sound house, and for every rule a planted breach that check.py has to find."""
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import check  # noqa: E402  (needs the path above)

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"


class Walls(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        for room, links in {"util": "", "document": "LINKS util", "study": "LINKS util\n  # spec\n", "storage":
                            "LINKS study util LIBS SQLite::SQLite3", "nn": "LINKS util LIBS dlrun::torch"}.items():
            self.write(f"lib/{room}/CMakeLists.txt", f"dlrun_room({room} {links})\n")
            self.write(f"lib/{room}/README.md", f"# {room}\nWhat it does.\n")
            self.write(f"lib/{room}/{room}.hpp", SPDX + "#pragma once\n#include <string>\n")
        self.write("lib/storage/storage.cpp", SPDX + '#include "storage/storage.hpp"\n#include <sqlite3.h>\n'
                   '#include "study/study.hpp"\n// std::shuffle is only named here\n')
        self.write("lib/nn/layer.cpp", SPDX + "#include <torch/types.h>\n")
        self.write("apps/dlrun/CMakeLists.txt", "target_link_libraries(dlrun PRIVATE dlrun_storage dlrun::util)\n")
        self.write("apps/dlrun/README.md", "# dlrun\nThe command line.\n")
        self.write("apps/dlrun/verbs.hpp", SPDX)
        self.write("apps/dlrun/main.cpp", SPDX + '#include "verbs.hpp"\n#include "storage/storage.hpp"\n')

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def breaches(self):
        return check.SourceWalls(self.root).run()

    def assert_breach(self, *words):
        found = self.breaches()
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_a_sound_house_passes(self):
        self.assertEqual(self.breaches(), [])

    def test_an_include_outside_the_link_list_is_found(self):
        self.write("lib/document/reader.cpp", SPDX + '\n#include "storage/storage.hpp"\n')
        self.assert_breach("lib/document/reader.cpp:3", "'storage' is not in its link list")

    def test_what_a_link_links_to_is_not_granted(self):
        self.write("apps/dlrun/cmd_tune.cpp", SPDX + '#include "study/study.hpp"\n')
        self.assert_breach("apps/dlrun/cmd_tune.cpp:2", "'study' is not in its link list")

    def test_torch_outside_its_rooms_is_found(self):
        self.write("lib/study/fast.cpp", SPDX + "#include <ATen/ATen.h>\n")
        self.assert_breach("lib/study/fast.cpp:2", "libtorch")

    def test_yaml_outside_document_is_found(self):
        self.write("lib/util/parse.cpp", SPDX + "#include <yaml-cpp/yaml.h>\n")
        self.assert_breach("yaml-cpp")

    def test_sqlite_outside_storage_is_found(self):
        self.write("apps/dlrun/sql.cpp", SPDX + "#include <sqlite3.h>\n")
        self.assert_breach("SQLite")

    def test_a_decider_with_a_clock_or_a_file_is_found(self):
        self.write("lib/study/clock.cpp", SPDX + "auto now = std::chrono::steady_clock::now();\n")
        self.assert_breach("lib/study/clock.cpp:2", "steady_clock")
        self.write("lib/study/clock.cpp", SPDX + "#include <fstream>\n")
        self.assert_breach("lib/study/clock.cpp:2", "<fstream>")

    def test_chance_that_differs_by_library_is_found(self):
        self.write("lib/util/dice.cpp", SPDX + "std::uniform_int_distribution<int> dice(1, 6);\n")
        self.assert_breach("lib/util/dice.cpp:2", "differs by library")

    def test_functions_that_differ_by_processor_are_found(self):
        self.write("lib/study/growth.cpp", SPDX + "// std::exp(1)\ndouble e = std::sqrt(std::exp (1));\n")
        self.assert_breach("lib/study/growth.cpp:3", "std::exp", "util/arithmetic.hpp")
        self.write("lib/study/growth.cpp", SPDX + "auto all = values.array().log().sum();\n")
        self.assert_breach("lib/study/growth.cpp:2", ".log()")
        self.write("lib/study/growth.cpp", SPDX + "#include <sleef.h>\n")
        self.assert_breach("SLEEF")
        self.write("lib/study/growth.cpp", SPDX + "#include <boost/math/special_functions/prime.hpp>\n")
        self.assertEqual(self.breaches(), [])
        self.write("lib/study/growth.cpp", SPDX + "#include <boost/math/special_functions/beta.hpp>\n")
        self.assert_breach("Boost.Math")

    def test_links_in_a_circle_are_found(self):
        self.write("lib/util/CMakeLists.txt", "dlrun_room(util LINKS document)\n")
        self.assertTrue(any("reaches itself" in breach for breach in self.breaches()))

    def test_a_link_to_no_room_is_found(self):
        self.write("lib/util/CMakeLists.txt", "dlrun_room(util LINKS cellar)\n")
        self.assert_breach("'cellar'", "no room")

    def test_a_room_without_readme_or_with_a_novel_is_found(self):
        (self.root / "lib/util/README.md").unlink()
        self.assert_breach("lib/util/README.md", "no README")
        self.write("lib/util/README.md", "line\n" * 16)
        self.assert_breach("lib/util/README.md", "15 lines")

    def test_a_wide_line_in_a_readme_is_found(self):
        self.write("lib/util/README.md", "# util\n" + "ä" * 120 + "\n")
        self.assertEqual(self.breaches(), [])
        self.write("lib/util/README.md", "# util\n" + "ä" * 121 + "\n")
        self.assert_breach("lib/util/README.md:2", "121 characters")

    def test_a_long_source_is_found(self):
        self.write("lib/util/long.cpp", SPDX + "\n" * 399)
        self.assertEqual(self.breaches(), [])
        self.write("lib/util/long.cpp", SPDX + "\n" * 400)
        self.assert_breach("lib/util/long.cpp:401", "401 lines", "400")
        self.write("apps/dlrun/main.cpp", SPDX + "\n" * 400)
        self.assertEqual(len(self.breaches()), 2)

    def test_a_comment_without_a_subject_is_found(self):
        for comment in ("// What is read.", "/// of a trial", "int x = 1;  ///< Its number", "//! All that is there",
                        "int x;  // it is last", "// First.\n//\n// Whose file it is.", "// x\nint x;\n// That one.",
                        "int x;  ///< x\nint y;  ///< of y", "// ---- a part ----\n/// Its end."):
            self.write("lib/util/word.cpp", SPDX + comment + "\n")
            self.assert_breach("lib/util/word.cpp", "opens with", "subject")

    def test_the_line_of_a_comment_without_a_subject_is_told(self):
        self.write("apps/dlrun/word.hpp", SPDX + "// Words of a line.\nint x;\nint y;  ///< those of the line\n")
        self.assert_breach("apps/dlrun/word.hpp:4", "'those'")

    def test_comments_with_a_subject_pass(self):
        self.write("lib/util/word.cpp", SPDX + "// The words\n// of a line, in the order\n//   that it has\n"
                   "int x = 1;   ///< number of a trial: all\n             ///< that it has\n"
                   "auto url = \"http://what.of/it // of\";  // offer, itself, whatever\nchar quote = '\"';  // items of it\n")
        self.assertEqual(self.breaches(), [])

    def test_a_missing_spdx_line_is_found(self):
        self.write("lib/util/bare.cpp", "int bare;\n")
        self.assert_breach("lib/util/bare.cpp:1", "SPDX")

    def test_a_stray_include_is_found(self):
        self.write("lib/util/stray.cpp", SPDX + '#include "nowhere.hpp"\n')
        self.assert_breach("lib/util/stray.cpp:2", "nowhere.hpp")

    def build(self, tests_built, tests_run):
        self.write("tests/unit/util/id_test.cpp", SPDX)
        self.write("tests/unit/nn/layer_test.cpp", SPDX)
        self.write("build/CMakeCache.txt", "DLRUN_TORCH:BOOL=OFF\n")
        commands = [{"file": str(self.root / path), "command": f"g++ -o tests/CMakeFiles/{target}.dir/x.o"}
                    for path, target in tests_built.items()]
        self.write("build/alone/compile_commands.json", json.dumps(commands))
        self.write("build/compile_commands.json", json.dumps(commands))
        self.write("build/CTestTestfile.cmake", "".join(f'add_test(x "/b/bin/{name}")\n' for name in tests_run))
        shutil.rmtree(self.root / "apps")
        return check.BuildWalls(self.root, self.root / "build").run()

    def test_a_built_and_run_test_passes(self):
        self.assertEqual(self.build({"tests/unit/util/id_test.cpp": "unit_util"}, ["unit_util"]), [])

    def test_a_test_that_is_not_built_is_found(self):
        self.assertIn("no target builds", self.build({}, ["unit_util"])[0])

    def test_a_test_that_ctest_does_not_run_is_found(self):
        self.assertIn("ctest does not run", self.build({"tests/unit/util/id_test.cpp": "unit_util"}, [])[0])

    def unity(self, text):
        """A build whose one unity source has this text, of a tree with one test."""
        self.build({"tests/unit/util/id_test.cpp": "unit_util"}, ["unit_util"])
        self.write("build/alone/compile_commands.json", json.dumps(
            [{"file": str(self.root / "tests/unit/util/id_test.cpp"), "command": "g++ -o tests/CMakeFiles/unit_util.dir/x.o"}]))
        made = self.root / "build/unity/unit_util_0.cpp"
        self.write("build/unity/unit_util_0.cpp", text)
        self.write("build/compile_commands.json", json.dumps([{"file": str(made), "command": "g++"}]))
        return check.BuildWalls(self.root, self.root / "build").run()

    def test_a_source_of_a_unity_source_passes(self):
        self.assertEqual(self.unity('#include "tests/unit/util/id_test.cpp"\n'), [])

    def test_a_source_that_no_unity_source_includes_is_found(self):
        self.assertIn("no unity source includes it", self.unity('#include "tests/unit/util/other.cpp"\n')[0])

    def test_a_driver_that_needs_libtorch_is_found(self):
        bin_folder = self.root / "build/bin"
        self.write("build/bin/empty.cpp", "int torch_here() { return 0; }\n")
        self.write("build/bin/main.cpp", "int torch_here();\nint main() { return torch_here(); }\n")
        for command in ("g++ -shared -fPIC empty.cpp -o libtorch_cpu.so", "g++ main.cpp ./libtorch_cpu.so -o dlrun"):
            subprocess.run(command.split(), cwd=bin_folder, check=True)
        walls = check.BuildWalls(self.root, self.root / "build")
        walls.check_binaries()
        self.assertEqual(len(walls.breaches), 1)
        self.assertIn("libtorch_cpu.so", walls.breaches[0])
        subprocess.run("g++ main.cpp empty.cpp -o dlrun".split(), cwd=bin_folder, check=True)
        walls.breaches.clear()
        walls.check_binaries()
        self.assertEqual(walls.breaches, [])

    def test_the_program_ends_with_1_at_a_breach(self):
        program = [sys.executable, "-B", str(Path(__file__).parent / "check.py"), "source", "--root", str(self.root)]
        self.assertEqual(subprocess.run(program, stdout=subprocess.DEVNULL, check=False).returncode, 0)
        self.write("lib/util/bare.cpp", "int bare;\n")
        self.assertEqual(subprocess.run(program, stdout=subprocess.DEVNULL, check=False).returncode, 1)


if __name__ == "__main__":
    unittest.main()
