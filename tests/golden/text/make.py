#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes expected.json: byte pairs of text.txt as the plainest program learns them, recounting after every merge."""
import collections
import json
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORD = rb"[A-Za-z0-9_\x80-\xff]+"
CHUNK = re.compile(rb" ?" + WORD + rb"| ?[^A-Za-z0-9_\x80-\xff \n\r\t\v\f]+|[ \n\r\t\v\f]+?(?= [^ \n\r\t\v\f])|[ \n\r\t\v\f]+")


def merge(tokens, pair):
    result, i = [], 0
    while i < len(tokens):
        if tuple(tokens[i:i + 2]) == pair:
            result.append(pair[0] + pair[1])
            i += 2
        else:
            result.append(tokens[i])
            i += 1
    return result


def main():
    text = (HERE / "text.txt").read_bytes()
    chunks = collections.Counter(CHUNK.findall(text))
    assert b"".join(CHUNK.findall(text)) == text
    words = {chunk: [bytes([b]) for b in chunk] for chunk in chunks}
    merges = []
    while len(merges) < 200:
        counts = collections.Counter()
        for chunk, tokens in words.items():
            for pair in zip(tokens, tokens[1:]):
                counts[pair] += chunks[chunk]
        pair, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
        if count < 2:
            break
        merges.append((pair[0] + pair[1]).decode("latin-1"))
        words = {chunk: merge(tokens, pair) for chunk, tokens in words.items()}
    tokens = [token.decode("latin-1") for chunk in CHUNK.findall(text) for token in words[chunk]]
    expected = {"merges": merges, "tokens": tokens}
    (HERE / "expected.json").write_text(json.dumps(expected, indent=0) + "\n")


main()
