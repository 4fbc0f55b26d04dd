# SPDX-License-Identifier: Apache-2.0
"""Damage from outside the processes: a small disk, artifacts that vanish or change, and differences planted on purpose."""
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing


class Tmpfs:
    """A small disk under the store, which is to fill up in the middle of the study."""
    LARGE = 64 << 20

    def __init__(self, store, disturbance, calm):
        self.store = store
        store.mkdir()
        share = 0.1 + 0.9 * disturbance.blows[0].moment
        self.size = max(4096 * 4, int(share * calm.bytes))
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.size},mode=0700", "tmpfs", store], capture_output=True)
        self.is_mounted = done.returncode == 0

    def grow(self):
        subprocess.run(["mount", "-o", f"remount,size={self.LARGE}", self.store], check=True)

    def unmount(self, keep):
        if not self.is_mounted:
            return
        if keep:
            shutil.copytree(self.store, self.store.with_name("store-kept"), symlinks=True)
        subprocess.run(["umount", "-l", self.store], check=True)


def damage_artifacts(house, seed):
    """Removes, cuts or changes up to three files in artifacts/. @return whether there were any, and the names of those that
    only a read of their content tells from whole ones: they may stay, where nothing reads them, and `verify` names them"""
    chance = random.Random(seed)
    files = sorted((house.store / "artifacts").glob("*/*"))
    chosen = chance.sample(files, min(len(files), chance.randint(1, 3)))
    changed = []
    for path in chosen:
        how = chance.choice(("remove", "cut", "flip"))
        if how == "remove":
            path.unlink()
        elif how == "cut":
            os.truncate(path, path.stat().st_size // 2)
        else:
            flip(path, chance.randrange(path.stat().st_size))
            changed.append(path.name)
    return bool(chosen), changed


def flip(path, place):
    with open(path, "r+b") as file:
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ 0x10]))


def plant_value(house):
    """One objective in the database that was never measured."""
    with closing(sqlite3.connect(next((house.store / "studies").glob("*.db")))) as database, database:
        database.execute("update dl_trial set objective = objective + 1 where trial = 1")


def plant_process(house):
    """A process that has begun: while the kernel replaces its program, it has no environment that anyone could read."""
    words = [sys.executable, "-c", "import time; print('begun', flush=True); time.sleep(60)"]
    left = subprocess.Popen(words, env={**os.environ, "RUN_OF_TESTS": str(house.folder)}, stdout=subprocess.PIPE)
    left.stdout.readline()


def plant_file(house):
    (house.store / "studies" / "leftover.tmp").write_text("")


def plant_damage(house):
    """A bit in an artifact, which only `verify` can see."""
    flip(min((house.store / "artifacts").glob("*/*")), 10)


PLANTS = {"": lambda house: None, "value": plant_value, "process": plant_process, "file": plant_file, "damage": plant_damage}
