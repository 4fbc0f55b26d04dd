# SPDX-License-Identifier: Apache-2.0
"""A Slurm of its own on loopback: slurmctld, munged and a slurmd for each node, all in one folder, by this user. Limits of
time are short, so that what takes a real cluster minutes takes it seconds."""
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

DAEMONS = ("slurmctld", "slurmd", "munged", "sbatch", "squeue", "scancel", "scontrol", "sinfo")
os.environ["PATH"] += ":/usr/sbin:/sbin"

CONF = """\
ClusterName=dlrun
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SchedulerParameters=sched_interval=1,sched_min_interval=0,bf_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
JobRequeue=1
KillWait=5
MinJobAge=60
MessageTimeout=10
SlurmctldTimeout=10
SlurmdTimeout=10
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
{nodes}
PartitionName=low Nodes=ALL Default=YES PriorityTier=1 MaxTime=INFINITE PreemptMode=REQUEUE
PartitionName=high Nodes=ALL Default=NO PriorityTier=10 MaxTime=INFINITE PreemptMode=OFF
"""


def is_installed():
    return all(shutil.which(name) for name in DAEMONS)


def is_alive(pid):
    """Of a process that may be a zombie of somebody who is slow to bury it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def free_ports(count):
    """As many in a row, for Slurm wants its daemons' side by side."""
    for port in range(26000 + os.getpid() % 4000, 60000, count):
        try:
            for offset in range(count):
                with socket.socket() as one:
                    one.bind(("127.0.0.1", port + offset))
            return port
        except OSError:
            continue
    raise RuntimeError("no free ports")


class Cluster:
    def __init__(self, folder, nodes=2):
        self.folder, self.nodes = Path(folder), nodes
        self.port = free_ports(nodes + 1)
        self.conf = self.folder / "slurm.conf"
        self.environment = {"SLURM_CONF": str(self.conf)}

    def write_conf(self):
        host, user = socket.gethostname().split(".")[0], subprocess.getoutput("id -un")
        nodes = "\n".join(f"NodeName=n{i} NodeHostname={host} NodeAddr=127.0.0.1 Port={self.port + i} CPUs=2 State=UNKNOWN"
                          for i in range(1, self.nodes + 1))
        self.conf.write_text(CONF.format(host=host, port=self.port, user=user, folder=self.folder, nodes=nodes))

    def start(self):
        for name in ("state", "spool", "log", "munge"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        os.chmod(self.folder, 0o755)
        os.chmod(self.folder / "munge", 0o711)
        self.write_conf()
        self.start_munge()
        self.start_controller()
        for i in range(1, self.nodes + 1):
            self.start_node(i)
        self.wait_until(lambda: self.ask("sinfo", "-h", "-N", "-p", "low", "-o", "%T").split() == ["idle"] * self.nodes)

    def start_munge(self):
        place = self.folder / "munge"
        key = place / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        self.daemon("munged", "--force", f"--socket={place}/socket", f"--key-file={key}", f"--pid-file={place}/pid",
                    f"--log-file={place}/log", f"--seed-file={place}/seed", "--num-threads=2")

    def start_controller(self):
        self.daemon("slurmctld")

    def kill_controller(self):
        """Once it has written down what changed just now: else it comes back with jobs that are over, and without those of today."""
        written, now = self.folder / "state" / "job_state", time.time()
        self.wait_until(lambda: written.exists() and written.stat().st_mtime > now)
        self.kill("slurmctld.pid")

    def start_node(self, number):
        (self.folder / "spool" / f"n{number}").mkdir(exist_ok=True)
        self.daemon("slurmd", "-N", f"n{number}")

    def daemon(self, *words):
        subprocess.run(words, env={**os.environ, **self.environment}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=True, timeout=60)

    def ask(self, *words):
        """What a command prints; nothing where it fails."""
        return subprocess.run(words, env={**os.environ, **self.environment}, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60).stdout

    def wait_until(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                logs = "".join(path.read_text()[-2000:] for path in (self.folder / "log").iterdir())
                raise RuntimeError(f"Slurm is not as it should be after {seconds} s:\n{logs}")
            time.sleep(0.05)

    def pid_of(self, name):
        try:
            return int((self.folder / name).read_text())
        except (OSError, ValueError):
            return 0

    def kill(self, name, number=signal.SIGKILL):
        """@param name  slurmctld.pid, slurmd-n1.pid"""
        pid = self.pid_of(name)
        if pid and is_alive(pid):
            os.kill(pid, number)
            self.wait_until(lambda: not is_alive(pid))

    def jobs(self, *states):
        """Names of jobs in these states; of all that are not over where none is named."""
        wanted = ["-t", ",".join(states)] if states else []
        return self.ask("squeue", "-h", "-r", "-o", "%i", *wanted).split()

    def stop(self):
        self.ask("scancel", "--me")  # while there is a controller, or daemons wait for it
        end = time.monotonic() + 10
        while self.jobs() and time.monotonic() < end:
            time.sleep(0.1)
        names = [path.name for path in self.folder.glob("slurmd-*.pid")] + ["slurmctld.pid", "munge/pid"]
        pids = [pid for pid in map(self.pid_of, names) if pid and is_alive(pid)]
        for pid in pids:
            os.kill(pid, signal.SIGTERM)
        end = time.monotonic() + 10
        while any(map(is_alive, pids)) and time.monotonic() < end:
            time.sleep(0.05)
        self.kill_left_over(pids)

    def kill_left_over(self, pids):
        """Daemons that do not end, and steps and processes of jobs of this cluster."""
        mark = f"SLURM_CONF={self.conf}\0".encode()
        for entry in Path("/proc").iterdir():
            try:
                is_ours = entry.name.isdigit() and mark in (entry / "environ").read_bytes() + b"\0"
                is_job = is_ours and (b"SLURM_JOB_ID=" in (entry / "environ").read_bytes() or
                                      (entry / "comm").read_text() == "slurmstepd\n")
            except OSError:
                continue
            if is_job or (entry.name.isdigit() and int(entry.name) in pids):
                try:
                    os.kill(int(entry.name), signal.SIGKILL)
                except ProcessLookupError:
                    pass
