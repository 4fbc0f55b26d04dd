# SPDX-License-Identifier: Apache-2.0
"""dlrun installed away from its build: what the tests of packages share."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("DLRUN_BUILD", ROOT / "build/release")).resolve()

FUNCTION = """\
study: sphere
objective: {metric: value, direction: minimize}
space:
  x: {type: float, low: -1, high: 1}
limits: {trials: 4}
trial: {kind: function, function: sphere}
"""

READY = """\
study: ready
objective: {metric: val.accuracy, direction: maximize}
space:
  lr: {at: optimizer.lr, type: float, low: 1e-3, high: 1e-1}
limits: {trials: 1}
trial:
  data: {op: csv, path: data/digits.csv.gz, header: false, target: -1}
  model: {extends: models/mlp}
"""


def run(*command, **options):
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, **options)


def checked(*command, **options):
    done = run(*command, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Installed(unittest.TestCase):
    """A class installs dlrun into `folder`, moves it, and sets the four places below in setUpClass."""
    prefix: Path     # what PATH gets a bin of
    package: Path    # has the bin, lib and share of `cmake --install`
    shared: Path     # has man pages and completions

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="dlrun-packaging-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.torch = (BUILD / "torch").resolve()

    def setUp(self):
        self.work = Path(tempfile.mkdtemp(dir=self.folder))
        shutil.copytree(ROOT / "examples/digits", self.work / "digits")
        (self.work / "run").mkdir(mode=0o700)

    def dlrun(self, *arguments, code=0, **variables):
        """Runs dlrun with nothing of the build, of this environment or of this user's home in sight."""
        environment = {"PATH": f"{self.prefix}/bin:/usr/bin:/bin", "HOME": str(self.work), "LC_ALL": "C.UTF-8",
                       "XDG_RUNTIME_DIR": str(self.work / "run"), "TMPDIR": str(self.work), **variables}
        done = run("dlrun", *arguments, cwd=self.work, env=environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_no_library_path_leads_out_of_the_package(self):
        for file in [*(self.package / "bin").iterdir(), *(self.package / "lib").rglob("*.so")]:
            for path in re.findall(r"(?:RUN)?PATH.*\[(.*)\]", checked("readelf", "-d", file)):
                self.assertTrue(all(part.startswith("$ORIGIN") for part in path.split(":")), f"{file}: {path}")

    def test_shells_and_man_find_their_files(self):
        for file in ("man/man1/dlrun-tune.1", "bash-completion/completions/dlrun", "zsh/site-functions/_dlrun",
                     "fish/vendor_completions.d/dlrun.fish"):
            self.assertTrue((self.shared / file).stat().st_size > 0, file)
        self.assertEqual((self.package / "share/dlrun/study.schema.json").read_text(), self.dlrun("schema").stdout)

    def test_networks_of_configs_are_found(self):
        (self.work / "digits/ready.yaml").write_text(READY)
        self.assertIn("parameters", self.dlrun("check", "digits/ready.yaml").stdout)

    def test_functions_are_tuned_without_libtorch(self):
        (self.work / "study.yaml").write_text(FUNCTION)
        self.dlrun("tune", "study.yaml", "-q")
        self.assertIn("4", self.dlrun("report", "sphere", "--sql", "select count(*) from trials").stdout)
        self.dlrun("check", "digits/study.yaml")

    def test_a_plugin_is_made_built_and_used_outside_of_the_checkout(self):
        package = self.dlrun("plugins", "cmake").stdout.strip()
        self.assertEqual(Path(package), self.package / "lib/cmake/dlrun")
        self.dlrun("plugins", "new", "sampler", "mine")
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.work)}
        checked("cmake", "-S", "mine", "-B", "mine/build", f"-Ddlrun_DIR={package}", cwd=self.work, env=environment)
        checked("cmake", "--build", "mine/build", cwd=self.work, env=environment)
        tested = run("ctest", "--test-dir", "mine/build", "--output-on-failure", cwd=self.work,
                     env={**environment, "XDG_RUNTIME_DIR": str(self.work / "run")})
        self.assertEqual(tested.returncode, 0, tested.stdout + tested.stderr)
        listed = self.dlrun("plugins", "--format", "csv", DLRUN_PLUGINS=str(self.work / "mine/build/plugins")).stdout
        self.assertRegex(listed, r"\nmine,sampler,0.1.0,.*,[0-9a-f]+,\n")

    def test_doctor_installs_libtorch_into_the_cache_unless_it_is_there(self):
        (self.work / ".cache/dlrun").mkdir(parents=True)
        (self.work / ".cache/dlrun" / self.torch.parent.name).symlink_to(self.torch.parent)
        done = self.dlrun("doctor", "--install-torch", "--format", "csv")
        self.assertIn("install: all is there; libtorch: ", done.stderr)
        self.assertRegex(done.stdout, r"libtorch,ok,cache: \S+/\.cache/dlrun/torch-")
        self.assertRegex(done.stdout, "trainer,ok,.*loads, with libtorch")

    def test_the_digits_are_tuned_with_libtorch(self):
        self.dlrun("tune", "digits/study.yaml", "-q", "--set", "limits.trials=4", DLRUN_TORCH=str(self.torch))
        self.assertIn("test.accuracy", self.dlrun("report").stdout)
        listed = self.dlrun("doctor", "--format", "csv", DLRUN_TORCH=str(self.torch)).stdout
        self.assertIn(f"libtorch,ok,DLRUN_TORCH: {self.torch} is ", listed)
        self.assertRegex(listed, "trainer,ok,.*loads, with libtorch")
