# SPDX-License-Identifier: Apache-2.0
"""Workers that do not see the store: artifacts travel through the driver, whatever breaks on the way, and the study ends
as it would have."""
import hashlib
import os
import resource
import shutil
import subprocess
import unittest

from chaos_proxy import ChaosProxy
from remote_support import RemoteFolder
from support import BIN, HAS_TRAINER, TRAIN_STUDY

UNSHARE = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
CAN_COVER = shutil.which("unshare") and subprocess.run([*UNSHARE, "true"], capture_output=True).returncode == 0

STUDY = """\
study: sphere
seed: 7
objective: {metric: value, direction: minimize}
space:
  x: {type: float, low: -1.0, high: 1.0}
search: {sampler: random, lanes: 4, pruner: {op: asha, eta: 3, min_budget: 1, max_budget: 9}}
limits: {trials: 12}
retry: {worker_lost: 1000}
trial: {kind: command, command: [python3, train.py, "{x}"], epochs: 9}
"""
# A program whose measurements depend on the whole checkpoint of the step before.
PROGRAM = """\
import hashlib, json, os, sys, time
while os.path.exists("FOLDER/gate"):
    time.sleep(0.05)
x, first, last = float(sys.argv[1]), int(os.environ["DLRUN_FROM_STEP"]), int(os.environ["DLRUN_TO_STEP"])
def digest_of(path):
    before = hashlib.sha256()
    with open(path, "rb") as file:
        while some := file.read(1 << 20):
            before.update(some)
    return before.hexdigest()

if not os.environ["DLRUN_RESUME"]:
    assert first == 0
digest = digest_of(os.environ["DLRUN_RESUME"] or "/dev/null")
with open(3, "w") as out:
    for step in range(first + 1, last + 1):
        value = x * x + int(digest[:4], 16) / 1e6 / step
        path = os.path.join(os.environ["DLRUN_DIR"], str(step))
        with open(path, "wb") as file:
            file.write(f"{x} {step} {digest}".encode())
            for i in range(SIZE >> 10):
                file.write(hashlib.sha256(f"{x} {step} {i}".encode()).digest() * 32)
        digest = digest_of(path)
        out.write(json.dumps({"checkpoint": str(step), "step": step}) + "\\n")
        out.write(json.dumps({"metric": "value", "step": step, "value": value}) + "\\n")
        out.flush()
"""


def over(folder, words, options=""):
    """The command where an empty disk lies over the folder."""
    return [*UNSHARE, "sh", "-c", f'mount -t tmpfs {options} none "$0" && exec "$@"', str(folder), *words]


class Apart(RemoteFolder):
    STUDY = STUDY
    SIZE = 1 << 20  # bytes of a checkpoint

    def setUp(self):
        super().setUp()
        self.write(PROGRAM.replace("SIZE", str(self.SIZE)), "train.py")
        self.scratch = self.folder / "scratch"

    def join(self, endpoint=None, *, is_covered=False, scratch=True, disk="", host=""):
        """Covered: where the store lies the worker sees an empty folder. @param disk  the size of scratch's, as mount takes it"""
        words = [str(BIN / "dlrun-worker"), "--endpoint", str(endpoint or self.endpoint)]
        if scratch:
            words += ["--scratch", str(self.scratch)]
        if host:
            words += ["--host-name", host]
        if disk:
            self.scratch.mkdir(exist_ok=True)
            words = over(self.scratch, words, f"-o size={disk}")
        if is_covered:
            words = over(self.folder / "store", words)
        return self.start_program(*words)

    def carried(self, **changes):
        """The endpoint's file and the key, copied by hand to where the worker is."""
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir(exist_ok=True)
        shutil.copy(self.key, elsewhere)
        return self.copy(**changes).rename(elsewhere / self.endpoint.name)

    def proxy(self):
        proxy = ChaosProxy(self.facts()["port"])
        self.addCleanup(proxy.close)
        return proxy

    def artifacts(self):
        return [path for path in (self.folder / "store" / "artifacts").rglob("*") if path.is_file()]

    def require_whole(self):
        """Every artifact is what its name says, and nothing is left of what was on its way."""
        self.assertTrue(self.artifacts())
        for path in self.artifacts():
            self.assertEqual(hashlib.sha256(path.read_bytes()).hexdigest(), path.stem)
        self.assertFalse((self.folder / "store" / "staging").exists())

    def require_gone(self, *workers):
        for worker in workers:
            self.require_ended(worker)
        self.assertEqual(list(self.scratch.iterdir()), [])

    def staged(self):
        return [path for path in (self.folder / "store" / "staging").rglob("*.*") if path.is_file() and
                path.stat().st_size > 0 and path.suffix != ".lock"]


