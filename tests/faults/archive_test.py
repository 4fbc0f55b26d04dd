# SPDX-License-Identifier: Apache-2.0
"""Archives of studies that are cut off, flipped, forged, too large or newer: import names what is wrong and leaves the
store as it was. Import and export killed at their calls to the disk, and on a disk that fails: nothing half is seen, and
what is left over goes with the next one.

Some dozens of places by default; DLRUN_FAULTS=long tries many more."""
import fcntl
import hashlib
import io
import json
import os
import resource
import shutil
import sqlite3
import tarfile
import unittest
from contextlib import closing, suppress
from pathlib import Path

from support import Folder

SHIM = os.environ.get("DLRUN_SHIM", "")
IS_SANITIZED = os.environ.get("DLRUN_SANITIZED") == "1"
IS_LONG = os.environ.get("DLRUN_FAULTS") == "long"
ENOSPC, EIO = 28, 5

STUDY = """\
study: kept
seed: 3
objective: {metric: value, direction: minimize}
space:
  x: {type: float, low: 0, high: 1}
search: {sampler: random, pruner: {op: asha, eta: 2}, lanes: 2}
limits: {trials: 4}
trial: {kind: command, command: [python3, step.py, "{x}"], epochs: 2}
"""
PROGRAM = """\
import json, os, sys, time
while os.path.exists("FOLDER/gate") and int(os.environ["DLRUN_TRIAL"]) >= 12:
    time.sleep(0.05)
reports = os.fdopen(int(os.environ["DLRUN_REPORT_FD"]), "w")
for epoch in range(int(os.environ["DLRUN_FROM_STEP"]) + 1, int(os.environ["DLRUN_TO_STEP"]) + 1):
    file = os.path.join(os.environ["DLRUN_DIR"], str(epoch) + ".json")
    open(file, "w").write(json.dumps([sys.argv[1], epoch]) * 1000)
    print(json.dumps({"checkpoint": file, "step": epoch}), file=reports)
    print(json.dumps({"metric": "value", "step": epoch, "value": float(sys.argv[1]) + epoch}), file=reports, flush=True)
"""


class Member:
    """A member to be packed: a file with bytes, or whatever its header says."""

    def __init__(self, name, data=b"", **header):
        self.name, self.data, self.header = name, data, header


def members_of(archive):
    with tarfile.open(archive) as tar:
        return [Member(info.name, tar.extractfile(info).read()) for info in tar]


def pack(path, members):
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        for member in members:
            info = tarfile.TarInfo(member.name)
            info.size = len(member.data)
            for key, value in member.header.items():
                setattr(info, key, value)
            has_content = info.isreg() and info.size == len(member.data)
            tar.addfile(info, io.BytesIO(member.data) if has_content else None)


