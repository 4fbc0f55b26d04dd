# SPDX-License-Identifier: Apache-2.0
"""The fate of each planted bug, kept on disk, and the score by room."""
import hashlib
import json
from collections import defaultdict

from planting import ROOT


class Report:
    """Verdicts of one run, each known by the whole text of its file with the bug: it counts until that file changes. One
    run that was stopped goes on; survivors are looked at again."""

    def __init__(self, name):
        self.file = ROOT / "tests/mutants/found" / f"{name}.jsonl"
        self.file.parent.mkdir(exist_ok=True)
        entries = [json.loads(line) for line in self.file.read_text().splitlines()] if self.file.exists() else []
        self.known = {entry["key"]: entry["verdict"] for entry in entries if entry["verdict"] != "survived"}
        self.verdicts = []   # (name, file, what it says, verdict)

    def add(self, name, file, says, text, find):
        """Finds the verdict, or remembers it, and prints it."""
        key = hashlib.sha256(f"{file}\n{text}".encode()).hexdigest()
        if key not in self.known:
            self.known[key] = find()
            with self.file.open("a") as out:
                out.write(json.dumps({"key": key, "name": name, "verdict": self.known[key]}) + "\n")
        self.verdicts.append((name, file, says, self.known[key]))
        if self.known[key] != "invalid":
            print(f"{self.known[key]:32} {name}: {says}", flush=True)

    def counted(self):
        """Bugs that compile and change the machine code."""
        return sum(found not in ("invalid", "equivalent") for *_, found in self.verdicts)

    def survivors(self):
        return [entry for entry in self.verdicts if entry[3] == "survived"]

    def by_room(self):
        """{room: (killed, survived)}"""
        score = defaultdict(lambda: [0, 0])
        for _, file, _, found in self.verdicts:
            if found.startswith("killed") or found == "survived":
                score[file.split("/")[1]][found == "survived"] += 1
        return dict(sorted(score.items()))

    def print(self):
        for room, (killed, survived) in self.by_room().items():
            print(f"  {room:12} {killed:4} killed, {survived:3} survived")
        print(f"{self.counted() - len(self.survivors())} killed, {len(self.survivors())} survived")
        for name, _, says, _ in self.survivors():
            print(f"  survived: {name}: {says}")
