# SPDX-License-Identifier: Apache-2.0
"""A study's file in the real optuna-dashboard, its pages drawn by Chromium. For the long form."""
import socket
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))
from environments import enter  # noqa: E402

enter(Path(__file__).with_name("optuna-4.9.0.txt"))

from studies import Studies  # noqa: E402

CHROMIUM = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--virtual-time-budget=20000", "--dump-dom"]


def free_port():
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return door.getsockname()[1]


class Dashboard(Studies):
    def serve(self, url):
        port = free_port()
        program = str(Path(sys.executable).with_name("optuna-dashboard"))
        server = subprocess.Popen([program, "--port", str(port), url], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return f"http://127.0.0.1:{port}/dashboard/studies/1"
            except ConnectionRefusedError:
                self.assertIsNone(server.poll())
                time.sleep(0.1)

    def page(self, address):
        done = subprocess.run([*CHROMIUM, address], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=300)
        self.assertEqual(done.returncode, 0)
        return done.stdout

    def test_pages_of_a_study_show_its_trials_and_notes(self):
        self.create_asked()
        for number, loss in enumerate([0.5125, 0.25]):
            self.dlrun("tell", "asked", number, f"loss={loss}", "cost=9", "--step", 1)
            self.dlrun("tell", "asked", number, f"loss={loss / 4}", "cost=9", "--step", 2)
            self.ask()
        self.dlrun("note", "asked/0", "remember this one")
        self.dlrun("note", "asked", "what the study is about")
        address = self.serve(self.url("asked"))
        first = self.page(address + "/trials?numbers=0")
        for text in ("Trial 0 (trial_id=0)", "remember this one", "0.128125", "dlrun:epochs"):
            self.assertTrue(text in first, text)
        self.assertTrue("what the study is about" in self.page(address + "/note"))
        self.assertTrue("Trial 3" in self.page(address + "/trials"))


if __name__ == "__main__":
    unittest.main()
