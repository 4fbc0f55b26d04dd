# SPDX-License-Identifier: Apache-2.0
"""A release of Debian: the whole of dlrun is built and its unit tests run in a root that debootstrap makes.

The root stays in the cache folder, shared with packaging/deb. libtorch and the compiler's cache are this machine's.
"""
import clean_root
from common import BUILDS, CACHE, JOBS, ROOT, step

VERSIONS = "g++ cmake libboost-dev libfmt-dev libeigen3-dev libsleef-dev nlohmann-json3-dev libsimdjson-dev catch2"


def show(release):
    root = clean_root.make(CACHE / "dlrun/roots" / release, release, ["python3", "dpkg-dev"])
    (CACHE / "ccache").mkdir(exist_ok=True)
    build = f"build/{BUILDS.name}/{release}"

    def inside(name, script):
        binds = [(ROOT, "/dlrun"), (CACHE, "/root/.cache")]
        step(f"{release}: {name}", *clean_root.command(root, "sh", "-ec", f"cd /dlrun\n{script}", binds=binds))

    inside("packages", "third_party/install --no-checks")
    inside("configured", f"""\
dpkg-query -W {VERSIONS} 2>/dev/null || true
cmake -S . -B {build} -G Ninja -DCMAKE_BUILD_TYPE=Release -DDLRUN_TESTS=ON""")
    inside("built", f"cmake --build {build} -j {JOBS} --target programs unit_tests -- -k 0")
    inside("unit tests", f"ctest --test-dir {build} -L '^unit$' --output-on-failure --no-tests=error -j {JOBS}")
