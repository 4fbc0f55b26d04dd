#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cmake --install` of the present build (DLRUN_BUILD), moved afterwards."""
import unittest

import support


class Tree(support.Installed):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        support.checked("cmake", "--install", support.BUILD, "--prefix", cls.folder / "made")
        cls.prefix = cls.package = cls.folder / "moved here"
        cls.shared = cls.prefix / "share"
        (cls.folder / "made").rename(cls.prefix)

    def test_doctor_finds_the_worker_and_the_trainer(self):
        listed = self.dlrun("doctor", "--format", "csv").stdout
        self.assertIn(f"worker,ok,{self.prefix}/bin/dlrun-worker", listed)
        self.assertIn("libtorch,-,beside dlrun is no Python environment", listed)


if __name__ == "__main__":
    unittest.main()
