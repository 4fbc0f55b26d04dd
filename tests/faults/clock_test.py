# SPDX-License-Identifier: Apache-2.0
"""The wall clock jumps by hours and years, or stands still, while a study runs (libfaketime): nobody is taken for silent or
late, the study ends as it would have, and no duration in its report is negative."""
import os
import unittest
from pathlib import Path

from support import GATED_PROGRAM, Folder

FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
JUMPS = ("+3600s", "-3600s", "+365d", "-365d", "2020-01-01 00:00:00", "+0s")


@unittest.skipIf(FAKETIME is None, "no libfaketime is installed here")
@unittest.skipIf(os.environ.get("DLRUN_SANITIZED") == "1", "the sanitizer's library wants to be loaded first")
class ClockTest(Folder):
    def setUp(self):
        super().setUp()
        self.study = self.write_gated()
        # All processes under libfaketime share a lock while they start. A program that waits for its turn is stopped: its
        # own children must not hold the lock then.
        self.write("unset LD_PRELOAD\n" + GATED_PROGRAM, "gated.sh")
        self.offset = self.folder / "offset"
        self.offset.write_text("+0s\n")
        self.environment = {**os.environ, "LD_PRELOAD": str(FAKETIME), "FAKETIME_TIMESTAMP_FILE": str(self.offset),
                            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_NO_CACHE": "1"}

    def jump(self, offset):
        fresh = self.folder / "offset.new"
        fresh.write_text(offset + "\n")
        fresh.replace(self.offset)

    def test_the_clock_may_jump(self):
        self.hold_from(0)
        driver = self.start("tune", self.study, "--workers", 2, "--store", "store", env=self.environment)
        for jumps in range(2 * len(JUMPS)):
            self.jump(JUMPS[jumps % len(JUMPS)])
            self.hold_from(8 + jumps)
            self.await_("results at this time", lambda: self.count("v_trials where epochs > 0") > jumps, while_runs=driver)
        self.open_gate()
        err = self.end_of(driver)
        self.assertNotIn("silent", err)
        self.assertEqual(self.tune(self.study, self.folder / "calm").returncode, 0)
        self.assertEqual(self.digest(self.folder / "store"), self.digest(self.folder / "calm"))
        counted = self.run_dlrun("report", "--store", "store", "--format", "csv", "--sql",
                                 "select sum(cause not null) lost, sum(seconds < 0) past, sum(seconds > 60) long from attempts")
        self.assertEqual(counted.stdout.split()[-1], "0,0,0", counted.stdout + counted.stderr)


if __name__ == "__main__":
    unittest.main()
