# SPDX-License-Identifier: Apache-2.0
"""A program as a trial: a curve that it continues from its checkpoint. A fault of its surroundings ends it with 75, as the
rules for programs ask; so nothing but the attack can make its trial fail."""
import json
import os
import sys
from pathlib import Path


def train(x):
    folder, resume = Path(os.environ["DLRUN_DIR"]), os.environ["DLRUN_RESUME"]
    step, state = json.loads(Path(resume).read_text()) if resume else (0, 0.0)
    while step < int(os.environ["DLRUN_TO_STEP"]):
        step, state = step + 1, state / 2 + x
        checkpoint = folder / f"{step}.json"
        checkpoint.write_text(json.dumps([step, state]))
        say(3, {"checkpoint": checkpoint.name, "step": step})
        say(3, {"metric": "value", "step": step, "value": abs(state - 0.6)})


def say(descriptor, line):
    os.write(descriptor, (json.dumps(line) + "\n").encode())


try:
    train(float(sys.argv[1]))
except (OSError, MemoryError) as error:
    print(error, file=sys.stderr)
    sys.exit(75)
