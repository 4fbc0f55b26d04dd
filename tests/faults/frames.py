# SPDX-License-Identifier: Apache-2.0
"""Frames of the protocol between driver and workers, as lib/protocol/codec.cpp writes them."""
import json
import struct

HELLO, ASSIGN, RESULT, SHUTDOWN, CONTROL = 1, 4, 6, 11, 12  # types of frames, lib/protocol/messages.hpp
PROTOCOL = 6                                                # kProtocolVersion there


def frame(kind, payload, length=None):
    """@param length  announced instead of the payload's own"""
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return b"DLR1" + struct.pack("<IB", len(body) if length is None else length, kind) + body


def frames(peer):
    """(type, payload) of all that a peer says, until it hangs up."""
    data = b""
    while part := peer.recv(65536):
        data += part
        while len(data) >= 9 and len(data) >= 9 + (size := struct.unpack("<I", data[4:8])[0]):
            yield data[8], json.loads(data[9:9 + size])
            data = data[9 + size:]
