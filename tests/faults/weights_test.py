# SPDX-License-Identifier: Apache-2.0
"""Checkpoints that are kept by epoch, whatever happens to the worker, and checkpoints that were damaged: named by `verify` and
never loaded, by no verb that reads weights."""
import csv
import shutil
import unittest

from support import DIGITS, HAS_TRAINER, TRAIN_STUDY, Folder, children, kill

STUDY = TRAIN_STUDY.replace("trials: 16", "trials: 9").replace("search:", "keep: {best: 9, epochs: [2, 5]}\nsearch:")


@unittest.skipUnless(HAS_TRAINER, "the trainer is not built")
class Weights(Folder):
    def rows(self, store, sql):
        done = self.run_dlrun("report", "--sql", sql, "--format", "csv", "--store", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(csv.DictReader(done.stdout.splitlines()))

    def made(self, text=STUDY):
        done = self.tune(self.write(text), "store")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / "store"


class Kept(Weights):
    def test_epochs_are_kept_beside_what_the_policy_keeps(self):
        store = self.made(STUDY.replace("best: 9", "best: 0, last: 0, rungs: false"))
        kept = self.rows(store, "select trial, step, sha256 from artifacts where role = 'epoch' and deleted is null")
        trained = self.rows(store, "select trial, epochs from trials")
        for one in trained:
            wanted = {step for step in (2, 5) if step <= int(one["epochs"])}
            self.assertLessEqual(wanted, {int(k["step"]) for k in kept if k["trial"] == one["trial"]})
        self.assertTrue(any(int(k["step"]) == 5 for k in kept))
        self.assertEqual(self.run_dlrun("verify", "--store", store).returncode, 0)
        trial = next(k["trial"] for k in kept if int(k["step"]) == 5)
        done = self.run_dlrun("export", "--weights", f"digits/{trial}", "--epoch", 5, "-o", "five.safetensors", "--store", store)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_nothing_else_changes(self):
        with_epochs = self.made()
        plain = self.folder / "plain"
        self.assertEqual(self.tune(self.write(STUDY.replace(", epochs: [2, 5]", "")), plain).returncode, 0)
        sql = "select trial, piece, role, step, sha256 from artifacts where role <> 'epoch' order by 1, 2, 3, 4"
        self.assertEqual(self.rows(with_epochs, sql), self.rows(plain, sql))

    def test_a_worker_that_is_killed_changes_nothing(self):
        calm = self.digest(self.made())
        study = self.write(STUDY)
        driver = self.start("tune", study, "--workers", 2, "--store", "hurt")
        partial = self.folder / "hurt" / "studies" / "digits" / "trials"
        for _ in range(3):
            self.await_("a kept epoch, or the end", lambda: driver.poll() is not None or any(partial.rglob("kept.json")))
            for worker in children(driver.pid):
                kill(worker)
        self.finish(driver)
        self.assertEqual(self.tune(study, "hurt").returncode, 0)
        self.assertEqual(self.digest(self.folder / "hurt"), calm)


class Damaged(Weights):
    def test_a_flipped_bit_and_a_cut_are_named_and_never_loaded(self):
        whole = self.made()
        best = self.rows(whole, "select trial from best limit 1")[0]["trial"]
        found = self.rows(whole, f"select distinct sha256 from artifacts where trial = {best} and deleted is null")
        readers = [("eval", f"digits/{best}", "--split", "val"), ("predict", f"digits/{best}", "--data", DIGITS, "-o", "out.csv"),
                   ("export", "--weights", f"digits/{best}", "-o", "out.safetensors"),
                   ("export", "--safetensors", f"digits/{best}", "-o", "out.safetensors"),
                   ("export", "--archive", "digits", "-o", "out.tar"),
                   ("train", "--from", "digits", "--epochs", "2", "--policy", "best")]
        for how in ("flip the header", "flip a weight", "flip the last", "cut"):
            store = self.folder / "hurt"
            shutil.rmtree(store, ignore_errors=True)
            shutil.copytree(whole, store)
            for one in found:
                file = next((store / "artifacts" / one["sha256"][:2]).glob(one["sha256"] + "*"))
                data = bytearray(file.read_bytes())
                place = {"flip the header": 9, "flip a weight": len(data) // 2, "flip the last": len(data) - 1, "cut": 0}[how]
                data[place] ^= 1
                file.chmod(0o600)
                file.write_bytes(data[:-1] if how == "cut" else data)
            done = self.run_dlrun("verify", "--store", store)
            self.assertEqual(done.returncode, 4, how)
            for one in found:
                self.assertIn(one["sha256"][:12], done.stdout, how)
            for words in readers:  # what is damaged is found before anything is written
                done = self.run_dlrun(*words, "--store", store)
                self.assertNotEqual(done.returncode, 0, f"{how}: {words} {done.stdout}")
                self.assertFalse((self.folder / "out.csv").exists(), f"{how}: {words}")
                self.assertFalse((self.folder / "out.safetensors").exists(), f"{how}: {words}")


if __name__ == "__main__":
    unittest.main()
