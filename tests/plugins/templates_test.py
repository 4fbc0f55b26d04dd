#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plugins that `dlrun plugins new` writes are built as their README says, and pass their own tests.

DLRUN_BIN names the folder of the programs. Kinds that train are tested where the trainer is beside dlrun; kinds that need
libtorch are built there only.
"""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ["DLRUN_BIN"]).resolve()
HAS_TRAINER = (BIN / "libdlrun_trainer.so").exists()
WITH_TORCH = {"layer", "loss", "optimizer", "metric"}
TRAINING = WITH_TORCH | {"data"}
KINDS = sorted(folder.name for folder in (ROOT / "templates/plugins").iterdir() if folder.is_dir())
CACHE = dict(re.findall(r"^(CMAKE_CXX_COMPILER|CCACHE):\w+=(.*)$", (BIN.parent / "CMakeCache.txt").read_text(), re.M))


def caching():
    """Variables by which plugins are compiled through the main build's cache of compiled files, if it has one."""
    ccache = CACHE.get("CCACHE", "NOTFOUND")
    if ccache.endswith("NOTFOUND"):
        return {}
    folder = subprocess.run([ccache, "-k", "cache_dir"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    return {"CMAKE_CXX_COMPILER_LAUNCHER": ccache, "CCACHE_DIR": folder, "CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1"}


CACHING = caching()


class Templates(unittest.TestCase):
    def setUp(self):
        self.folder, self.sockets = (Path(tempfile.mkdtemp(prefix="dlrun-template-", dir=where)) for where in (BIN.parent, None))
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(shutil.rmtree, self.sockets)

    def run_in(self, command, code=0):
        """Runs a command line as a user would, by bash, with dlrun on PATH."""
        environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(self.folder), "LC_ALL": "C.UTF-8",
                       "XDG_RUNTIME_DIR": str(self.sockets), **CACHING, "CXX": CACHE.get("CMAKE_CXX_COMPILER", "c++")}
        environment.pop("DLRUN_PLUGINS", None)
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, code, f"{command}\n{done.stdout}")
        return done.stdout

    def commands_of(self, readme):
        """The lines of the README's block, without their comments, down to the tests."""
        block = readme.read_text().split("```")[1]
        lines = [re.sub(r" +# .*", "", line) for line in block.splitlines() if line]
        return [line for line in lines if line.startswith(("cmake", "ctest"))], lines

    def make(self, kind):
        self.run_in(f"dlrun plugins new {kind} my_{kind}")
        made = self.folder / f"my_{kind}"
        for file in made.iterdir():
            self.assertNotRegex(file.name + file.read_text(), "template_name|TemplateName|SPDX", file)
        building, lines = self.commands_of(made / "README.md")
        self.assertEqual(len(building), 3)
        for line in building[:2]:
            self.run_in(f"cd my_{kind} && {line}")
        listed = self.run_in(f"cd my_{kind} && {lines[3]} --format csv")
        self.assertRegex(listed, rf"\nmy_{kind},{kind},0\.1\.0,.*,[0-9a-f]+,\n")
        if HAS_TRAINER or kind not in TRAINING:
            self.run_in(f"cd my_{kind} && {building[2]}")
            self.run_in(f"cd my_{kind} && {lines[4]} -q")
        else:
            self.run_in(f"cd my_{kind} && DLRUN_PLUGINS=build/plugins dlrun check study.yaml")
        for line in lines[5:]:
            self.run_in(f"cd my_{kind} && {line}")
        self.assertIn(f"my_{kind}", self.run_in("dlrun plugins"))


    def test_a_name_that_is_not_the_manifests_ends_the_configuration(self):
        self.run_in("dlrun plugins new sampler mine")
        manifest = self.folder / "mine/plugin.yaml"
        manifest.write_text(manifest.read_text().replace("plugin: mine", "plugin: yours"))
        said = " ".join(self.run_in("cd mine && cmake -S . -B build -Ddlrun_DIR=$(dlrun plugins cmake)", code=1).split())
        self.assertRegex(said, r"dlrun_plugin\(mine\): '.*mine/plugin.yaml' names the plugin 'yours'; write dlrun_plugin\(yours …\), or")
        manifest.write_text(manifest.read_text().replace("plugin: yours", '"plugin" : "mine"'))
        self.run_in("cd mine && cmake -S . -B build -Ddlrun_DIR=$(dlrun plugins cmake)")
    def test_a_class_may_be_named_as_the_plugin_interface_and_helpers_are(self):
        for kind, name in (("pruner", "pruner"), ("executor", "worker"), ("executor", "birth"), ("exporter", "study")):
            with self.subTest(kind=kind, name=name):
                self.run_in(f"dlrun plugins new {kind} {name}")
                self.run_in(f"cd {name} && cmake -S . -B build -Ddlrun_DIR=$(dlrun plugins cmake) && cmake --build build")


def test_of(kind):
    def test(self):
        if kind in WITH_TORCH and not HAS_TRAINER:
            self.skipTest("this build has no libtorch")
        self.make(kind)
    return test


for kind in KINDS:
    setattr(Templates, f"test_{kind}", test_of(kind))

if __name__ == "__main__":
    unittest.main()
