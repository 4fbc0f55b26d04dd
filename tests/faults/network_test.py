# SPDX-License-Identifier: Apache-2.0
"""Strangers at the door that a driver keeps for other machines: none learns anything, none is waited for, the study
goes on and ends as it would have."""
import os
import random
import resource
import socket
import ssl
import struct
import time
import unittest
from pathlib import Path

from chaos_proxy import ChaosProxy
from hostile_test import HELLO, MOST_MEMORY, frame, hello
from remote_support import RemoteFolder
from support import DEADLINE, GATED_STUDY


class Strangers(RemoteFolder):
    STUDY = GATED_STUDY

    def setUp(self):
        super().setUp()
        self.write_gated()
        self.hold_from(12)
        self.driver = self.listen(workers=1)
        self.port = self.facts()["port"]
        self.peers = []
        self.addCleanup(lambda: [peer.close() for peer in self.peers])

    def connect(self):
        peer = socket.create_connection(("127.0.0.1", self.port), timeout=DEADLINE)
        self.peers.append(peer)
        return peer

    def answer_to(self, *parts, pause=0.0):
        """What it says until it hangs up. Being cut off meanwhile is what should happen."""
        peer = self.connect()
        heard = b""
        try:
            for part in parts:
                peer.sendall(part)
                time.sleep(pause)
            while data := peer.recv(65536):
                heard += data
        except ConnectionError:
            pass
        return heard

    def require_unmoved(self):
        self.assertIsNone(self.driver.poll(), "the driver ended")
        worker = self.join()
        status = Path(f"/proc/{self.driver.pid}/status").read_text()
        if os.environ.get("DLRUN_SANITIZED") != "1":  # a sanitizer keeps what is freed
            self.assertLess(int(status.split("VmHWM:")[1].split()[0]) * 1024, MOST_MEMORY)
        self.open_gate()
        err = self.require_same(self.driver)
        self.require_ended(worker)
        self.assertLess(err.count("refused a connection"), 4)  # one at once, then one a minute
        return err

    def test_whoever_has_no_key_hears_nothing(self):
        noise = random.Random(1)
        tls12 = bytes.fromhex("160303002f0100002b0303") + noise.randbytes(32) + bytes.fromhex("000002c02f0100")
        cases = [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\0" * 100_000, noise.randbytes(10_000), hello("worker", worker=0),
                 hello("control"), frame(HELLO, b"", 0xFFFFFFFF), tls12, b"SSH-2.0-OpenSSH_9.2\r\n",
                 b"\x16\x03\x01\x3f\xff" + b"x" * 5000]
        for case in cases:
            self.assertEqual(self.answer_to(case), b"", case[:30])
        self.assertIn("refused a connection from 127.0.0.1", self.require_unmoved())

    def test_ordinary_tls_is_not_spoken(self):
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            context.minimum_version = context.maximum_version = version
            peer = self.connect()
            with self.assertRaises((ssl.SSLError, ConnectionError)):
                context.wrap_socket(peer)
        self.require_unmoved()

    def test_slow_and_silent_peers_are_not_waited_for(self):
        silent, half = self.connect(), self.connect()
        half.sendall(b"\x16\x03\x01")
        self.assertEqual(self.answer_to(*[bytes([b]) for b in b"\x16\x03\x01\x00\xf0\x01\0\0\xec"], pause=1.0), b"")
        for peer in (silent, half):
            self.assertEqual(peer.recv(10), b"")
        self.require_unmoved()

    def test_thousands_of_connects(self):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        if most < 4096:
            self.skipTest("there are too few descriptors")
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        for i in range(3000):
            peer = self.connect()
            if i % 3 == 0:
                peer.sendall(b"\x16\x03\x01\x00")
            if i % 3 == 1:  # leaves with a reset
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                peer.close()
        self.assertLess(len(os.listdir(f"/proc/{self.driver.pid}/fd")), 1200)  # 1,024 of them strangers
        self.require_unmoved()

    def test_a_recorded_worker_cannot_be_played_back(self):
        proxy = ChaosProxy(self.port)
        self.addCleanup(proxy.close)
        worker = self.join(self.copy(port=proxy.port))
        self.await_("a greeting that is recorded", lambda: proxy.recorded and len(proxy.recorded[0]) > 700, while_runs=worker)
        said = proxy.recorded[0]
        first = 5 + int.from_bytes(said[3:5], "big")
        for cut in (first, first // 2, len(said)):
            peer = self.connect()
            try:
                peer.sendall(said[:cut])
                peer.sendall(said[cut:])
            except ConnectionError:
                pass
            try:
                while peer.recv(65536):
                    pass
            except ConnectionError:
                pass
        worker.terminate()
        self.require_ended(worker)
        self.require_unmoved()
        self.assertEqual(len(self.rows("select 1 from workers")), 3)  # its own, the recorded one, the last


if __name__ == "__main__":
    unittest.main()