class Courier(Apart):
    def open_when_joined(self, count, driver):
        """Workers that a test needs have joined before a trial ends."""
        self.await_workers(count, driver)
        self.open_gate()

    def half_way(self):
        """A driver, a network that lets little through, and a worker whose artifact is on its way."""
        driver = self.listen()
        proxy = self.proxy()
        proxy.delay, proxy.step = 0.02, 16384
        worker = self.join(self.copy(port=proxy.port))
        self.await_("an artifact on its way", self.staged, while_runs=driver)
        return driver, proxy, worker

    @unittest.skipUnless(CAN_COVER, "no mount namespaces here")
    def test_where_the_store_is_not_to_be_seen(self):
        self.hold_from(0)
        driver = self.listen()
        endpoint = self.carried()
        workers = [self.join(endpoint, is_covered=True) for _ in range(2)]
        self.open_when_joined(2, driver)
        err = self.require_same(driver)
        self.assertEqual(err.count("it does not see the store"), 2)
        self.require_whole()
        self.require_gone(*workers)
        self.assertEqual(list((self.folder / "store" / "studies" / "sphere").rglob("params.json")), [])

    @unittest.skipUnless(CAN_COVER, "no mount namespaces here")
    def test_who_does_not_see_it_is_told_the_way_out(self):
        driver = self.listen()
        worker = self.join(self.carried(), is_covered=True, scratch=False)
        done = self.finish(worker)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--scratch DIR", done.stderr)
        self.join()
        self.require_same(driver)

    def test_beside_workers_that_see_it(self):
        self.hold_from(0)
        driver = self.listen(workers=1)
        worker = self.join()
        seeing = RemoteFolder.join(self)
        self.open_when_joined(3, driver)
        self.require_same(driver)
        self.require_whole()
        self.require_ended(seeing)
        self.require_gone(worker)

    def test_connections_cut_on_the_way(self):
        driver = self.listen()
        proxy = self.proxy()
        proxy.delay, proxy.step = 0.02, 16384  # no artifact arrives before the connection is cut
        worker = self.join(self.copy(port=proxy.port))
        for count in range(1, 6):
            self.await_("an artifact on its way", lambda: proxy.connections >= count and self.staged(), while_runs=driver)
            proxy.cut()
        proxy.delay, proxy.step = 0.0, 65536
        self.require_same(driver)
        self.assertGreater(proxy.connections, 5)
        self.require_whole()
        self.require_gone(worker)

    def test_a_driver_killed_while_an_artifact_comes(self):
        driver, proxy, worker = self.half_way()
        self.kill(driver)
        for path in self.artifacts():
            self.assertEqual(hashlib.sha256(path.read_bytes()).hexdigest(), path.name)
        proxy.delay, proxy.step = 0.0, 65536
        driver = self.listen(verb="resume")
        proxy.target = self.facts()["port"]
        self.require_same(driver)
        self.require_whole()
        self.require_gone(worker)

    def test_a_worker_killed_while_it_sends(self):
        driver, proxy, worker = self.half_way()
        self.kill(worker)
        proxy.cut()
        other = self.join()
        self.require_same(driver)  # after a minute, when the killed one is given up
        self.require_whole()
        self.require_ended(other)

    def test_a_disk_that_takes_no_more_ends_the_driver_and_nothing_else(self):
        most = self.SIZE  # a checkpoint is a little larger
        driver = self.start("tune", self.study, "--workers", 0, "--listen", "127.0.0.1", "--store", "store",
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
        self.await_("the endpoint's file", self.endpoint.exists, while_runs=driver)
        worker = self.join()
        self.assertIn("File too large", self.end_of(driver, 75))
        self.require_same(self.listen(verb="resume"))
        self.require_whole()
        self.require_gone(worker)

    @unittest.skipUnless(CAN_COVER, "no mount namespaces here")
    def test_a_worker_whose_disk_is_full_loses_no_trial(self):
        driver = self.listen()
        small = self.join(disk="800k", host="small")  # a checkpoint is more
        self.await_("an attempt that is lost", lambda: self.count("v_attempts where cause not null"), while_runs=driver)
        large = self.join(host="large")
        err = self.require_same(driver)
        self.assertIn("small", err)
        lost = self.attempts_lost()
        self.assertEqual({cause for cause, _ in lost}, {"machine"})
        self.assertTrue(any("is full" in message for _, message in lost), lost)
        self.require_whole()
        self.require_ended(small)
        self.require_gone(large)


@unittest.skipUnless(HAS_TRAINER, "no trainer library")
class Training(Apart):
    STUDY = TRAIN_STUDY.replace("study: digits", "study: sphere")

    def test_weights_travel(self):
        driver = self.listen()
        endpoint = self.carried()
        workers = [self.join(endpoint, is_covered=CAN_COVER) for _ in range(2)]
        self.require_same(driver)
        self.require_whole()
        self.require_gone(*workers)


class LargeArtifact(Apart):
    STUDY = STUDY.replace("trials: 12", "trials: 1").replace("{op: asha, eta: 3, min_budget: 1, max_budget: 9}", "none")
    SIZE = 200 << 20

    def test_it_arrives(self):
        driver = self.listen()
        worker = self.join()
        self.require_same(driver)
        self.require_whole()
        self.assertGreater(max(path.stat().st_size for path in self.artifacts()), self.SIZE)
        self.require_gone(worker)


if __name__ == "__main__":
    unittest.main()
