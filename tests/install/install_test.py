#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of third_party/install that need no network: the GPU states, a user's own libtorch, space, other systems.

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
        patch = mock.patch.dict(os.environ, {"CMAKE_PREFIX_PATH": ""})
        patch.start()
        self.addCleanup(patch.stop)

    def libtorch(self, root):
        (root / "lib").mkdir(parents=True)
        (root / "include/torch").mkdir(parents=True)
        (root / "lib/libtorch_cpu.so").touch()
        return root

    def test_a_libtorch_of_the_users_own_goes_first(self):
        own = self.libtorch(self.folder / "own")
        os.environ["CMAKE_PREFIX_PATH"] = f"/nowhere:{own}"
        self.assertEqual(install.installed_torch(), own)
        (own / "share/cmake").mkdir(parents=True)
        os.environ["CMAKE_PREFIX_PATH"] = f"{own}/share/cmake"   # what torch.utils.cmake_prefix_path says
        self.assertEqual(install.installed_torch(), own)
        os.environ["CMAKE_PREFIX_PATH"] = str(self.folder)       # of something else
        self.assertIsNone(install.installed_torch())

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
        kept = {profile: [name for name in both + gpu + neither if install.is_kept(name, profile)]
                for profile in ("cpu", "gpu")}
        self.assertEqual(kept, {"cpu": both, "gpu": both + gpu})

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
        self.assertTrue(str(stopped.exception).endswith("please install: cmake >= 3.25 (found 3.18.4), Boost >= 1.80"))

    def test_every_version_looked_for_has_a_least_one(self):
        self.assertEqual(set(install.found_versions()), set(install.PINS["least"]))


if __name__ == "__main__":
    unittest.main()
