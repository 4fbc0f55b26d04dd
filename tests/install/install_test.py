#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of third_party/install that need no network: GPU states, libtorch of a user or an environment, space, systems.

The driver's library is a fake, compiled here, that answers what the environment says.
"""
import importlib.machinery
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
INSTALL = Path(__file__).resolve().parents[2] / "third_party/install"
loader = importlib.machinery.SourceFileLoader("install", str(INSTALL))
install = importlib.util.module_from_spec(importlib.util.spec_from_loader("install", loader))
loader.exec_module(install)

FAKE_NVML = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
static int number(const char* name) { const char* v = getenv(name); return v ? atoi(v) : 0; }
extern "C" {
int nvmlInit_v2() { return number("FAKE_INIT"); }
int nvmlSystemGetDriverVersion(char* text, unsigned n) { snprintf(text, n, "%s", getenv("FAKE_DRIVER")); return 0; }
int nvmlSystemGetCudaDriverVersion_v2(int* v) { *v = number("FAKE_CUDA"); return 0; }
int nvmlDeviceGetCount_v2(unsigned* n) { *n = number("FAKE_COUNT"); return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void** d) { *d = (void*)(size_t)(i + 1); return 0; }
int nvmlDeviceGetUUID(void* d, char* text, unsigned n) { snprintf(text, n, "GPU-%zu234", (size_t)d); return 0; }
int nvmlDeviceGetName(void*, char* text, unsigned n) { snprintf(text, n, "Fake %d", number("FAKE_SM")); return 0; }
int nvmlDeviceGetCudaComputeCapability(void*, int* a, int* b) {
  *a = number("FAKE_SM") / 10; *b = number("FAKE_SM") % 10; return 0; }
}
"""


