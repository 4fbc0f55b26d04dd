# SPDX-License-Identifier: Apache-2.0
"""A driver that listens, and workers that join it over loopback."""
import json
import subprocess

from support import BIN, FUNCTION_STUDY, Folder, wait_for


class RemoteFolder(Folder):
    STUDY = FUNCTION_STUDY

    def setUp(self):
        super().setUp()
        self.study = self.write(self.STUDY)
        self.endpoint = self.folder / "store" / "studies" / "sphere.endpoint"
        self.key = self.folder / "store" / "studies" / "sphere.key"

    def listen(self, *more, workers=0, verb="tune"):
        self.endpoint.unlink(missing_ok=True)
        words = (self.study,) if verb == "tune" else ()
        driver = self.start(verb, *words, "--workers", workers, "--listen", "127.0.0.1", "--store", "store", *more)
        self.assertTrue(wait_for(self.endpoint.exists), driver.poll())
        return driver

    def facts(self):
        return json.loads(self.endpoint.read_text())

    def copy(self, **changes):
        """The endpoint's file as somebody else would have it."""
        path = self.folder / "copy.endpoint"
        path.write_text(json.dumps({**self.facts(), **changes}))
        return path

    def join(self, endpoint=None):
        worker = subprocess.Popen([str(BIN / "dlrun-worker"), "--endpoint", str(endpoint or self.endpoint)], text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.started.append(worker)
        return worker

    def attempts_lost(self):
        return self.rows("select cause, message from attempts where state not in ('completed', 'done')")

    def rows(self, statement):
        done = self.run_dlrun("report", "--sql", statement, "--format", "json", "--store", "store")
        return [list(row.values()) for row in json.loads(done.stdout)["rows"]] if done.returncode == 0 else []

    def has_worker(self):
        return self.rows("select 1 from workers") != []

    def require_ended(self, worker):
        _, err = worker.communicate(timeout=30)
        self.assertEqual(worker.returncode, 0, err)

    def require_same(self, driver, seconds=120):
        """It ended as a study does that nobody disturbed. What it told people."""
        _, err = driver.communicate(timeout=seconds)
        self.assertEqual(driver.returncode, 0, err)
        self.assertEqual(self.tune(self.study, self.folder / "calm", workers=3).returncode, 0)
        self.assertEqual(self.digest(self.folder / "store"), self.digest(self.folder / "calm"))
        if self.key.exists():
            self.assertNotIn(self.key.read_bytes().hex(), err)
        return err
