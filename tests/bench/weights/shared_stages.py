# SPDX-License-Identifier: Apache-2.0
"""A grid whose trials differ in the last 30 % of their epochs, with these shared and without: epochs that were trained, seconds
of the whole command, and whether every checkpoint is the same. Interleaved pairs, fresh stores, two workers."""
import json
import statistics
import tempfile
from pathlib import Path

from benchlib import DLRUN, timed

STUDY = Path(__file__).resolve().parent / "stages.yaml"


def tune(reuse):
    """@return (seconds, epochs that were trained, checkpoints)"""
    with tempfile.TemporaryDirectory() as store:
        seconds = timed([DLRUN, "tune", STUDY, "--workers", 2, "--store", store, "--set", f"reuse={reuse}", "-q"]).seconds
        cost = json.loads(timed([DLRUN, "report", "late", "--section", "cost", "--store", store, "--format", "json"]).output)
        spent = {row["what"]: row["value"] for table in cost["tables"] for row in table["rows"] if "value" in row}
        files = timed([DLRUN, "report", "late", "--store", store, "--format", "csv", "--sql",
                       "select trial, role, step, sha256 from artifacts order by 1, 2, 3"]).output
    return seconds, spent["trained"], files


def measured(pairs):
    """@return (epochs with, epochs without, median ratio of seconds, are all checkpoints equal)"""
    found = [(tune("stages"), tune("none")) for _ in range(pairs)]
    ratio = statistics.median(alone[0] / shared[0] for shared, alone in found)
    is_equal = all(shared[2] == alone[2] for shared, alone in found)
    return found[0][0][1], found[0][1][1], ratio, is_equal
