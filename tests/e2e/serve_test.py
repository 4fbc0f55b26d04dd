#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`dlrun serve` at a real socket: clients that are slow, large, many or foreign, and its end with its terminal."""
import contextlib
import http.client
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

BIN = Path(os.environ["DLRUN_BIN"])
STUDY = """\
study: s
objective: {metric: value, direction: minimize}
space: {x: {type: float, low: -1, high: 1}}
search: {sampler: random, lanes: 2}
limits: {trials: 3}
trial: {kind: function, function: {op: sphere}, epochs: 1}
"""
LARGE = 20 << 20  # bytes, more than all buffers between
DEADLINE = 60  # seconds; only a server that hangs takes that long


class Serve(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="dlrun-serve-")
        folder = Path(cls.folder.name)
        (folder / "study.yaml").write_text(STUDY)
        cls.environment = {**os.environ, "HOME": cls.folder.name, "DLRUN_STORE": str(folder / "store")}
        subprocess.run([BIN / "dlrun", "tune", folder / "study.yaml", "-w", "1", "-q"], env=cls.environment, check=True,
                       stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @contextlib.contextmanager
    def server(self, *arguments, **environment):
        """(process, port, path) of a server that listens."""
        process = subprocess.Popen([BIN / "dlrun", "serve", *arguments, "-q"], env={**self.environment, **environment}, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True)
        try:
            address = process.stdout.readline().strip()
            found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/[0-9a-f]{32}/.*)", address)
            self.assertTrue(found, address + (process.stderr.read() if process.poll() is not None else ""))
            yield process, int(found.group(1)), found.group(2)
        finally:
            process.kill()
            process.communicate()

    def get(self, port, path, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer, body.decode()

    def test_a_browser_reads_a_study(self):
        with self.server("s") as (_, port, path):
            self.assertTrue(path.endswith("/study/s"))
            answer, body = self.get(port, path)
            self.assertEqual(answer.status, 200)
            self.assertIn("is the best of 3 trials", body)
            self.assertEqual(self.get(port, path + "/version")[0].status, 200)
            self.assertEqual(self.get(port, path, Host="evil.example")[0].status, 403)
            self.assertEqual(self.get(port, "/")[0].status, 404)

    def test_only_this_machine_is_answered(self):
        with self.server() as (process, port, _):
            listening = Path(f"/proc/{process.pid}/net/tcp").read_text().splitlines()[1:]
            ours = [line.split()[1] for line in listening if line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "0A"]
            self.assertEqual(ours, [f"0100007F:{port:04X}"])

    def test_several_requests_share_a_connection(self):
        with self.server() as (_, port, path):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
            for _ in range(3):
                connection.request("GET", path)
                answer = connection.getresponse()
                self.assertEqual(answer.status, 200)
                self.assertIn("Studies", answer.read().decode())
            connection.close()

    def test_a_large_head_ends_its_connection_alone(self):
        with self.server() as (_, port, path):
            with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE) as client:
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nCookie: " + b"a" * 100_000 + b"\r\n\r\n")
                    self.assertNotIn(b" 200 ", client.recv(100))
            self.assertEqual(self.get(port, path)[0].status, 200)

    def test_nonsense_and_silence_hold_up_nobody(self):
        with self.server() as (_, port, path), contextlib.ExitStack() as stack:
            for text in (b"", b"GET", b"\x16\x03\x01\x02\x00", b"GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"):
                client = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=DEADLINE))
                client.sendall(text)
            self.assertEqual(self.get(port, path)[0].status, 200)

    def test_a_slow_line_gets_the_whole_answer(self):
        """An answer that took longer than ten seconds was cut off, however steadily it was read."""
        plotly = Path(self.folder.name) / "plotly.js"
        plotly.write_bytes(b"x" * LARGE)
        with self.server(DLRUN_PLOTLY=str(plotly)) as (_, port, path), socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
            client.settimeout(DEADLINE)
            client.connect(("127.0.0.1", port))
            client.sendall(f"GET {path}plotly.js HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
            self.assertGreater(self.read_slowly(client), LARGE)

    @staticmethod
    def read_slowly(client):
        """Bytes that come until the end, read in 13 seconds or more."""
        total, begun = 0, time.monotonic()
        while part := client.recv(1 << 16):
            total += len(part)
            time.sleep(max(0, begun + 13 * total / LARGE - time.monotonic()))
        return total

    def test_more_connections_than_it_takes_are_closed(self):
        with self.server() as (_, port, path), contextlib.ExitStack() as stack:
            clients = [stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)) for _ in range(80)]
            self.assertEqual(clients[79].recv(1), b"")
            for client in clients:
                client.close()
            self.assertEqual(self.get(port, path)[0].status, 200)

    def test_it_ends_with_its_terminal_and_by_signals(self):
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            with self.server() as (process, _, _):
                process.send_signal(number)
                self.assertEqual(process.wait(DEADLINE), 0)

    def test_a_taken_port_is_an_error(self):
        with self.server() as (_, port, _):
            done = subprocess.run([BIN / "dlrun", "serve", "--port", str(port)], env=self.environment, capture_output=True, text=True,
                                  timeout=DEADLINE)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"error: cannot listen on port {port}: Address already in use", done.stderr)


if __name__ == "__main__":
    unittest.main()
