# SPDX-License-Identifier: Apache-2.0
"""aarch64: the programs without libtorch and their unit tests are built by a cross compiler and run under QEMU.

The sysroot has Debian's packages for arm64, unpacked and not installed, so nothing of arm64 comes to this machine.
QEMU emulates one program, not those that it starts: tests of rooms that start programs are skipped unless the kernel
knows how to start arm64 programs (binfmt_misc).
"""
import json
import os
import shutil
import subprocess
from pathlib import Path

import clean_root
from common import BUILDS, CACHE, JOBS, ROOT, run, step

RELEASE, NUMBER = "bookworm", "12"   # has the libraries of the cross compiler of this machine's Debian
HOST_PROGRAMS = {"g++", "cmake", "ninja-build", "ccache", "mold", "git", "ca-certificates"}
EMULATOR = "qemu-aarch64-static"
STARTERS = "^unit_executor$"   # tests that start programs built for arm64


def packages():
    pins = json.loads((ROOT / "third_party/versions.json").read_text())
    named = pins["apt"]["build"] + pins["debian"][NUMBER]["build"]
    return [name for name in named if name not in HOST_PROGRAMS]


def unpack(package, folder):
    """Unlike `dpkg-deb -x`, keeps /lib a link to /usr/lib."""
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as archive:
        tar = ["tar", "--extract", "--keep-directory-symlink", f"--directory={folder}"]
        subprocess.run(tar, stdin=archive.stdout, check=True)


def turn_links_inwards(folder):
    """A linker follows an absolute link out of the sysroot; a relative one stays inside."""
    for link in folder.glob("usr/lib/**/*.so*"):
        if link.is_symlink() and os.readlink(link).startswith("/"):
            inside = folder / os.readlink(link)[1:]
            link.unlink()
            link.symlink_to(os.path.relpath(inside, link.parent))


def make_sysroot(folder):
    """debootstrap fetches the packages with what they depend on; they are unpacked, not installed."""
    if (folder / "made").exists():
        return
    clean_root.need("debootstrap", "debootstrap")
    if folder.exists():
        shutil.rmtree(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    run("debootstrap", "--foreign", "--arch=arm64", "--variant=minbase", f"--include={','.join(packages())}", RELEASE, folder,
        stdout=subprocess.DEVNULL)
    for file in sorted((folder / "var/cache/apt/archives").glob("*.deb")):
        unpack(file, folder)
        file.unlink()
    turn_links_inwards(folder)
    (folder / "made").touch()


def starts_programs():
    """Whether this machine's kernel starts arm64 programs by itself."""
    return any("aarch64" in entry.name for entry in Path("/proc/sys/fs/binfmt_misc").glob("*"))


def show():
    clean_root.need("aarch64-linux-gnu-g++", "g++-aarch64-linux-gnu")
    clean_root.need(EMULATOR, "qemu-user-static")
    sysroot = CACHE / "dlrun/roots/arm64"
    make_sysroot(sysroot)
    build = BUILDS / "aarch64"
    environment = {**os.environ, "DLRUN_SYSROOT": str(sysroot), "QEMU_LD_PREFIX": str(sysroot)}
    step("aarch64: configured", "cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
         "-DDLRUN_TORCH=OFF", "-DDLRUN_TESTS=ON", f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'cmake/aarch64.cmake'}", env=environment,
         stdout=subprocess.DEVNULL)
    step("aarch64: built", "cmake", "--build", build, "-j", JOBS, "--target", "programs", "unit_tests", env=environment)
    run(EMULATOR, "-L", sysroot, build / "bin/dlrun", "--version")
    skipped = [] if starts_programs() else ["-E", STARTERS]
    if skipped:
        print(f"systems: aarch64: SKIPPED {STARTERS}: this kernel does not start arm64 programs (binfmt_misc)", flush=True)
    step("aarch64: unit tests", "ctest", "--test-dir", build, "-L", "^unit$", *skipped, "-j", JOBS, "--output-on-failure",
         "--no-tests=error", env=environment)
