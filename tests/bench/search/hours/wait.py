#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A trial that waits instead of training: as many seconds for an epoch as --seconds and luck say.

The luck of an epoch is a hash of its learning rate and number: log-normal with 15 % deviation, three times as long for one
epoch in a hundred. DLRUN_PACE divides all waiting. The loss falls towards the distance of the rate from 0.1.
"""
import argparse
import hashlib
import json
import math
import os
import statistics
import time

DEVIATION, SLOW, SLOWNESS = 0.15, 0.01, 3.0


def luck(key):
    """The factor of an epoch's duration, mean 1 without the slow ones."""
    digest = hashlib.sha256(key.encode()).digest()
    first, second = (int.from_bytes(digest[i:i + 8], "big") / 2**64 for i in (0, 8))
    factor = math.exp(statistics.NormalDist(-DEVIATION**2 / 2, DEVIATION).inv_cdf(min(max(first, 1e-12), 1 - 1e-12)))
    return factor * (SLOWNESS if second < SLOW else 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    options = parser.parse_args()
    first, last = int(os.environ["DLRUN_FROM_STEP"]), int(os.environ["DLRUN_TO_STEP"])
    seconds = options.seconds / float(os.environ.get("DLRUN_PACE", "1"))
    reports = os.fdopen(int(os.environ["DLRUN_REPORT_FD"]), "w")
    for epoch in range(first + 1, last + 1):
        time.sleep(seconds * luck(f"{options.lr!r} {epoch}"))
        loss = abs(math.log10(options.lr) + 1) + 1 / epoch
        print(json.dumps({"metric": "loss", "step": epoch, "value": loss}), file=reports, flush=True)


if __name__ == "__main__":
    main()
