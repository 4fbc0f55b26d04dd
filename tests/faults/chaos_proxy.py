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
        self.pairs, self.ends = [], []  # connections that nobody has cut, and sockets of those that were
        self.threads = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.run(self.accept)

    def run(self, act, *arguments):
        thread = threading.Thread(target=act, args=arguments, daemon=True)
        self.threads.append(thread)
        thread.start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                near.close()  # nobody there (any more)
                continue
            self.connections += 1
            self.recorded.append(b"")
            self.pairs.append((near, far))
            for end in (near, far):
                end.settimeout(None)
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            number = len(self.recorded) - 1
            self.run(self.carry, near, far, number)
            self.run(self.carry, far, near, None)

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
        hang_up(source)
        hang_up(sink)

    def cut(self):
        """Breaks every connection there is."""
        pairs, self.pairs = self.pairs, []
        self.ends += [end for pair in pairs for end in pair]
        for end in self.ends:
            hang_up(end)

    def close(self):
        hang_up(self.listener)
        self.threads[0].join()
        self.cut()
        for thread in self.threads:
            thread.join()
        for end in [self.listener, *self.ends]:
            end.close()


def hang_up(end):
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
