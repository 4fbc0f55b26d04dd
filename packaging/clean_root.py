# SPDX-License-Identifier: Apache-2.0
"""A clean root of a Debian release: made by debootstrap, entered by chroot. Needs root.

The machine's settings of pip, proxies and certificates are brought in, because downloads inside need them.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

# Mirrors of unstable may be weeks behind; debootstrap takes them as well.
MIRROR = 'Acquire::Check-Valid-Until "false";\n'

# Arguments: the root, then pairs of outside and inside until "--", then the command.
ENTER = """\
root=$1; shift
mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount -t tmpfs tmpfs "$root/tmp" || exit 125
while [ "$1" != -- ]; do
  mkdir -p "$root$2" && mount --bind "$1" "$root$2" || exit 125
  shift 2
done
shift
exec chroot "$root" "$@"
"""


def need(program, package):
    if not shutil.which(program):
        raise SystemExit(f"'{program}' is needed and not there; install the package {package}")


def make(folder, release, packages=()):
    """Makes the root unless it is there whole; a half-made one is removed."""
    folder = Path(folder)
    if (folder / "made").exists():
        return folder
    need("debootstrap", "debootstrap")
    if folder.exists():
        shutil.rmtree(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    print(f"making a root of Debian {release} in {folder}", file=sys.stderr, flush=True)
    include = ",".join(["ca-certificates", *packages])
    made = subprocess.run(["debootstrap", "--variant=minbase", f"--include={include}", release, folder],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if made.returncode != 0:
        raise SystemExit(f"debootstrap {release} ended with {made.returncode}:\n{made.stdout[-2000:]}")
    (folder / "etc/apt/apt.conf.d/mirror").write_text(MIRROR)
    (folder / "made").touch()
    return folder


def bring_settings(folder):
    """NAME=VALUE of this environment's settings of downloads; files that they name are copied to the same place."""
    said, files = [], ["/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf"]
    for name, value in os.environ.items():
        if re.match(r"PIP_|(https?|no|all)_proxy$|SSL_CERT_FILE$|REQUESTS_CA_BUNDLE$", name, re.I):
            said.append(f"{name}={value}")
            files.append(value)
    for file in files:
        if file.startswith("/") and Path(file).is_file():
            (folder / file[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, folder / file[1:])
    return said


def command(folder, *words, binds=(), variables=()):
    """The command line that runs `words` in the root. `binds`: (outside, inside) folders that are seen in it."""
    mounts = [str(path) for pair in binds for path in pair]
    environment = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8",
                   *bring_settings(Path(folder)), *variables]
    return ["unshare", "--mount", "sh", "-c", ENTER, "enter", str(folder), *mounts, "--", *environment, *map(str, words)]
