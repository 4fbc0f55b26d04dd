#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The wheel of the present build (DLRUN_BUILD), installed by its path into a Python environment that is then moved.

With DLRUN_PACKAGING=long also on a clean root of Debian 12, by root: debootstrap makes the root, and libtorch comes from
the package index. DLRUN_WHEEL names a wheel that exists already.
"""
import os
import re
import shutil
import sys
import tempfile
import time
import unittest
from pathlib import Path

import support
from support import ROOT, checked

sys.path.insert(0, str(ROOT / "packaging"))
import clean_root  # noqa: E402  (needs the path above)

COMMAND = re.search(r"^(pip install --no-deps torch==\S+ .*)$", (ROOT / "docs/installing.md").read_text(), re.M).group(1)
TORCH = re.search(r"torch==(\S+)", COMMAND).group(1)
MOST_SECONDS = 120   # from the wheel to the first tuned study, downloads included


def make_wheel(folder):
    """Path of the wheel."""
    made = os.environ.get("DLRUN_WHEEL")
    return Path(made or checked(ROOT / "packaging/wheel", "--build", support.BUILD, "--out", folder).strip())


class Wheel(support.Installed):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        made = cls.folder / "made"
        checked(sys.executable, "-m", "venv", made)
        checked(made / "bin/python", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", make_wheel(cls.folder))
        cls.prefix = cls.folder / "moved here"
        made.rename(cls.prefix)
        cls.site = next(cls.prefix.glob("lib/python3*/site-packages"))
        cls.package, cls.shared = cls.site / "dlrun", cls.prefix / "share"

    def other_torch(self, version):
        """A package that looks like a libtorch of another version."""
        folder = self.work / "torch"
        (folder / "lib").mkdir(parents=True)
        (folder / "lib/libtorch_cpu.so").write_text("never opened")
        (folder / "version.py").write_text(f"__version__ = '{version}'\n")
        return folder

    def test_programs_load_the_libraries_of_the_wheel(self):
        for program in ("dlrun", "dlrun-worker"):
            self.assertRegex(checked(self.prefix / "bin" / program, "--version"), rf"^{program} \d")
            loaded = checked("ldd", self.package / "bin" / program)
            self.assertNotIn("not found", loaded)
            self.assertRegex(loaded, r"/dlrun\.libs/libfmt")

    def test_libraries_that_are_opened_are_those_of_the_wheel(self):
        (self.work / "study.yaml").write_text(support.FUNCTION)
        opened = self.dlrun("tune", "study.yaml", "-q", LD_DEBUG="files").stderr
        self.assertRegex(opened, r"calling init: .*/dlrun\.libs/libsleef\.so\.3")

    def test_python_asks_and_tells(self):
        (self.work / "lab.yaml").write_text("study: lab\nobjective: {metric: loss, direction: minimize}\n"
                                            "space: {x: {type: float, low: 0, high: 1}}\nlimits: {trials: 3}\n"
                                            "trial: {kind: asked}\n")
        script = "import dlrun, dlrun.callbacks\nlab = dlrun.open('lab.yaml')\nfor t in lab: lab.tell(t, loss=t.params['x'])\nprint(len(lab.trials()))"
        self.assertEqual(checked(self.prefix / "bin/python", "-c", script, cwd=self.work), "3\n")

    def test_a_link_starts_it_too(self):
        (self.work / "d").symlink_to(self.prefix / "bin/dlrun")
        self.assertRegex(checked(self.work / "d", "--version"), r"^dlrun \d")

    def test_every_library_brings_its_licence(self):
        licences = next(self.site.glob("dlrun-*.dist-info")) / "licenses"
        rows = dict(line.split("\t") for line in (licences / "libraries.txt").read_text().splitlines()[1:])
        self.assertEqual(set(rows), {file.name for file in (self.site / "dlrun.libs").iterdir()})
        self.assertFalse([name for name in rows if re.match("lib(torch|c10|cud)", name)])
        for package in rows.values():
            self.assertIn("opyright", (licences / package.split()[0] / "copyright").read_text())
        self.assertTrue((licences / "LICENSE").exists())

    def test_a_training_without_libtorch_is_refused_before_it_begins(self):
        said = self.dlrun("tune", "digits/study.yaml", code=2).stderr
        self.assertIn(f"needs libtorch {TORCH}, and none was found", said)
        self.assertIn(f"'{self.site}/torch' (beside dlrun) is not there", said)
        self.assertIn(COMMAND, said)
        self.assertIn(COMMAND, (ROOT / "README.md").read_text())
        self.assertFalse((self.work / "dlrun-store").exists())

    def test_another_libtorch_is_refused_with_both_versions(self):
        other = self.other_torch("2.10.0+cu128")
        said = self.dlrun("tune", "digits/study.yaml", code=2, DLRUN_TORCH=str(other)).stderr
        self.assertIn(f"'{other}' (DLRUN_TORCH) is 2.10.0+cu128; needed is {TORCH}", said)
        self.assertIn(COMMAND, said)
        listed = self.dlrun("doctor", "--format", "csv", DLRUN_TORCH=str(other)).stdout
        self.assertIn(f"libtorch,-,DLRUN_TORCH: {other} is 2.10.0+cu128; needed is {TORCH}", listed)

    def test_the_package_beside_dlrun_is_taken(self):
        (self.site / "torch").symlink_to(self.torch)
        (self.site / "nvidia").symlink_to(self.torch.parent / "nvidia")
        self.addCleanup((self.site / "torch").unlink)
        self.addCleanup((self.site / "nvidia").unlink)
        listed = self.dlrun("doctor", "--format", "csv", VIRTUAL_ENV=str(self.prefix)).stdout
        self.assertIn(f"libtorch,ok,beside dlrun: {self.site}/torch is {TORCH}", listed)
        self.assertIn("is 2.11.0; an earlier one is taken".replace("2.11.0", TORCH), listed)
        self.assertRegex(listed, "trainer,ok,.*loads, with libtorch")


INSIDE = """\
set -e
python3 -m venv /env
. /env/bin/activate
pip install --quiet --no-deps /root/{wheel}
cd /root
{command}
dlrun doctor
dlrun tune digits/study.yaml -q
dlrun report
"""
INTO_THE_CACHE = """\
set -e
rm -r /env/lib/python3*/site-packages/torch
cd /root
/env/bin/dlrun doctor --install-torch 2>&1
/env/bin/dlrun tune digits/study.yaml -q --name again
"""


@unittest.skipUnless(os.environ.get("DLRUN_PACKAGING") == "long", "needs root and the network: DLRUN_PACKAGING=long")
class CleanRoot(unittest.TestCase):
    def test_a_study_is_tuned_soon_after_the_wheel_is_there(self):
        folder = Path(tempfile.mkdtemp(prefix="dlrun-clean-root-"))
        self.addCleanup(shutil.rmtree, folder)
        wheel, clean = make_wheel(folder), clean_root.make(folder / "root", "bookworm", ["python3-venv"])
        shutil.copy(wheel, clean / "root")
        shutil.copytree(ROOT / "examples/digits", clean / "root/digits")
        command = COMMAND.replace("pip install", "pip install --quiet --no-cache-dir")
        began = time.monotonic()
        said = checked(*clean_root.command(clean, "sh", "-c", INSIDE.format(wheel=wheel.name, command=command)))
        seconds = time.monotonic() - began
        print(f"{said}\nfrom the wheel to a tuned study: {seconds:.0f} s", file=sys.stderr)
        self.assertLess(seconds, MOST_SECONDS)
        self.assertRegex(checked(*clean_root.command(clean, "sh", "-c", INTO_THE_CACHE)),
                         r"libtorch +ok +cache: /root/\.cache/dlrun/torch-\S+-cpu/torch is")


if __name__ == "__main__":
    unittest.main()
