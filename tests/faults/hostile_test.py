# SPDX-License-Identifier: Apache-2.0
"""Peers on a driver's socket that mean no good: the study goes on and ends as it would have, the driver's memory and
descriptors stay bounded."""
import json
import os
import random
import shutil
import socket
import time
import unittest
from pathlib import Path

from frames import CONTROL, HELLO, PROTOCOL, RESULT, frame
from support import BIN, DEADLINE, FUNCTION_STUDY, Folder

MOST_MEMORY = 200 << 20            # bytes a driver may have held


def hello(role, **more):
    return frame(HELLO, {"protocol": PROTOCOL, "version": "0.0.0", "role": role, **more})


class Hostile(Folder):
    def setUp(self):
        super().setUp()
        self.study = self.write_gated()
        self.assertEqual(self.tune(self.study, self.folder / "calm", workers=4).returncode, 0)
        self.hold_from(12)
        self.driver = self.start("tune", self.study, "--workers", 2, "--store", "store")
        endpoint = self.folder / "store" / "studies" / "sphere.endpoint"
        self.await_("the endpoint's file", endpoint.exists, while_runs=self.driver)
        self.address = json.loads(endpoint.read_text())["socket"]
        self.peers = []
        self.addCleanup(lambda: [peer.close() for peer in self.peers])

    def connect(self):
        peer = socket.socket(socket.AF_UNIX)
        self.peers.append(peer)
        peer.settimeout(DEADLINE)
        peer.connect(self.address)
        return peer

    def say(self, *parts):
        """Sends; being cut off meanwhile is what should happen."""
        peer = self.connect()
        peer.settimeout(10)  # nobody need read all of it
        try:
            for part in parts:
                peer.sendall(part)
        except OSError:
            pass
        peer.settimeout(DEADLINE)
        return peer

    def is_closed(self, peer):
        try:
            while peer.recv(65536):
                pass
            return True
        except ConnectionError:
            return True
        except TimeoutError:
            return False

    def memory(self):
        status = Path(f"/proc/{self.driver.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) * 1024

    def require_unmoved(self):
        self.assertIsNone(self.driver.poll(), "the driver ended")
        if os.environ.get("DLRUN_SANITIZED") != "1":  # a sanitizer keeps what is freed
            self.assertLess(self.memory(), MOST_MEMORY)
        self.open_gate()
        self.end_of(self.driver)
        self.assertEqual(self.digest(self.folder / "store"), self.digest(self.folder / "calm"))

    def test_nonsense_is_cut_off(self):
        noise = random.Random(1)
        cases = [noise.randbytes(10_000), b"GET / HTTP/1.1\r\n\r\n", b"DLR1" + b"\xff" * 9, b"\0" * 100_000,
                 frame(HELLO, b"", 0xFFFFFFFF), frame(HELLO, b"{" * 4000), frame(HELLO, b"[]"), frame(99, {}),
                 frame(HELLO, b'{"protocol":"one"}'), frame(HELLO, b"\xff\xfe{}"), frame(RESULT, {}), hello("king"),
                 hello("worker", worker=0), hello("worker", worker=-1, protocol=7), hello("x" * 5000)]
        for case in cases:
            self.assertTrue(self.is_closed(self.say(case)), case[:40])
        self.require_unmoved()

    def test_a_command_that_is_none_is_answered_or_cut_off(self):
        for request in ({}, [], 7, {"command": "x" * ((1 << 20) - 20)}, {"command": ["stop"]}, {"command": "cancel"},
                        {"command": "cancel", "trial": 10**30}, {"command": "note", "text": "", "trial": 10**30}, {"command": "retry", "trial": -1},
                        {"command": "cancel", "trial": "all"}, {"command": "stop", "reason": ["why"]}):
            peer = self.say(hello("control"), frame(CONTROL, request))
            self.assertIn(b"error", peer.recv(65536), str(request)[:60])
        for poison in (frame(CONTROL, b"[" * 100_000), frame(CONTROL, b"", 0xFFFFFFFF), frame(RESULT, {}), b"nonsense"):
            self.assertTrue(self.is_closed(self.say(hello("control"), poison)))
        self.require_unmoved()

    def test_silent_peers_are_not_waited_for(self):
        half = [self.say(b"DL"), self.say(hello("control")[:-3]), self.say(b"")]
        for peer in half:
            self.assertTrue(self.is_closed(peer))
        self.require_unmoved()

    def test_a_thousand_peers(self):
        for i in range(1000):
            try:
                self.say(hello("control") if i % 2 else b"")
            except BlockingIOError:  # the queue of the socket is full
                time.sleep(0.01)
        descriptors = len(os.listdir(f"/proc/{self.driver.pid}/fd"))
        self.assertLess(descriptors, 300)
        self.require_unmoved()

    def test_a_flood_of_commands_that_nobody_reads_the_answers_of(self):
        flood = frame(CONTROL, {"command": "status"}) * 1000
        self.say(hello("control"), *[flood] * 200)
        self.say(hello("control"), *[frame(CONTROL, {"command": "x" * 1_000_000})] * 300)
        self.require_unmoved()


class GivesUp(Folder):
    """A real driver and a worker that says of what is still wanted that it was told to give it up."""

    def test_a_cancelled_attempt_that_is_wanted_is_no_failure(self):
        place = self.folder / "bin"
        place.mkdir()
        shutil.copy(BIN / "dlrun", place / "dlrun")
        (place / "dlrun-worker").symlink_to(Path(__file__).resolve().parent / "fake_worker.py")
        study = self.write(FUNCTION_STUDY)
        driver = self.start_program(place / "dlrun", "tune", study, "--workers", 1, "--store", "store", cwd=self.folder,
                                    env={**os.environ, "REAL_WORKER": str(BIN / "dlrun-worker")})
        self.end_of(driver)
        self.assertEqual(self.count("v_trials where state <> 'completed' and state <> 'pruned'"), 0)
        self.assertEqual(self.count("v_attempts where attempt > 1 or state not in ('completed', 'done')"), 0)


if __name__ == "__main__":
    unittest.main()
