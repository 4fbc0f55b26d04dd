# SPDX-License-Identifier: Apache-2.0
"""Ranks on two hosts of a Slurm whose network falls silent: no packet comes, and nobody is told. All of it lives in a network
namespace of its own, whose only link is taken down.

Nobody hears of such a fault before TCP gives up, after 20 s, so it takes minutes: DLRUN_FAULTS=long."""
import os
import shutil
import subprocess
import sys
import unittest

import gangs
import slurm_test
from support import HAS_TRAINER

UNSHARE = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-rn"]
IS_INSIDE = os.environ.get("DLRUN_PARTITION") == "1"
CAN_PART = bool(shutil.which("ip")) and subprocess.run([*UNSHARE, "true"], capture_output=True).returncode == 0


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def set_network(state):
    ip("link", "set", "lo", state)


def make_network():
    """Loopback, which everything here goes through, and a link beside it, for Slurm wants a machine that has one."""
    ip("link", "add", "part0", "type", "veth", "peer", "name", "part1")
    ip("addr", "add", "10.99.0.1/24", "dev", "part0")
    for link in ("part0", "part1"):
        ip("link", "set", link, "up")
    set_network("up")


@unittest.skipUnless(HAS_TRAINER, "no trainer here")
class PartitionTest(slurm_test.OnCluster):
    def test_a_gang_that_a_partition_parts_is_tried_again_with_the_same_bits(self):
        text = gangs.study().replace("epochs: 6", "epochs: 60")
        calm = self.write(text, "calm.yaml")
        done = self.run_dlrun("tune", calm, "--store", "calm")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.study = self.write(slurm_test.study(text=text + slurm_test.EXECUTOR + "resources: {nodes: 2}\n"))
        driver = self.begin()
        self.await_("an epoch", lambda: self.count("v_metrics", self.store) > 0, driver)
        self.addCleanup(set_network, "up")
        set_network("down")
        self.await_("that the rank of the other host gives up", lambda: -1 not in gangs.ranks(), driver)
        set_network("up")
        done = self.finish(driver)
        self.assertEqual(done.returncode, 0, done.stderr)
        values = "select metric, step, value from v_metrics order by metric, step"
        self.assertEqual(self.ask(values, self.store), self.ask(values, "calm"))
        causes = [cause for cause, in self.ask("select cause from v_attempts order by attempt", self.store)]
        self.assertEqual((causes[0], causes[-1]), ("worker_lost", None))
        self.assertLessEqual(set(causes[1:-1]), {"worker_lost", "preempted"})  # Slurm finds its nodes again meanwhile
        self.assertEqual(gangs.ranks(), {})


if __name__ == "__main__":
    if IS_INSIDE:
        make_network()
        unittest.main()
    if not slurm_test.IS_LONG or not CAN_PART:
        print("skipped: it takes minutes" if CAN_PART else "skipped: no network namespaces here")
        sys.exit(77)
    inside = {**os.environ, "DLRUN_PARTITION": "1"}
    sys.exit(subprocess.run([*UNSHARE, sys.executable, __file__, *sys.argv[1:]], env=inside).returncode)
