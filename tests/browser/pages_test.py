#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A page of every kind of study (real_studies.py) in headless Chromium with axe-core, in light, dark and narrow windows, and
pages that follow their studies. Ends with 77 where there is no Chromium or no package index.

  pages_test.py [--shots DIR]     DLRUN_BIN names the folder of dlrun, whose trainer library must be built
"""
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import look  # noqa: E402
import real_studies  # noqa: E402
from environments import SKIPPED, environment_or_skip  # noqa: E402


def main():
    if not Path(look.CHROMIUM).exists():
        print("SKIPPED: there is no chromium")
        return SKIPPED
    environment_or_skip(HERE / "requirements.txt")
    with tempfile.TemporaryDirectory(prefix="dlrun-pages-") as folder:
        pages = real_studies.pages(Path(folder))
        looked = subprocess.run([sys.executable, HERE / "look.py", "--untimed", *pages, *sys.argv[1:]])
    followed = subprocess.run([sys.executable, HERE / "follow.py"])
    return 1 if looked.returncode or followed.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
