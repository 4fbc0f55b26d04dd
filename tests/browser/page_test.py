#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A page of a real study and a served one in headless Chromium with axe-core; ends with 77 where there is no Chromium or
no package index. Nothing here depends on how long it takes.

  page_test.py      DLRUN_BIN names the folder of dlrun
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import look  # noqa: E402
from environments import SKIPPED, environment_or_skip  # noqa: E402

BIN = Path(os.environ.get("DLRUN_BIN") or HERE.parents[1] / "build/release/bin").resolve()
STUDY = """\
study: hostile
seed: 1
objective: {metric: value, direction: minimize}
space:
  x: {type: float, low: 1e-3, high: 1, scale: log}
  n: {type: int, low: 1, high: 9}
  word: {type: categorical, choices: ["<img src=x onerror=alert(1)>", "</script><b>", "$x$ & \\"y\\"", "雪"]}
search: {sampler: random, lanes: 2}
limits: {trials: 12}
trial:
  kind: command
  command: [sh, -c, 'for step in 1 2 3; do echo "::dlrun {{\\"metric\\": \\"value\\", \\"step\\": $step, \\"value\\": {x}}}"; done']
  epochs: 3
"""


AMENDED = STUDY.replace("high: 1,", "high: 0.1,").replace("trials: 12", "trials: 14")  # older trials lie outside


def page_of(folder):
    (folder / "study.yaml").write_text(STUDY)
    (folder / "amended.yaml").write_text(AMENDED)
    environment = {**os.environ, "DLRUN_STORE": str(folder / "store")}
    for arguments in (["tune", "study.yaml", "-w", "1", "-q"], ["tune", "amended.yaml", "--amend", "-w", "1", "-q"], ["note", "hostile", "<script>alert(2)</script>"],
                      ["report", "hostile", "--html", "page.html"]):
        subprocess.run([BIN / "dlrun", *arguments], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    return folder / "page.html"


def main():
    if not Path(look.CHROMIUM).exists():
        print("SKIPPED: there is no chromium")
        return SKIPPED
    environment_or_skip(HERE / "requirements.txt")
    with tempfile.TemporaryDirectory(prefix="dlrun-page-") as folder:
        page = page_of(Path(folder))
        looked = subprocess.run([sys.executable, HERE / "look.py", "--once", page])
    followed = subprocess.run([sys.executable, HERE / "follow.py", BIN])
    return 1 if looked.returncode or followed.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
