# SPDX-License-Identifier: Apache-2.0
"""A copy of the checkout in which bugs are planted, with a build of its own."""
import json
import os
import re
import resource
import signal
import subprocess
import time
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COPY = ROOT / "build/mutants" / os.environ.get("DLRUN_MUTANTS_TREE", "tree")   # a name for each run beside others
BUILD = COPY / "build/release"
JOBS = subprocess.run([ROOT / "third_party/jobs"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
TEST_SECONDS = 3600  # the longest that tests may take without a bug
PATIENCE = 5         # a bug that loops for ever is found after so many times the time without a bug, and half a minute
MEMORY = 8 << 30     # bytes of addresses: a bug that allocates for ever is found there


def quiet(*words, seconds=None, **options):
    """(exit code, output) of a command whose children end with it, at the latest after so many seconds."""
    with subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True, **options) as process:
        try:
            said = process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            said = "it takes too long"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, said


def copied():
    """Brings the copy to the state of the checkout, with changes that are not committed; unchanged files keep their times."""
    COPY.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            stdout=subprocess.PIPE).stdout
    names = [name for name in filter(None, listed.decode().split("\0")) if (ROOT / name).is_file()]
    for name in names:
        source, place = ROOT / name, COPY / name
        if not (place.is_file() and place.read_bytes() == source.read_bytes()):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(source.read_bytes())
            place.chmod(source.stat().st_mode)
    remove_others({COPY / name for name in names})


def remove_others(known):
    """Files of the copy that the checkout has no more: the build would find them."""
    for folder in filter(Path.is_dir, COPY.iterdir()):
        if folder.name != "build":
            for place in [place for place in folder.rglob("*") if place.is_file() and place not in known]:
                place.unlink()


def is_program(test):
    """Whether the test is a program of its own; any other needs everything built."""
    return re.fullmatch(r"unit_\w+|golden_(arithmetic|driver|importance|specs|statistics|stores|study|torch)|sim_driver",
                        test) is not None


def build_for(test):
    """Builds what the test needs. The complaint, or None."""
    targets = [test] if is_program(test) else []
    code, said = quiet("ninja", "-C", BUILD, "-j", JOBS, *targets)
    return said[-3000:] if code else None


def prepared(files):
    """The copy, configured so that the files that will have bugs are compiled alone. @throws SystemExit  if that fails"""
    copied()
    code, said = quiet("cmake", "-S", COPY, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DDLRUN_TESTS=ON",
                       "-DDLRUN_ALONE=" + ";".join(sorted(files)))
    if code:
        raise SystemExit(f"mutants: the copy cannot be configured\n{said[-3000:]}")


@contextmanager
def planted(file, text):
    """The file of the copy has this text meanwhile."""
    place = COPY / file
    sound = place.read_text()
    place.write_text(text)
    try:
        yield
    finally:
        place.write_text(sound)


limits = {}   # by test that is known to pass without a bug: seconds that it may take


def require_sound(test):
    """@throws SystemExit  if the test does not build or fails without a bug: it would seem to find every one"""
    if test in limits:
        return
    complaint = build_for(test)
    begun = time.monotonic()
    if complaint or fails(test):
        raise SystemExit(f"mutants: {test} fails without a bug\n{complaint or ''}")
    limits[test] = min(TEST_SECONDS, 30 + PATIENCE * int(time.monotonic() - begun))


def fails(test):
    """Whether a test, by ctest's name or pattern, fails or does not end. ctest's own limit would not count for a test that
    has one. @throws SystemExit  if there is none"""
    words, folder = command_of(test)
    return quiet(*words, seconds=limits.get(test, TEST_SECONDS), preexec_fn=limit_memory, cwd=folder)[0] != 0


@lru_cache(maxsize=None)
def command_of(test):
    """Command that runs a test until something fails, and its folder. Only programs of Catch can end at a first failure of
    their own. @throws SystemExit  if there is no such test"""
    ctest = "ctest", "--test-dir", BUILD, "-R", f"^({test})$"
    found = json.loads(quiet(*ctest, "--show-only=json-v1")[1])["tests"]
    if not found:
        raise SystemExit(f"mutants: there is no test {test}")
    if not is_program(test) or test == "sim_driver":
        return (*ctest, "--stop-on-failure", "-j", str(3 * int(JOBS))), BUILD
    folder, = (entry["value"] for entry in found[0]["properties"] if entry["name"] == "WORKING_DIRECTORY")
    return (*found[0]["command"], "--abort"), folder


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def object_of(file):
    """Bytes of the compiled source, or None where it has none of its own."""
    room, inside = Path(*Path(file).parts[:2]), Path(*Path(file).parts[2:])
    found = list(BUILD.glob(f"{room}/CMakeFiles/*.dir/{inside}.o"))
    return found[0].read_bytes() if len(found) == 1 else None
