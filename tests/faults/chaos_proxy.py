# SPDX-License-Identifier: Apache-2.0
"""A bad network between a worker and its driver: a TCP proxy that delays, splits, cuts, swallows and records."""
import socket
import threading
import time


class ChaosProxy:
    """Listens on a port of the loopback. What it does to bytes may change at any moment.

    delay  seconds before each chunk goes on         step  bytes that go on at once, each a segment of its own
    is_deaf  swallows everything, keeps connections open (a blackhole)
    """

    def __init__(self, port):
        self.target = port
        self.delay, self.step, self.is_deaf = 0.0, 65536, False
        self.connections = 0
        self.recorded = []  # of each connection, what the worker said
        self.pairs = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
                far = socket.create_connection(("127.0.0.1", self.target), timeout=5)
            except OSError:
                if self.listener.fileno() < 0:
                    return
                near.close()  # nobody there (any more)
                continue
            self.connections += 1
            self.recorded.append(b"")
            self.pairs.append((near, far))
            for end in (near, far):
                end.settimeout(None)
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            number = len(self.recorded) - 1
            threading.Thread(target=self.carry, args=(near, far, number), daemon=True).start()
            threading.Thread(target=self.carry, args=(far, near, None), daemon=True).start()

    def carry(self, source, sink, number):
        try:
            while data := source.recv(65536):
                if number is not None:
                    self.recorded[number] += data
                if self.is_deaf:
                    continue
                for i in range(0, len(data), self.step):
                    time.sleep(self.delay)
                    sink.sendall(data[i:i + self.step])
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        """Breaks every connection there is."""
        pairs, self.pairs = self.pairs, []
        for pair in pairs:
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def close(self):
        self.listener.close()
        self.cut()