def sealed(members, change=None):
    """The members with a manifest that fits them: what a forger would write."""
    manifest = json.loads(members[0].data)
    sizes = {m.name: m for m in members[2:]}
    for entry in manifest["members"]:
        if entry["name"] in sizes:
            data = sizes[entry["name"]].data
            entry.update(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
    if change:
        change(manifest)
    text = json.dumps(manifest).encode()
    seal = f"{hashlib.sha256(text).hexdigest()}  manifest.json\n".encode()
    return [Member("manifest.json", text), Member("manifest.sha256", seal), *members[2:]]


class Archives(Folder):
    @classmethod
    def setUpClass(cls):
        cls.made = Made()
        cls.made.make()
        cls.addClassCleanup(cls.made.doCleanups)

    def setUp(self):
        super().setUp()
        self.archive = self.folder / "kept.tar"
        shutil.copy(self.made.archive, self.archive)
        self.members = members_of(self.archive)
        self.store = self.folder / "store"

    def take_in(self, archive, **options):
        return self.run_dlrun("import", archive, "--store", self.store, **options)

    def require_nothing_there(self, what=""):
        seen = [str(p.relative_to(self.store)) for p in self.store.rglob("*") if p.is_file() and p.name != "gc.lock"]
        self.assertEqual([p for p in seen if not p.endswith(".lock")], [], what)

    def refused(self, members, *words, code=4):
        forged = self.folder / "forged.tar"
        pack(forged, members)
        done = self.take_in(forged)
        self.assertEqual(done.returncode, code, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.require_nothing_there(done.stderr)

    def require_whole(self, store=None):
        store = store or self.store
        done = self.run_dlrun("verify", "all", "--store", store)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.digest(store), self.made.digest_of_all)


class Made(Folder):
    """The study and its archive, made once."""

    def runTest(self):
        pass

    def make(self):
        self.setUp()
        self.write(PROGRAM, "step.py")
        done = self.tune(self.write(STUDY), self.folder / "store")
        assert done.returncode == 0, done.stderr
        self.archive = self.folder / "kept.tar"
        done = self.run_dlrun("export", "--archive", "-o", self.archive, "--store", self.folder / "store")
        assert done.returncode == 0, done.stderr
        self.digest_of_all = self.digest(self.folder / "store")


class Damaged(Archives):
    def test_a_flipped_bit_anywhere(self):
        self.assertEqual(self.take_in(self.archive).returncode, 0)
        reference = {p.relative_to(self.store): p.read_bytes() for p in self.store.rglob("*") if p.is_file()}
        good = self.archive.read_bytes()
        flipped, unseen = self.folder / "flipped.tar", 0
        places = range(0, len(good), 97 if IS_LONG else 2999)
        for place in [*range(0, 512, 13), *places]:
            data = bytearray(good)
            data[place] ^= 1 << place % 8
            flipped.write_bytes(data)
            shutil.rmtree(self.store, ignore_errors=True)
            done = self.take_in(flipped)
            if done.returncode == 0:  # in what tar fills blocks with, or an owner's name: nothing that is kept
                unseen += 1
                for path, content in reference.items():
                    if path.suffix != ".lock":
                        self.assertEqual((self.store / path).read_bytes(), content, f"bit at {place}: {path}")
            else:
                self.assertEqual(done.returncode, 4, f"bit at {place}: {done.stderr}")
                self.require_nothing_there(f"bit at {place}")
        self.assertLess(unseen, len(places) // 10)

    def test_cut_off_anywhere(self):
        good = self.archive.read_bytes()
        whole = good.rstrip(b"\0")
        cut = self.folder / "cut.tar"
        for place in [0, 1, 511, 512, 513, *range(1024, len(whole), 811 if IS_LONG else 9973), len(whole) - 1]:
            cut.write_bytes(good[:place])
            done = self.take_in(cut)
            self.assertEqual(done.returncode, 4, f"{place} bytes: {done.stderr}")
            self.require_nothing_there(f"{place} bytes")

    def test_compressed_and_damaged(self):
        packed = self.folder / "kept.tar.zst"
        done = self.run_dlrun("export", "--archive", "-o", packed, "--store", self.made.folder / "store")
        self.assertEqual(done.returncode, 0, done.stderr)
        good = packed.read_bytes()
        for place in range(4, len(good), 53 if IS_LONG else 1777):
            for data in (good[:place], good[:place] + bytes([good[place] ^ 16]) + good[place + 1:]):
                packed.write_bytes(data)
                done = self.take_in(packed)
                if done.returncode == 0:  # a bit that zstd leaves unused
                    self.require_whole()
                    shutil.rmtree(self.store)
                    continue
                self.assertEqual(done.returncode, 4, f"{place}: {done.stderr}")
                self.require_nothing_there(f"{place}")


class Forged(Archives):
    def test_names_that_lead_elsewhere(self):
        content = self.members[-1].data
        for name in ("../x", "/etc/x", "artifacts/../../x", "studies/../x.db", "artifacts/" + "a" * 63, "artifacts/" + "a" * 64 + "/x",
                     "artifacts/" + "A" * 64, "artifacts/" + "a" * 64 + ".x/../../y", "artifacts/" + "a" * 64 + "." + "x" * 200):
            with self.subTest(name):
                def add(manifest, name=name):
                    manifest["members"].append({"name": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()})
                self.refused(sealed([*self.members, Member(name, content)], add), name, "neither a study nor an artifact")
                self.refused([*self.members, Member(name, content)], name, "stands where 'the end' should be")

    def test_links_and_devices(self):
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE):
            with self.subTest(kind):
                last = Member(self.members[-1].name, b"", type=kind, linkname="/etc/passwd")
                is_folder = kind == tarfile.DIRTYPE   # whose name has a slash behind it
                why = "stands where" if is_folder else "is no file but a link or device"
                self.refused([*self.members[:-1], last], self.members[-1].name, why)

    def test_members_that_are_not_as_named(self):
        first, last = self.members[3], self.members[-1]
        self.refused([*self.members, last], last.name, "stands twice")
        self.refused([*self.members[:4], first, *self.members[4:]], first.name, "stands twice")
        self.refused(self.members[:-1], last.name, "is missing")
        self.refused([m for m in self.members if m is not first], first.name, "should be")
        self.refused([*self.members[:-2], last, self.members[-2]], "should be")
        self.refused([*self.members[:-1], Member(last.name, last.data + b"x")], last.name, "bytes")
        self.refused([*self.members[:-1], Member(last.name, b"x" + last.data[1:])], last.name, "damaged")
        self.refused(self.members[1:], "no archive of dlrun")
        self.refused([self.members[0], *self.members[2:]], "manifest.sha256")

    def test_an_artifact_under_the_name_of_another(self):
        """Such an artifact was moved over the checkpoint of a study that the store had."""
        self.assertEqual(self.take_in(self.archive).returncode, 0)
        last = self.members[-1]
        forged = self.folder / "forged.tar"
        pack(forged, sealed([*self.members[:-1], Member(last.name, b"x" + last.data[1:])]))
        done = self.run_dlrun("import", forged, "--as", "other", "--store", self.store)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(f"'{last.name}' has another content than its name says", done.stderr)
        self.assertFalse((self.store / "studies" / "other.db").exists())
        self.require_whole()

    def test_a_manifest_of_lies(self):
        def change(act):
            return sealed(self.members, act)
        self.refused(change(lambda m: m.update(format=2)), "format 2", "knows up to format 1")
        self.refused(change(lambda m: m.update(schema=999)), "schema 999", "knows up to schema")
        self.refused(change(lambda m: m.update(members="x")), "another type")
        self.refused(change(lambda m: m["members"].append(m["members"][-1])), "twice")
        self.refused(change(lambda m: m["members"][-1].update(bytes=-1)), "-1 bytes")
        self.refused(change(lambda m: m["members"][-1].update(bytes=1 << 61)), "needs", code=75)
        self.refused(change(lambda m: [e.update(bytes=1 << 61) for e in m["members"]]), "bytes")
        self.refused(change(lambda m: m["members"][-1].update(bytes=1 << 80)), "")
        self.refused(change(lambda m: m["members"][-1].update(sha256="x")), "no SHA-256")
        self.refused(change(lambda m: m["studies"][0].update(name="../up")), "../up")
        self.refused(change(lambda m: m["studies"].clear()), "")
        self.refused(change(lambda m: m["studies"][0].update(head="0" * 64)), "not the study that the manifest says")
        self.refused([Member("manifest.json", b"{"), *self.members[1:]], "manifest.sha256")
        self.refused([Member("manifest.json", b"x" * 10, size=1 << 40), *self.members[1:]], "manifest.json")

    def test_rows_that_are_not_ours(self):
        place = next(i for i, m in enumerate(self.members) if m.name == "studies/kept.db")
        def with_sql(*statements):
            file = self.folder / "rows.db"
            file.write_bytes(self.members[place].data)
            with closing(sqlite3.connect(file)) as db, db:
                for statement in statements:
                    db.execute(statement)
            return sealed([*self.members[:place], Member("studies/kept.db", file.read_bytes()), *self.members[place + 1:]])
        self.refused(with_sql("CREATE TRIGGER t AFTER INSERT ON dl_log BEGIN DELETE FROM dl_trial; END"), "trigger t")
        self.refused(with_sql("CREATE TABLE more (a)"), "table more")
        self.refused(with_sql("DROP TABLE dl_tag"), "")
        self.refused(with_sql("CREATE VIEW other AS SELECT 1"), "view other")
        self.refused(with_sql("UPDATE dl_log SET time = time + 1 WHERE seq = 3"), "row 3")
        self.refused(with_sql("UPDATE dl_metric SET value = 0"), "is not what the log says")
        self.refused(with_sql("UPDATE dl_artifact SET sha256 = '../../x'"), "is not what the log says")
        self.refused(with_sql("UPDATE dl_study SET spec = replace(spec, 'minimize', 'maximize')"), "does not fit")
        self.refused(with_sql("INSERT INTO dl_schema VALUES (99, 'later', '')"), "schema 99")
        self.refused(sealed([*self.members[:place], Member("studies/kept.db", b"x" * 5000), *self.members[place + 1:]]), "kept.db")
        # A view of ours with another meaning is made anew.
        forged = self.folder / "forged.tar"
        pack(forged, with_sql("DROP VIEW v_best", "CREATE VIEW v_best AS SELECT 'forged' AS study, 99 AS trial"))
        self.assertEqual(self.take_in(forged).returncode, 0)
        self.require_whole()

    def test_an_artifact_that_did_not_come(self):
        name = self.members[-1].name
        members = sealed(self.members[:-1], lambda m: m["members"].pop())
        self.refused(members, name.split("/")[1][:12], "not among its members")


def has_open(pid, name):
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):   # closed meanwhile
            if Path(os.readlink(link)).name == name:
                return True
    return False