class Gpu(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        subprocess.run(["g++", "-shared", "-fPIC", "-x", "c++", "-", "-o", str(cls.folder / "libnvidia-ml.so.1")],
                       input=FAKE_NVML, text=True, check=True)

    def line(self, **fake):
        """What install says where the driver answers so; a process of its own, for the loader reads its path once."""
        said = {"FAKE_DRIVER": "580.65.06", "FAKE_CUDA": "13000", "FAKE_COUNT": "2", "FAKE_SM": "90",
                "LD_LIBRARY_PATH": str(self.folder), "PATH": os.environ["PATH"], "HOME": str(self.folder), **fake}
        program = f"import runpy; print(runpy.run_path({str(INSTALL)!r}, run_name='install')['gpu_line']())"
        return subprocess.run([sys.executable, "-B", "-c", program], env=said, stdout=subprocess.PIPE, text=True,
                              check=True).stdout.strip()

    def test_usable_gpus_are_counted(self):
        self.assertEqual(self.line(), "GPU: 2 x Fake 90, driver 580.65.06; "
                                      "third_party/install --profile gpu installs what it needs")

    def test_a_driver_that_is_too_old_says_what_is_needed(self):
        said = self.line(FAKE_DRIVER="535.1", FAKE_CUDA="12020")
        self.assertEqual(said, "GPU: driver too old: 535.1 knows CUDA 12.2, libtorch needs 13.0 (driver 580 or newer)")

    def test_a_gpu_that_is_too_old_says_what_is_needed(self):
        said = self.line(FAKE_SM="61")
        self.assertEqual(said, "GPU: too old for CUDA 13.0: Fake 61 has compute capability 6.1, needed is 7.5")

    def test_no_driver_and_no_gpu_are_none(self):
        self.assertEqual(self.line(FAKE_INIT="9"), "GPU: none (no NVIDIA driver answers)")
        self.assertEqual(self.line(FAKE_COUNT="0"), "GPU: none")

    def test_cuda_visible_devices_is_honoured(self):
        self.assertIn("GPU: 1 x", self.line(CUDA_VISIBLE_DEVICES="1"))
        self.assertIn("GPU: 1 x", self.line(CUDA_VISIBLE_DEVICES="GPU-2"))
        self.assertEqual(self.line(CUDA_VISIBLE_DEVICES=""), "GPU: none visible (CUDA_VISIBLE_DEVICES is '')")
        self.assertEqual(self.line(CUDA_VISIBLE_DEVICES="-1"), "GPU: none visible (CUDA_VISIBLE_DEVICES is '-1')")


class Torch(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(setattr, install, "CACHE", install.CACHE)
        install.CACHE = self.folder / "cache"
        patch = mock.patch.dict(os.environ, {"CMAKE_PREFIX_PATH": "", "VIRTUAL_ENV": "", "CONDA_PREFIX": ""})
        patch.start()
        self.addCleanup(patch.stop)

    def libtorch(self, root, version=None):
        (root / "lib").mkdir(parents=True)
        (root / "include/torch").mkdir(parents=True)
        (root / "lib/libtorch_cpu.so").touch()
        if version:
            (root / "version.py").write_text(f"from typing import Optional\n__version__ = '{version}'\n")
        return root

    def environment(self, name, version):
        """(folder, torch) of an environment with a torch package."""
        folder = self.folder / name
        return folder, self.libtorch(folder / "lib/python3.11/site-packages/torch", version)

    def test_a_libtorch_of_the_users_own_goes_first(self):
        own = self.libtorch(self.folder / "own")
        os.environ["CMAKE_PREFIX_PATH"] = f"/nowhere:{own}"
        self.assertEqual(install.installed_torch(), own)
        (own / "share/cmake").mkdir(parents=True)
        os.environ["CMAKE_PREFIX_PATH"] = f"{own}/share/cmake"   # what torch.utils.cmake_prefix_path says
        self.assertEqual(install.installed_torch(), own)
        os.environ["CMAKE_PREFIX_PATH"] = str(self.folder)       # of something else
        self.assertIsNone(install.installed_torch())

    def test_the_torch_of_an_active_environment_is_taken(self):
        venv, torch = self.environment("venv", install.PINS["torch"] + "+cpu")
        conda, condas = self.environment("conda", install.PINS["torch"])
        self.assertIsNone(install.installed_torch())
        os.environ["CONDA_PREFIX"] = str(conda)
        self.assertEqual(install.installed_torch(), condas)
        os.environ["VIRTUAL_ENV"] = str(venv)
        self.assertEqual(install.installed_torch(), torch)
        install.install_torch("cpu")   # downloads nothing
        self.assertFalse(install.CACHE.exists())
        os.environ["CMAKE_PREFIX_PATH"] = str(self.libtorch(self.folder / "own"))
        self.assertEqual(install.installed_torch(), self.folder / "own")

    def test_an_environment_whose_torch_does_not_fit_is_not_taken(self):
        venv, torch = self.environment("venv", "2.10.0")
        os.environ["VIRTUAL_ENV"] = str(venv)
        self.assertIsNone(install.installed_torch())
        (torch / "version.py").write_text(f"__version__ = '{install.PINS['torch']}'\n")
        self.assertEqual(install.installed_torch(), torch)
        (torch / "lib/libtorch_cpu.so").unlink()   # what cmake needs must be there
        self.assertIsNone(install.installed_torch())

    def test_a_download_is_announced_in_one_line(self):
        with mock.patch.object(install, "say") as said, mock.patch.object(install.platform, "machine", return_value="x86_64"):
            install.announce("cpu")
        said.assert_called_once()
        self.assertRegex(said.call_args.args[0], r"downloading 545 MB: torch \S+ \(531 MB\), nvidia-cuda-runtime \S+ \(3 MB\), ")

    def test_each_processor_has_wheels_of_its_own(self):
        with mock.patch.object(install.platform, "machine", return_value="aarch64"):
            self.assertEqual([wheel[0] for wheel in install.wheels_of("cpu")],
                             ["torch", "nvidia-cuda-runtime", "nvidia-cuda-cupti"])
            self.assertFalse(install.is_unpacked("gpu"))
            with self.assertRaisesRegex(install.Stop, "no wheel of profile gpu is pinned for aarch64"):
                install.install_torch("gpu")

    def test_only_a_whole_folder_of_these_very_wheels_counts(self):
        home = install.home_of("cpu")
        self.libtorch(home / "torch")
        self.assertFalse(install.is_unpacked("cpu"))
        (home / "contents.json").write_text(json.dumps(install.contents_of("cpu")))
        self.assertTrue(install.is_unpacked("cpu"))
        self.assertEqual(install.installed_torch(), home / "torch")
        (home / "contents.json").write_text(json.dumps({**install.contents_of("cpu"), "layout": -1}))
        self.assertFalse(install.is_unpacked("cpu"))

    def test_the_profiles_keep_what_they_need(self):
        both = ["torch/include/ATen/ATen.h", "torch/lib/libtorch_cpu.so", "torch/lib/libc10.so",
                "torch/lib/libgomp.so.1", "nvidia/cu13/lib/libcudart.so.13", "nvidia/cu13/lib/libcupti.so.13",
                "torch-2.11.0.dist-info/licenses/LICENSE"]
        gpu = ["torch/lib/libtorch_cuda.so", "torch/lib/libc10_cuda.so", "nvidia/cu13/lib/libnvrtc-builtins.so.13.0",
               "nvidia/cudnn/lib/libcudnn.so.9", "nvidia/cu13/include/cuda_runtime_api.h"]
        neither = ["torch/nn/functional.py", "torch/lib/libtorch_python.so", "torch/bin/protoc", "torch/lib/",
                   "nvidia/cu13/lib/libcudart_static.a", "torch-2.11.0.dist-info/RECORD"]
        both += ["torch/lib/libarm_compute_graph.so", "torch/lib/libnvpl_blas_lp64_gomp.so.0"]   # of aarch64
        kept = {profile: [name for name in both + gpu + neither if install.is_kept(name, profile)]
                for profile in ("cpu", "gpu")}
        self.assertEqual(kept, {"cpu": both, "gpu": both + gpu})

    def test_the_solver_keeps_its_libraries(self):
        kept = [name for name in ("ortools/.libs/libortools.so.9", "ortools/.libs/libscip.so.10.0", "ortools/sat/cp_model_pb2.py",
                                  "ortools/.libs/", "ortools.libs/libabsl_base-4d2a.so", "ortools-9.15.dist-info/licenses/LICENSE") if install.SOLVER.is_kept(name)]
        self.assertEqual(kept, ["ortools/.libs/libortools.so.9", "ortools/.libs/libscip.so.10.0",
                                "ortools.libs/libabsl_base-4d2a.so", "ortools-9.15.dist-info/licenses/LICENSE"])
        self.assertEqual(len({wheel[1] for wheel in install.PINS["solver"].values()}), 1)

    def test_a_solver_that_cannot_be_had_ends_nothing(self):
        with mock.patch.object(install.SOLVER, "install", side_effect=install.Stop(75, "no network")), \
             mock.patch.object(install, "say") as said:
            install.SOLVER.install_if_possible()
        said.assert_called_once_with("without the solver CP-SAT: no network")

    def test_plotly_keeps_one_file_and_its_licence(self):
        kept = [name for name in ("plotly/package_data/plotly.min.js", "plotly/package_data/templates/seaborn.json", "plotly/express/_core.py",
                                  "plotly-7.1.0.dist-info/licenses/LICENSE.txt") if install.PLOTLY.is_kept(name)]
        self.assertEqual(kept, ["plotly/package_data/plotly.min.js", "plotly-7.1.0.dist-info/licenses/LICENSE.txt"])

    def test_a_full_disk_is_seen_before_anything_is_fetched(self):
        install.CACHE.mkdir()
        with mock.patch.object(shutil, "disk_usage", return_value=mock.Mock(free=10**9)):
            with self.assertRaises(install.Stop) as stopped:
                install.install_torch("cpu")
        self.assertEqual(stopped.exception.code, 75)
        self.assertIn("has 1000 MB free", str(stopped.exception))

    def test_another_system_hears_all_that_is_missing_in_one_line(self):
        found = {**dict.fromkeys(install.PINS["least"], "99"), "cmake": "3.18.4", "Boost": None}
        with mock.patch.object(install, "found_versions", return_value=found):
            with self.assertRaises(install.Stop) as stopped:
                install.check_other_system()
        self.assertEqual(stopped.exception.code, 2)
        self.assertIn("please install: cmake >= 3.25 (found 3.18.4), Boost >= 1.80", str(stopped.exception))

    def test_a_system_that_nobody_tried_hears_an_unverified_command(self):
        for name, command in (("ubuntu", "apt-get install g\\+\\+"), ("fedora", "dnf install gcc-c\\+\\+")):
            with mock.patch.object(install, "system", return_value=(name, "1")):
                self.assertRegex(install.unverified_hint(), f"on {name}, unverified: {command}")
        with mock.patch.object(install, "system", return_value=("arch", "")):
            self.assertEqual(install.unverified_hint(), "")

    def test_debian_is_known_by_its_release(self):
        release = self.folder / "os-release"
        for text, version in (('ID=debian\nVERSION_ID="12"\n', "12"), ("ID=debian\nVERSION_CODENAME=forky\n", "sid")):
            release.write_text(text)
            self.assertEqual(install.system(release), ("debian", version))
            with mock.patch.object(install, "system", return_value=("debian", version)):
                self.assertTrue(install.is_tested_debian())
                self.assertTrue(any(name.startswith("libboost") for name in install.packages("build")))

    def test_every_version_looked_for_has_a_least_one(self):
        self.assertEqual(set(install.found_versions()), set(install.PINS["least"]))


if __name__ == "__main__":
    unittest.main()
