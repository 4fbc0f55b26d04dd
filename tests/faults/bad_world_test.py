# SPDX-License-Identifier: Apache-2.0
"""What the world does to a study: damaged data, unwritable or full stores, missing workers, a second driver. Each gets an
error that says what is wrong, the exit code of its kind, and nothing half-written."""
import gzip
import os
import resource
import shutil
import sqlite3
import subprocess
import unittest
from contextlib import closing

from support import BIN, DIGITS, FUNCTION_STUDY, TRAIN_STUDY, Folder


class BadData(Folder):
    def expect(self, study, *words):
        done = self.run_dlrun("check", self.write(study))
        self.assertEqual(done.returncode, 2, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        done = self.tune(self.folder / "study.yaml", self.folder / "store")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertFalse((self.folder / "store" / "studies").exists() and any((self.folder / "store" / "studies").iterdir()))

    def test_a_truncated_file_is_named(self):
        data = self.folder / "cut.csv.gz"
        data.write_bytes(DIGITS.read_bytes()[:5000])
        self.expect(TRAIN_STUDY.replace("DIGITS", str(data)), "cut.csv.gz", "ends too early")

    def test_a_missing_file_says_where_to_put_it(self):
        self.expect(TRAIN_STUDY.replace("DIGITS", "nowhere/digits.csv.gz"), "nowhere/digits.csv.gz", "--data")

    def test_a_missing_column_is_named_with_the_nearest(self):
        (self.folder / "table.csv").write_text("age,survived\n" + "".join(f"{i},{i % 2}\n" for i in range(40)))
        study = TRAIN_STUDY.replace("DIGITS", "table.csv").replace("header: false, target: -1", "header: true, target: survivd")
        self.expect(study, "survivd", "survived")

    def test_a_ragged_row_has_its_line(self):
        (self.folder / "table.csv").write_text("1,2,0\n" * 30 + "1,2\n" + "1,2,1\n" * 30)
        self.expect(TRAIN_STUDY.replace("DIGITS", "table.csv"), "table.csv", "31")

    def test_data_that_is_no_gzip_is_named(self):
        (self.folder / "odd.csv.gz").write_bytes(gzip.compress(b"1,2,0\n" * 50)[:-8] + b"12345678")
        self.expect(TRAIN_STUDY.replace("DIGITS", "odd.csv.gz"), "odd.csv.gz")

    def test_a_special_file_is_no_data(self):
        """A pipe held the command for ever, and a device filled the memory."""
        os.mkfifo(self.folder / "pipe.csv")
        for path, kind in (("pipe.csv", "a named pipe"), ("/dev/zero", "a device"), (str(self.folder), "a folder")):
            for data in (f"op: csv, path: {path}, target: -1", f"op: npy, inputs: {path}, targets: {path}",
                         f"op: npz, path: {path}, inputs: a, targets: b", f"op: text, path: {path}, length: 8",
                         f"op: idx, train_images: {path}, train_labels: {path}, test_images: {path}, test_labels: {path}",
                         f"op: safetensors, path: {path}, inputs: a, targets: b", f"op: series, path: {path}, target: a, window: 3"):
                with self.subTest(data):
                    study = TRAIN_STUDY.replace("op: csv, path: DIGITS, header: false, target: -1", data)
                    if "idx" in data:  # it has a split of its own
                        study = study.replace(", split: {train: 0.7, val: 0.15, test: 0.15}", "")
                    done = self.run_dlrun("check", self.write(study))
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn(f"is {kind}, not a file", done.stderr)

    def test_a_special_file_among_images_is_named(self):
        for name in ("cat", "dog"):
            (self.folder / "images" / name).mkdir(parents=True)
        os.mkfifo(self.folder / "images" / "cat" / "1.png")
        done = self.run_dlrun("check", self.write(TRAIN_STUDY.replace(
            "op: csv, path: DIGITS, header: false, target: -1", "op: image_folder, path: images")))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("1.png' is a named pipe, not a file", done.stderr)

    def test_a_line_that_fills_the_memory_is_named(self):
        with gzip.open(self.folder / "long.csv.gz", "wb", 1) as file:
            file.write(b"1,2,0\n" * 30)
            for _ in range(65):
                file.write(b"1" * (1 << 20))
        self.expect(TRAIN_STUDY.replace("DIGITS", "long.csv.gz"), "long.csv.gz:31", "line 31 is longer than 64 MiB")

    def test_a_row_of_too_many_cells_is_named(self):
        (self.folder / "wide.csv").write_text("1," * 100_000 + "0\n")
        self.expect(TRAIN_STUDY.replace("DIGITS", "wide.csv"), "wide.csv:1", "line 1 has more than 100000 cells")


class BadStore(Folder):
    def test_a_store_that_cannot_be_made_is_named(self):
        (self.folder / "file").write_text("in the way")
        done = self.tune(self.write(FUNCTION_STUDY), self.folder / "file" / "store")
        self.assertIn(done.returncode, (4, 75), done.stderr)
        self.assertIn("file/store", done.stderr)

    def test_a_database_that_is_none_is_refused(self):
        (self.folder / "store" / "studies").mkdir(parents=True)
        (self.folder / "store" / "studies" / "sphere.db").write_bytes(b"this is no database" * 100)
        done = self.tune(self.write(FUNCTION_STUDY), self.folder / "store")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("sphere.db", done.stderr)

    def test_a_store_behind_links_is_the_store_itself(self):
        """Home and scratch folders often are links; SQLite was told to follow none, wherever it stood in the path."""
        (self.folder / "disk" / "real").mkdir(parents=True)
        (self.folder / "home").symlink_to("disk")
        (self.folder / "store").symlink_to(self.folder / "home" / "real")
        for store in ("store", "home/new", self.folder / "home" / "real" / ".." / "deep" / "er"):
            for verb in (("tune", self.write(FUNCTION_STUDY)), ("report",), ("verify",), ("studies",), ("resume",), ("gc",),
                         ("report", "--sql", "select 1")):
                done = self.run_dlrun(*verb, "--store", store)
                self.assertEqual(done.returncode, 0, f"{verb} in {store}: {done.stderr}")
        for store in ("real", "new", "deep/er"):
            self.assertTrue((self.folder / "disk" / store / "studies" / "sphere.db").exists(), store)

    def test_links_inside_of_a_store_are_refused_by_name(self):
        self.assertEqual(self.tune(self.write(FUNCTION_STUDY), self.folder / "store").returncode, 0)
        for inside in ("studies/sphere.db", "studies"):
            (self.folder / "store" / inside).rename(self.folder / "elsewhere")
            (self.folder / "store" / inside).symlink_to(self.folder / "elsewhere")
            for verb in (("tune", "study.yaml"), ("report",)):
                done = self.run_dlrun(*verb, "--store", "store")
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertIn("sphere.db", done.stderr)
                self.assertIn("symbolic link", done.stderr)
            (self.folder / "store" / inside).unlink()
            (self.folder / "elsewhere").rename(self.folder / "store" / inside)

    def test_a_database_that_vanishes_under_its_driver_is_named_with_its_holder(self):
        """The driver said: attempt to write a readonly database."""
        study = self.write_gated()
        self.hold_from(3)
        driver = self.start("tune", study, "--workers", 2, "--store", "store")
        self.await_("a result", lambda: self.count("v_attempts where state = 'completed'") >= 1, while_runs=driver)
        (self.folder / "store" / "studies" / "sphere.db").unlink()
        self.open_gate()
        said = self.end_of(driver, 4)
        self.assertIn(f"was deleted or replaced while process {driver.pid} on", said)

    def test_a_newer_store_is_refused(self):
        self.assertEqual(self.tune(self.write(FUNCTION_STUDY), self.folder / "store").returncode, 0)
        with closing(sqlite3.connect(self.folder / "store" / "studies" / "sphere.db")) as db, db:
            table, column = db.execute(
                "select m.name, p.name from sqlite_master m, pragma_table_info(m.name) p "
                "where m.name like 'dl_schema%' and p.name like '%version%'").fetchone()
            db.execute(f"update {table} set {column} = 9999 where {column} = (select max({column}) from {table})")
        for verb in (("tune", "study.yaml"), ("report",)):
            done = self.run_dlrun(*verb, "--store", self.folder / "store")
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("9999", done.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "mounting needs root")
    def test_a_full_disk_stops_with_75_and_goes_on_when_there_is_room(self):
        calm = self.folder / "calm"
        study = self.write(FUNCTION_STUDY.replace("trials: 60", "trials: 3000").replace("sleep: 0.01", "sleep: 0"))
        self.assertEqual(self.tune(study, calm).returncode, 0)
        store = self.folder / "small"
        store.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", store], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("no mount here: " + mounted.stderr.decode())
        try:
            done = self.tune(study, store)
            self.assertEqual(done.returncode, 75, done.stderr)
            self.assertIn(str(store), done.stderr)
            subprocess.run(["mount", "-o", "remount,size=200m", store], check=True)
            done = self.tune(study, store)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.digest(store), self.digest(calm))
        finally:
            subprocess.run(["umount", "-l", store], check=True)

    @unittest.skipUnless(os.geteuid() == 0, "mounting needs root")
    def test_a_file_that_may_not_grow_stops_with_75_and_nothing_is_lost(self):
        store, calm = self.folder / "store", self.folder / "calm"
        study = self.write(FUNCTION_STUDY.replace("trials: 60", "trials: 600").replace("sleep: 0.01", "sleep: 0"))
        self.assertEqual(self.tune(study, calm).returncode, 0)
        for kilobytes in (8, 60, 250):  # before the first table, among the tables, among the trials
            def limit(size=kilobytes * 1024):
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            done = self.run_dlrun("tune", study, "--workers", 2, "--store", store, preexec_fn=limit)
            self.assertEqual(done.returncode, 75, f"{kilobytes} kB: {done.stderr}")
            if list(store.glob("studies/*.db")):
                self.assertEqual(self.run_dlrun("verify", "--store", store).returncode, 0)
        done = self.tune(study, store)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.digest(store), self.digest(calm))

    def test_a_read_only_store_still_reports(self):
        self.assertEqual(self.tune(self.write(FUNCTION_STUDY), self.folder / "store").returncode, 0)
        bound = subprocess.run(["mount", "--bind", self.folder / "store", self.folder / "store"], capture_output=True)
        if bound.returncode != 0:
            self.skipTest("no mount here: " + bound.stderr.decode())
        try:
            subprocess.run(["mount", "-o", "remount,ro,bind", self.folder / "store"], check=True)
            self.assertEqual(self.run_dlrun("report", "--store", "store").returncode, 0)
            other = self.write(FUNCTION_STUDY.replace("study: sphere", "study: other"), "other.yaml")
            done = self.tune(other, self.folder / "store")
            self.assertIn(done.returncode, (4, 75), done.stderr)
            self.assertIn("ead-only", done.stderr)
        finally:
            subprocess.run(["umount", "-l", self.folder / "store"], check=True)


