# SPDX-License-Identifier: Apache-2.0
"""Hundreds of workers that join one driver at once: none is lost, and the study ends as on one worker."""
import unittest

from remote_support import RemoteFolder
from support import BIN


class Cluster(RemoteFolder):
    STUDY = """\
study: sphere
seed: 3
objective: {metric: value, direction: minimize}
space:
  x: {type: float, low: -1.0, high: 1.0}
search: {sampler: random, pruner: {op: asha, eta: 3, min_budget: 10, max_budget: 90}, lanes: 300}
limits: {trials: 900}
trial: {kind: function, function: {op: sphere, curve: 1.0}, epochs: 90}
"""

    def test_hundreds_of_workers_that_join_at_once(self):
        driver = self.listen()
        load = self.finish(self.start_program(BIN / "bench_cluster", self.endpoint, 300, 50))
        self.assertEqual(load.returncode, 0, load.stderr)
        figures = dict(line.split()[:2] for line in load.stdout.splitlines())
        self.assertEqual(figures["cluster.lost"], "0", load.stdout)
        self.require_same(driver)


if __name__ == "__main__":
    unittest.main()
