# SPDX-License-Identifier: Apache-2.0
"""aarch64: the programs without libtorch and their unit tests are built by a cross compiler and run under QEMU.

The sysroot has Debian's packages for arm64, unpacked and not installed, so nothing of arm64 comes to this machine.
QEMU emulates one program, not those that it starts: while the tests run, the kernel is told how to start arm64 programs
(binfmt_misc). Where it cannot be told, tests of rooms that start programs are skipped; a few rooms are skipped in any case.
"""
import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import clean_root
from common import BUILDS, CACHE, JOBS, ROOT, run, step

RELEASE, NUMBER = "bookworm", "12"   # has the libraries of the cross compiler of this machine's Debian
HOST_PROGRAMS = {"g++", "cmake", "ninja-build", "ccache", "mold", "git", "ca-certificates"}
EMULATOR = "qemu-aarch64-static"
MIXED = "programs|readings|worker"   # rooms whose tests give this machine's shell a library for arm64, or look at what QEMU does otherwise
STARTERS = "driver|executor"         # rooms whose tests start programs built for arm64
PREFIX = Path("/etc/qemu-binfmt/aarch64")   # where Debian's QEMU looks for libraries of programs with an environment of their own
BINFMT = Path("/proc/sys/fs/binfmt_misc")
RULE = (rb":dlrun-aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
        rb":\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:/usr/bin/" + EMULATOR.encode() + b":F")
OTHER_MACHINE = ("import platform, runpy, sys; platform.machine = lambda: 'aarch64'; sys.argv = ['install', '--only-solver']; "
                 "runpy.run_path('third_party/install', run_name='__main__')")


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
    return any("aarch64" in entry.name for entry in BINFMT.glob("*"))


@contextlib.contextmanager
def programs_start(sysroot):
    """The kernel starts arm64 programs meanwhile, with the sysroot's libraries, if it can."""
    undo = contextlib.ExitStack()
    with undo:
        if not (BINFMT / "register").exists():
            subprocess.run(["mount", "-t", "binfmt_misc", "binfmt_misc", BINFMT], check=False)
        if not starts_programs() and (BINFMT / "register").exists():
            (BINFMT / "register").write_bytes(RULE)
            undo.callback((BINFMT / "dlrun-aarch64").write_text, "-1")
        if not PREFIX.exists():
            PREFIX.parent.mkdir(exist_ok=True)
            PREFIX.symlink_to(sysroot)
            undo.callback(PREFIX.unlink)
        yield


def solver():
    """CP-SAT for arm64, out of its wheel, in a cache of its own. @return the folder of its libraries"""
    cache = CACHE / "dlrun/arm64"
    run(sys.executable, "-c", OTHER_MACHINE, cwd=ROOT, env={**os.environ, "XDG_CACHE_HOME": str(cache)})
    return next(cache.glob("dlrun/ortools-*/ortools/.libs"))


def show():
    clean_root.need("aarch64-linux-gnu-g++", "g++-aarch64-linux-gnu")
    clean_root.need(EMULATOR, "qemu-user-static")
    sysroot = CACHE / "dlrun/roots/arm64"
    make_sysroot(sysroot)
    build = BUILDS / "aarch64"
    environment = {**os.environ, "DLRUN_SYSROOT": str(sysroot), "QEMU_LD_PREFIX": str(sysroot), "DLRUN_ORTOOLS": str(solver())}
    step("aarch64: configured", "cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
         "-DDLRUN_TORCH=OFF", "-DDLRUN_TESTS=ON", f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'cmake/aarch64.cmake'}", env=environment,
         stdout=subprocess.DEVNULL)
    step("aarch64: built", "cmake", "--build", build, "-j", JOBS, "--target", "programs", "unit_tests", env=environment)
    run(EMULATOR, "-L", sysroot, build / "bin/dlrun", "--version")
    with programs_start(sysroot):
        skipped = f"^unit_({MIXED if starts_programs() else f'{MIXED}|{STARTERS}'})$"
        print(f"systems: aarch64: SKIPPED {skipped}: see {Path(__file__).name}", flush=True)
        step("aarch64: unit tests", "ctest", "--test-dir", build, "-L", "^unit$", "-E", skipped, "-j", JOBS, "--output-on-failure",
             "--no-tests=error", env=environment)
