# SPDX-License-Identifier: Apache-2.0
"""Runs dlrun in a folder of its own and says in which respects a store is not that of the undisturbed study."""
import difflib
import os
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from support import kill, processes_with, rows_of  # noqa: E402

BIN = Path(os.environ.get("DLRUN_BIN", "build/release/bin")).resolve()
LONGEST = 60  # seconds after which a run counts as hanging
MARK = "RUN_OF_TESTS"
EXPECTED = re.compile(r"""last | studies(/[a-z-]+(\.(db|lock|head))?)?
    | studies/[a-z-]+/(workers(/\d+\.log)? | trials(/\d+(/(r\d+\.f\d+\.)?p\d+\.a\d+(/.*)?)?)?)
    | gc\.lock | artifacts(/[0-9a-f]{2}(/[0-9a-f]{64}(\.[a-z]+)?)?)? | staging""", re.VERBOSE)


class House:
    """A folder with a study, its store, and everything that was started there."""

    def __init__(self, folder, study):
        self.folder, self.study, self.drivers = folder, study, []
        self.store = folder / "store"
        (folder / "run").mkdir(mode=0o700)

    def start(self, words, more=None):
        environment = {**os.environ, MARK: str(self.folder), "XDG_RUNTIME_DIR": str(self.folder / "run"), **(more or {})}
        with open(self.folder / "output", "ab") as output:
            output.write(f"$ dlrun {' '.join(words)}\n".encode())
            output.flush()
            process = subprocess.Popen([BIN / "dlrun", *words], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE if words[0] == "export" else output, stderr=output)
        self.drivers.append(process.pid)
        return process

    def run(self, *words):
        """@return exit code, output. Only `export` is not logged."""
        process = self.start(words)
        try:
            output, _ = process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return "never", b""
        return process.returncode, (output or b"").decode()

    def command(self, verb, workers):
        start = [self.study.verb, "study.yaml"] if verb == "again" or not self.has_study() else ["resume"]
        return [*start, "--workers", str(workers), "--store", "store"]

    def has_study(self):
        """A run that fails at once may leave a store without one: there is nothing to resume yet."""
        return any((self.store / "studies").glob("*.db"))

    def export(self):
        """Logical exports of all studies of the store: a search, and its final training."""
        names = sorted(path.stem for path in (self.store / "studies").glob("*.db"))
        return "".join(self.run("export", "--logical", name, "--store", "store")[1] for name in names)

    def artifacts(self):
        """Names of whole ones."""
        return sorted(path.name for path in (self.store / "artifacts").glob("*/*") if ".tmp" not in path.name)

    def remaining(self):
        return processes_with(MARK, str(self.folder))

    def end_all(self):
        while left := self.remaining():
            for pid in left:
                kill(pid)
            time.sleep(0.02)

    def last_line(self):
        lines = (self.folder / "output").read_text(errors="replace").splitlines()
        return next((line for line in reversed(lines) if line and not line.startswith(("$", "help:"))), "")

    def failures(self):
        """Trials that failed, and why."""
        ask = "select trial, cause, message from v_trials where cause is not null order by trial"
        return [f"trial {trial} of {path.stem}: {cause}: {message}" for path in sorted((self.store / "studies").glob("*.db"))
                for trial, cause, message in rows_of(path, ask)]


def await_(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def judge(house, calm, damaged=()):
    """All that differs from the calm study; empty if nothing does. @param damaged  artifacts that need not be whole again"""
    found = []
    if not await_(lambda: not house.remaining(), 3):
        found += [f"process left: {' '.join(map(name_of, house.remaining()))}"]
    if (export := house.export()) != calm.exported:
        found += [*house.failures()[:3], f"export differs: {first_difference(calm.exported, export)}"]
    faults = verify(house)
    found += [f"verify: {fault}" for fault in faults if not any(name[:12] in fault for name in damaged)][:3]
    code, _ = house.run("gc", "--store", "store")
    if code != 0 or (house.artifacts() != calm.kept and export == calm.exported):
        odd = (set(house.artifacts()) ^ set(calm.kept)) - set(damaged)
        if code != 0 or odd:
            found += [f"after gc, which ends with {code}, {len(odd)} artifacts more or fewer than in the calm store"]
    names = [str(path.relative_to(house.store)) for path in house.store.rglob("*")]
    found += [f"unexpected file: {name}" for name in sorted(names) if not EXPECTED.fullmatch(name)][:3]
    return found


def name_of(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return str(pid)


def verify(house):
    """Faults that `dlrun verify` names."""
    before = (house.folder / "output").stat().st_size
    code, _ = house.run("verify", "all", "--format", "csv", "--store", "store")
    if code == 0:
        return []
    text = (house.folder / "output").read_bytes()[before:].decode(errors="replace")
    _, _, faults = text.partition("study,fault\n")
    return [f"{line} (exit code {code})" for line in faults.splitlines()] or [f"ends with {code}: {house.last_line()}"]


def first_difference(calm, export):
    lines = list(difflib.unified_diff(calm.splitlines(), export.splitlines(), n=0, lineterm=""))[2:]
    return " | ".join(line.strip()[:100] for line in lines[1:3]) or "no export"


def groups_of(drivers):
    """Control groups that are still there although their drivers have ended."""
    names = tuple(f"dlrun-{pid}-" for pid in drivers)
    return sorted(path.name for path in Path("/sys/fs/cgroup").rglob("dlrun-*") if path.name.startswith(names))
