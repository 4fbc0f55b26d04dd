#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A worker that answers its first order with "cancelled", as one that was told to give it up, and every other one with 0.5."""
import json
import os
import socket
import struct
import subprocess
import sys

HELLO, ASSIGN, RESULT, SHUTDOWN = 1, 4, 6, 11   # types of frames, lib/protocol/messages.hpp


def frame(kind, payload):
    body = json.dumps(payload).encode()
    return b"DLR1" + struct.pack("<IB", len(body), kind) + body


def frames(peer):
    """(type, payload) of all that the driver says, until it hangs up."""
    data = b""
    while part := peer.recv(65536):
        data += part
        while len(data) >= 9 and len(data) >= 9 + (size := struct.unpack("<I", data[4:8])[0]):
            yield data[8], json.loads(data[9:9 + size])
            data = data[9 + size:]


def result(order, number):
    answer = {"piece": order["piece"], "attempt": order["attempt"], "seconds": 0.1}
    if number == 0:
        return {**answer, "outcome": "failed", "cause": "cancelled", "message": "told to give it up"}
    return {**answer, "outcome": "completed", "reports": [{"step": order["to"], "metrics": {"value": 0.5}}]}


def main(arguments):
    said = subprocess.run([os.environ["REAL_WORKER"], "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(arguments[arguments.index("--socket") + 1])
    number = int(arguments[arguments.index("--worker") + 1])
    peer.sendall(frame(HELLO, {"protocol": int(os.environ["PROTOCOL"]), "version": said.split()[1], "role": "worker",
                               "worker": number, "pid": os.getpid(), "host": "here"}))
    orders = 0
    for kind, payload in frames(peer):
        if kind == SHUTDOWN:
            return
        if kind == ASSIGN:
            peer.sendall(frame(RESULT, result(payload, orders)))
            orders += 1


if __name__ == "__main__":
    main(sys.argv[1:])
