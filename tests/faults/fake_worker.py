#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A worker that answers its first order with "cancelled", as one that was told to give it up, and every other one with 0.5."""
import os
import socket
import subprocess
import sys

from frames import ASSIGN, HELLO, PROTOCOL, RESULT, SHUTDOWN, frame, frames


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
    peer.sendall(frame(HELLO, {"protocol": PROTOCOL, "version": said.split()[1], "role": "worker",
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