class Together(Archives):
    def test_an_import_waits_for_another(self):
        """The import ended with "the store is being written" after it had read all of the archive."""
        self.store.mkdir()
        with open(self.store / "gc.lock", "w") as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX)
            process = self.start("import", self.archive, "--store", self.store)
            self.await_("the import to wait for the lock", lambda: has_open(process.pid, "gc.lock"), process)
        self.end_of(process)
        self.require_whole()


class Interrupted(Archives):
    def shimmed(self, **faults):
        settings = {"LD_PRELOAD": SHIM, "FAULT_COUNT": str(self.folder / "count"), **{k: str(v) for k, v in faults.items()}}
        return {**os.environ, **settings}

    def calls(self, act, **faults):
        self.assertEqual(act(env=self.shimmed(**faults)).returncode, 0)
        return int((self.folder / "count").read_text())

    def places(self, calls, few):
        return range(1, calls + 1) if IS_LONG else sorted({1 + i * calls // few for i in range(few)})

    def require_all_or_nothing(self, what):
        """Then once more, undisturbed: nothing of the first is left."""
        if (self.store / "studies" / "kept.db").exists():
            self.require_whole()
        done = self.take_in(self.archive)
        self.assertEqual(done.returncode, 0, what + done.stderr)
        self.require_whole()
        done = self.run_dlrun("gc", "--store", self.store)
        self.assertEqual(done.returncode, 0, what + done.stderr)
        self.assertFalse((self.store / "staging").exists(), what)
        self.require_whole()
        shutil.rmtree(self.store)

    @unittest.skipUnless(SHIM and not IS_SANITIZED, "the shim is not built")
    def test_import_killed_at_any_call(self):
        calls = self.calls(lambda **o: self.take_in(self.archive, **o))
        shutil.rmtree(self.store)
        for place in self.places(calls, 20):
            done = self.take_in(self.archive, env=self.shimmed(FAULT_CRASH_AT=place))
            self.assertIn(done.returncode, (-9, 0), done.stderr)
            self.require_all_or_nothing(f"killed at call {place}: ")

    @unittest.skipUnless(SHIM and not IS_SANITIZED, "the shim is not built")
    def test_import_on_a_disk_that_fails(self):
        for kind, errno in (("write", ENOSPC), ("sync", EIO)):
            calls = self.calls(lambda **o: self.take_in(self.archive, **o), FAULT_KIND=kind)
            shutil.rmtree(self.store)
            for place in self.places(calls, 8):
                done = self.take_in(self.archive, env=self.shimmed(FAULT_KIND=kind, FAULT_FAIL_AT=place, FAULT_ERRNO=errno))
                self.assertIn(done.returncode, (75, 0), f"{kind} {place}: {done.stderr}")
                if done.returncode == 75:
                    self.assertFalse((self.store / "staging").exists(), f"{kind} {place}")
                self.require_all_or_nothing(f"{kind} {place} fails: ")

    @unittest.skipUnless(SHIM and not IS_SANITIZED, "the shim is not built")
    def test_export_killed_or_on_a_full_disk(self):
        store = self.folder / "origin"
        shutil.copytree(self.made.folder / "store", store)
        out = self.folder / "out.tar"
        def act(**options):
            return self.run_dlrun("export", "--archive", "-o", out, "--store", store, **options)
        calls = self.calls(act)
        good = out.read_bytes()
        out.unlink()
        for place in self.places(calls, 12):
            for faults in ({"FAULT_CRASH_AT": place}, {"FAULT_FAIL_AT": place, "FAULT_ERRNO": ENOSPC}):
                done = act(env=self.shimmed(**faults))
                if out.exists():
                    self.assertEqual(out.read_bytes(), good, f"{faults}")
                    out.unlink()
                elif "FAULT_FAIL_AT" in faults:
                    self.assertEqual(done.returncode, 75, done.stderr)  # what it made it cannot delete on such a disk
        self.run_dlrun("gc", "--store", store)
        self.assertFalse((store / "staging").exists())
        self.require_whole(store)

    def test_a_file_may_not_grow_so_large(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
        done = self.take_in(self.archive, preexec_fn=limit)
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertIn("File too large", done.stderr)
        self.require_nothing_there()
        self.assertEqual(self.take_in(self.archive).returncode, 0)
        self.require_whole()
        done = self.run_dlrun("export", "--archive", "-o", "large.tar", "--store", self.store, preexec_fn=limit)
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertEqual(list(self.folder.glob("large.tar*")), [])
        self.assertFalse((self.store / "staging").exists())

    def test_export_of_a_study_that_runs(self):
        slow = STUDY.replace("trials: 4", "trials: 20").replace("eta: 2}", "eta: 2}, slack: 0.1")
        study = self.write(slow)
        self.write(PROGRAM, "step.py")
        (self.folder / "gate").touch()
        driver = self.start("tune", study, "--workers", 2, "--store", self.folder / "running")
        self.await_("artifacts", lambda: self.count("dl_artifact", "running") > 3, while_runs=driver)
        done = self.run_dlrun("export", "--archive", "kept", "-o", self.folder / "running.tar", "--store", self.folder / "running")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the study is running", done.stderr)
        self.kill(driver)
        (self.folder / "gate").unlink()
        done = self.take_in(self.folder / "running.tar")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.run_dlrun("verify", "--store", self.store).returncode, 0)
        state = self.run_dlrun("report", "--sql", "select state from study", "--format", "csv", "--store", self.store)
        self.assertIn("interrupted", state.stdout)
        done = self.run_dlrun("resume", "kept", "--store", self.store)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.tune(study, self.folder / "running").returncode, 0)
        self.assertEqual(self.digest(self.store), self.digest(self.folder / "running"))


if __name__ == "__main__":
    unittest.main()
