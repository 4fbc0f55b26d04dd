#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds every plugin of the tree outside of the main build, with the compiler that made dlrun.

  build.py --build BUILD [--torch]
"""
import argparse
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def cached(build, names):
    """-D options with the values that these variables have in the main build."""
    known = {}
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if "=" in line and ":" in line.split("=")[0]:
            head, value = line.split("=", 1)
            known[head.split(":")[0]] = value
    return [f"-D{name}={known[name]}" for name in names if known.get(name)]


def flags(build):
    """The sanitizers' flags where dlrun has them: plugins are looked at too."""
    is_sanitized = cached(build, ["DLRUN_SANITIZE"]) == ["-DDLRUN_SANITIZE=ON"]
    return ["-DCMAKE_CXX_FLAGS=-fsanitize=address,undefined -fno-sanitize-recover=all -g"] if is_sanitized else []


def launcher(build):
    """The main build's cache of compiled files, if it has one."""
    found = cached(build, ["CCACHE"])
    if not found or found[0].endswith("NOTFOUND"):
        return []
    words = ["cmake", "-E", "env", f"CCACHE_BASEDIR={ROOT}", "CCACHE_NOHASHDIR=1", found[0].split("=", 1)[1]]
    return [f"-DCMAKE_CXX_COMPILER_LAUNCHER={';'.join(words)}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--torch", action="store_true", help="those that need libtorch, too")
    asked = parser.parse_args()
    build = asked.build.resolve()
    out = build / "plugin-build"
    subprocess.run(["cmake", "-S", ROOT / "tests/plugins/all", "-B", out, "-G", "Ninja", f"-Ddlrun_DIR={ROOT}/cmake/package",
                    f"-DDLRUN_PROGRAM={build}/bin/dlrun", f"-DWITH_TORCH={'ON' if asked.torch else 'OFF'}",
                    *cached(build, ["CMAKE_CXX_COMPILER", "CMAKE_C_COMPILER", "CMAKE_BUILD_TYPE"]), *flags(build), *launcher(build)], check=True)
    subprocess.run(["cmake", "--build", out, "-j2"], check=True)


if __name__ == "__main__":
    main()
