# SPDX-License-Identifier: Apache-2.0
"""The price of the logical clock in real time: one real study of more than an hour (search/hours), with order: arrival
beside it, on eight real workers each, whose trials wait as long as training would.

Replayed: the simulated workers of search/study_bench.cpp get every piece's measured seconds, take the same decisions,
and must come to the same share of used time. Run anew: the same study on three workers with the waiting cut to a
thousandth has the same logical export, byte by byte.
"""
import hashlib
import os
import sqlite3
import subprocess
import tempfile
from pathlib import Path

from benchlib import BIN, Row, timed

STUDY = Path(__file__).resolve().parent / "search" / "hours" / "study.yaml"
SEED, TRIALS, LANES, WORKERS = 7, 1500, 16, 8
ANEW_WORKERS, ANEW_PACE = 3, 1000
ORDERS = {"logical": [], "arrival": ["--set", "search.order=arrival", "--set", f"search.lanes={WORKERS}"]}


def start(order, store, workers=WORKERS, pace=1):
    """The process of a study that keeps its results in `store`."""
    command = [BIN / "dlrun", "tune", STUDY, "--workers", str(workers), "--store", store, "-q", *ORDERS[order]]
    return subprocess.Popen(command, cwd=STUDY.parent, env=os.environ | {"DLRUN_PACE": str(pace)},
                            stdout=subprocess.DEVNULL)


def pieces_of(store):
    """(trial, first epoch, begin, end in seconds) of every piece. Seconds of work are the worker's; ends the driver's."""
    with sqlite3.connect(Path(store) / "studies" / "hours.db") as database:
        return database.execute(
            "SELECT a.trial, d.from_step, a.finished / 1000.0 - a.seconds, a.finished / 1000.0 FROM dl_attempt a "
            "JOIN dl_decision d ON d.trial = a.trial AND d.piece = a.piece AND d.kind < 2 "
            "WHERE a.seconds IS NOT NULL").fetchall()


def share_of(pieces):
    """(of the workers' time that was used, seconds from the first beginning to the last end)"""
    span = max(end for *_, end in pieces) - min(begin for _, _, begin, _ in pieces)
    return sum(end - begin for _, _, begin, end in pieces) / (WORKERS * span), span


def replayed(pieces, folder):
    file = Path(folder) / "durations.txt"
    file.write_text("".join(f"{trial} {first} {end - begin:.6f}\n" for trial, first, begin, end in pieces))
    found = timed([BIN / "bench_study", "replay", file, str(SEED), str(TRIALS), str(LANES), str(WORKERS)]).output.split()
    return float(found[0]), float(found[1]), int(found[2])


def export_of(store):
    done = timed([BIN / "dlrun", "export", "hours", "--logical", "--store", store])
    return hashlib.sha256(done.output.encode()).hexdigest()


def compare(stores, anew, folder):
    """Rows of studies that ended. @param stores by order  @param anew the store of the run on other workers"""
    pieces = {order: pieces_of(store) for order, store in stores.items()}
    mine, seconds = share_of(pieces["logical"])
    other, _ = share_of(pieces["arrival"])
    model, model_seconds, count = replayed(pieces["logical"], folder)
    agrees = count == len(pieces["logical"]) and abs(mine - model) <= 0.01
    is_equal = export_of(stores["logical"]) == export_of(anew)
    return [Row("clock.hours.used", mine, "of time", "order: arrival", other, mine / other, ">= 0.97 x", mine >= 0.97 * other,
                f"{seconds / 3600:.2f} h, {count} pieces"),
            Row("clock.hours.replayed", model, "of time", "measured", mine, model / mine, "within 0.01", agrees,
                f"{model_seconds:.0f} s replayed, {seconds:.0f} s measured"),
            Row("clock.hours.anew", int(is_equal), f"equal export on {ANEW_WORKERS} workers", target="1", met=is_equal)]


def rows():
    with tempfile.TemporaryDirectory() as folder:
        stores = {order: Path(folder) / order for order in ORDERS}
        for run in [start(order, store) for order, store in stores.items()]:
            run.wait()
        anew = Path(folder) / "anew"
        start("logical", anew, ANEW_WORKERS, ANEW_PACE).wait()
        return compare(stores, anew, folder)
