# SPDX-License-Identifier: Apache-2.0
"""fmt 12, which no Debian has yet: the programs without libtorch are built with the headers that the torch wheel brings."""
import re
import subprocess

from common import BUILDS, JOBS, ROOT, run, step


def headers():
    """A folder with fmt/ of the torch wheel and nothing else of it."""
    found = subprocess.run([ROOT / "third_party/install", "--print-torch"], stdout=subprocess.PIPE, text=True, check=True)
    folder = BUILDS / "fmt12/headers"
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / "fmt"
    link.unlink(missing_ok=True)
    link.symlink_to(f"{found.stdout.strip()}/include/fmt")
    version = re.search(r"FMT_VERSION (\d+)", (link / "base.h").read_text()).group(1)
    print(f"systems: fmt12: FMT_VERSION {version}", flush=True)
    if int(version) < 120000:
        raise SystemExit("systems: the torch wheel has an older fmt")
    return folder


def show():
    build = BUILDS / "fmt12/build"
    flags = f"-DFMT_HEADER_ONLY -isystem {headers()}"
    step("fmt12: configured", "cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DDLRUN_TORCH=OFF",
         "-DDLRUN_TESTS=OFF", "-DCMAKE_CXX_FLAGS_DEBUG=-O0", f"-DCMAKE_CXX_FLAGS={flags}", stdout=subprocess.DEVNULL)
    step("fmt12: built", "cmake", "--build", build, "-j", JOBS, "--target", "programs")
    run(build / "bin/dlrun", "--version")