class BadMachine(Folder):
    def test_a_socket_path_too_long_says_so(self):
        long = self.folder / ("d" * 120)
        long.mkdir()
        done = self.run_dlrun("tune", self.write(FUNCTION_STUDY), "--store", "store",
                              env=dict(os.environ, XDG_RUNTIME_DIR=str(long), TMPDIR=str(long)))
        self.assertIn(done.returncode, (2, 5), done.stderr)
        self.assertIn("107", done.stderr)

    def test_a_missing_worker_says_where_it_was_looked_for(self):
        alone = self.folder / "bin"
        alone.mkdir()
        shutil.copy(BIN / "dlrun", alone / "dlrun")
        done = self.finish(self.start_program(alone / "dlrun", "tune", self.write(FUNCTION_STUDY), cwd=self.folder))
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("dlrun-worker", done.stderr)

    def test_a_worker_that_dies_at_once_ends_the_command(self):
        alone = self.folder / "bin"
        alone.mkdir()
        shutil.copy(BIN / "dlrun", alone / "dlrun")
        (alone / "dlrun-worker").write_text("#!/bin/sh\necho this worker is broken >&2\nexit 3\n")
        (alone / "dlrun-worker").chmod(0o755)
        done = self.finish(self.start_program(alone / "dlrun", "tune", self.write(FUNCTION_STUDY), cwd=self.folder))
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("this worker is broken", done.stderr)

    def test_a_second_driver_is_told_who_holds_the_study(self):
        study = self.write_gated()
        self.hold_from(0)
        first = self.start("tune", study, "--workers", "1", "--store", "store")
        self.await_("a trial of the first", lambda: self.count("v_trials"), while_runs=first)
        done = self.run_dlrun("tune", "study.yaml", "--store", "store")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(str(first.pid), done.stderr)
        self.assertIsNone(first.poll())


if __name__ == "__main__":
    unittest.main()
