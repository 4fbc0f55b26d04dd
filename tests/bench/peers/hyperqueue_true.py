# SPDX-License-Identifier: Apache-2.0
"""Milliseconds a task of HyperQueue, each the program `true`, on a worker with two cores: hyperqueue_true.py N FOLDER."""
import sys
import time
from pathlib import Path

from hyperqueue import Job, LocalCluster
from hyperqueue.cluster import WorkerConfig

count, folder = int(sys.argv[1]), Path(sys.argv[2])
with LocalCluster(str(folder / "server"), WorkerConfig(cores=2)) as cluster:
    client = cluster.client()
    job = Job(default_workdir=str(folder), max_fails=0)
    for _ in range(count):
        job.program(["true"], stdout=None, stderr=None)
    start = time.perf_counter()
    client.wait_for_jobs([client.submit(job)])
    print((time.perf_counter() - start) / count * 1e3)
