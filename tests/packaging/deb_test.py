#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Debian package of the present build (DLRUN_BUILD), unpacked and started.

With DLRUN_PACKAGING=long also the packages of Debian 12 and 13, each built in a clean root of its release, by root, and
installed by apt in another clean root, with libtorch from the package index. DLRUN_DEBS names a folder of packages that exist.
"""
import os
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import support
from support import ROOT, checked

sys.path.insert(0, str(ROOT / "packaging"))
import clean_root

LARGEST_BYTES = 14_000_000   # a build without unity makes 13.4 MB


class Deb(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="dlrun-deb-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.deb = Path(checked(ROOT / "packaging/deb", "--build", support.BUILD, "--out", cls.folder).strip())
        cls.tree = cls.folder / "tree"
        checked("dpkg-deb", "--raw-extract", cls.deb, cls.tree)

    def field(self, name):
        return checked("dpkg-deb", "--field", self.deb, name).strip()

    def test_its_name_says_version_release_and_processor(self):
        version = checked(support.BUILD / "bin/dlrun", "--version").split()[1]
        self.assertRegex(self.deb.name, rf"^dlrun_{re.escape(version)}-1(~deb\d+)?_\w+\.deb$")
        self.assertEqual(self.deb.name, f"dlrun_{self.field('Version')}_{self.field('Architecture')}.deb")
        self.assertLess(self.deb.stat().st_size, LARGEST_BYTES)

    def test_every_library_comes_with_a_package_that_it_depends_on(self):
        named = {re.split(r"[ (]", part.strip())[0] for part in self.field("Depends").split(",")}
        for library, packages in owners(linked(*(self.tree / "usr/bin").iterdir())).items():
            self.assertTrue(packages & named, f"{library} is from {packages}")
        self.assertFalse([name for name in named if "torch" in name])
        self.assertIn("libsleef3", named)   # opened, not linked

    def test_files_are_where_debian_looks_for_them(self):
        for file in ("bin/dlrun", "bin/dlrun-worker", "lib/dlrun/libdlrun_trainer.so", "lib/dlrun/libdlrun_lines.so", "share/dlrun/study.schema.json",
                     "share/dlrun/configs/models/mlp.yaml", "share/man/man1/dlrun-tune.1.gz", "share/doc/dlrun/copyright",
                     "share/doc/dlrun/changelog.Debian.gz", "share/bash-completion/completions/dlrun",
                     "share/zsh/vendor-completions/_dlrun", "share/fish/vendor_completions.d/dlrun.fish"):
            self.assertTrue((self.tree / "usr" / file).is_file(), file)
        self.assertEqual({path.name for path in self.tree.iterdir()}, {"usr", "DEBIAN"})

    def test_its_files_are_whole_owned_by_root_and_not_writable_by_others(self):
        checked("md5sum", "--check", "--quiet", "DEBIAN/md5sums", cwd=self.tree)
        for line in checked("dpkg-deb", "--contents", self.deb).splitlines():
            self.assertRegex(line, r"^(drwxr-xr-x|-rwxr-xr-x|-rw-r--r--) root/root ")
        listed = (self.tree / "DEBIAN/md5sums").read_text().count("\n")
        self.assertEqual(listed, sum(file.is_file() for file in (self.tree / "usr").rglob("*")))

    def test_its_programs_are_stripped_and_start(self):
        for program in ("dlrun", "dlrun-worker"):
            path = self.tree / "usr/bin" / program
            self.assertNotIn(".symtab", checked("readelf", "--sections", path))
            self.assertRegex(checked(path, "--version"), rf"^{program} \d")

    def test_a_function_is_tuned_without_libtorch(self):
        (self.folder / "study.yaml").write_text(support.FUNCTION)
        (self.folder / "run").mkdir(mode=0o700)
        environment = {"PATH": f"{self.tree}/usr/bin:/usr/bin:/bin", "HOME": str(self.folder), "LC_ALL": "C.UTF-8",
                       "XDG_RUNTIME_DIR": str(self.folder / "run")}
        checked("dlrun", "tune", "study.yaml", "-q", cwd=self.folder, env=environment)
        self.assertIn("4", checked("dlrun", "report", "sphere", "--sql", "select count(*) from trials", cwd=self.folder,
                                   env=environment))


def linked(*programs):
    """Paths of the libraries that programs name themselves; ldd lists those of the libraries too."""
    paths = set()
    for program in programs:
        names = set(re.findall(r"NEEDED.*\[(.*)\]", checked("readelf", "-d", program)))
        paths |= {path for path in re.findall(r"=> (/\S+)", checked("ldd", program)) if Path(path).name in names}
    return paths


def owners(libraries):
    """{library: packages of this system that own it}. If /lib is a link to /usr/lib, dpkg may know either name."""
    found = {library: set() for library in libraries}
    for library in libraries:
        names = {library, str(Path(library).resolve()), library.replace("/usr/lib", "/lib", 1), "/usr" + library}
        found[library] = {line.split(":")[0] for line in support.run("dpkg-query", "--search", *names).stdout.splitlines()}
    return found


INSIDE = """\
set -e
cd /root
apt-get -q update
DEBIAN_FRONTEND=noninteractive apt-get -q install -y ./{name}
dlrun --version
dlrun doctor --install-torch 2>&1
dlrun tune digits/study.yaml -q
dlrun report
man -w dlrun-tune 2>/dev/null || ls /usr/share/man/man1/dlrun-tune.1.gz
DEBIAN_FRONTEND=noninteractive apt-get -q remove -y dlrun
test ! -e /usr/bin/dlrun
"""


def made_before(suffix):
    """The package in the folder DLRUN_DEBS whose name says the release."""
    folder = os.environ.get("DLRUN_DEBS")
    return next(Path(folder).glob(f"dlrun_*{suffix}_*.deb"), None) if folder else None


@unittest.skipUnless(os.environ.get("DLRUN_PACKAGING") == "long", "needs root and the network: DLRUN_PACKAGING=long")
class CleanRoots(unittest.TestCase):
    def test_debian_12(self):
        self.tune_in("bookworm", "~deb12")

    def test_debian_13(self):
        self.tune_in("trixie", "~deb13")

    def tune_in(self, release, suffix):
        folder = Path(tempfile.mkdtemp(prefix="dlrun-clean-root-"))
        self.addCleanup(shutil.rmtree, folder)
        deb = made_before(suffix) or Path(checked(ROOT / "packaging/deb", "--release", release, "--out", folder).strip())
        self.assertIn(suffix, deb.name)
        clean = clean_root.make(folder / "root", release)
        shutil.copy(deb, clean / "root")
        shutil.copytree(ROOT / "examples/digits", clean / "root/digits")
        said = checked(*clean_root.command(clean, "sh", "-c", INSIDE.format(name=deb.name)))
        print(f"{said}\n{deb.name} on a clean {release}: tuned", file=sys.stderr)
        self.assertRegex(said, r"libtorch +ok +cache: /root/\.cache/dlrun/torch-\S+-cpu/torch is")
        self.assertIn("test.accuracy", said)


if __name__ == "__main__":
    unittest.main()
