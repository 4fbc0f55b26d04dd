# SPDX-License-Identifier: Apache-2.0
"""A driver that listens, and workers that join it over loopback."""
import json

from support import BIN, FUNCTION_STUDY, Folder


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
        self.await_("the endpoint's file", self.endpoint.exists, while_runs=driver)
        return driver

    def facts(self):
        return json.loads(self.endpoint.read_text())

    def copy(self, **changes):
        """The endpoint's file as somebody else would have it."""
        path = self.folder / "copy.endpoint"
        path.write_text(json.dumps({**self.facts(), **changes}))
        return path

    def join(self, endpoint=None, *more, **options):
        return self.start_program(BIN / "dlrun-worker", "--endpoint", endpoint or self.endpoint, *more, **options)

    def attempts_lost(self):
        return self.rows("select cause, message from attempts where state not in ('completed', 'done')")

    def rows(self, statement):
        done = self.run_dlrun("report", "--sql", statement, "--format", "json", "--store", "store")
        return [list(row.values()) for row in json.loads(done.stdout)["rows"]] if done.returncode == 0 else []

    def await_workers(self, count, driver):
        """So many have joined by now, drivers before this one counted."""
        self.await_(f"{count} workers", lambda: self.count("v_workers") >= count, while_runs=driver)

    def await_completed(self, count, driver):
        self.await_(f"{count} trials", lambda: self.count("v_trials where state = 'completed'") >= count, while_runs=driver)

    def require_ended(self, worker):
        self.end_of(worker)

    def require_same(self, driver):
        """It ended as a study does that nobody disturbed. What it told people."""
        err = self.end_of(driver)
        self.assertEqual(self.tune(self.study, self.folder / "calm", workers=3).returncode, 0)
        self.assertEqual(self.digest(self.folder / "store"), self.digest(self.folder / "calm"))
        if self.key.exists():
            self.assertNotIn(self.key.read_bytes().hex(), err)
        return err
