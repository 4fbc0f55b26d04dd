# SPDX-License-Identifier: Apache-2.0
"""A Slurm of its own on loopback: slurmctld, munged and a slurmd for each node, all in one folder, by this user. Limits of
time are short, so that what takes a real cluster minutes takes it seconds."""
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

from support import DEADLINE, alive, kill, processes_with

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
MessageTimeout=60
SlurmctldTimeout=10
SlurmdTimeout=60
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
{nodes}
PartitionName=low Nodes=ALL Default=YES PriorityTier=1 MaxTime=INFINITE PreemptMode=REQUEUE
PartitionName=high Nodes=ALL Default=NO PriorityTier=10 MaxTime=INFINITE PreemptMode=OFF
"""


def is_installed():
    return all(shutil.which(name) for name in DAEMONS)


def hold_ports(count):
    """As many in a row, for Slurm wants its daemons' side by side, and a socket that keeps other clusters off them while it is
    open. They lie below those that a kernel gives to whoever asks for any."""
    for port in range(20000, 32000, count):
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind(f"\0dlrun-test-ports-{port}")
            for offset in range(count):
                with socket.socket() as one:
                    one.bind(("127.0.0.1", port + offset))
            return port, claim
        except OSError:
            claim.close()
    raise RuntimeError("no free ports")


class Cluster:
    def __init__(self, folder, nodes=2):
        self.folder, self.nodes = Path(folder), nodes
        self.port, self.claim = hold_ports(nodes + 1)
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
        self.wait_until("idle nodes", lambda: self.ask("sinfo", "-h", "-N", "-p", "low", "-o", "%T").split() == ["idle"] * self.nodes)

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
        self.wait_until("the state to be saved", lambda: written.exists() and written.stat().st_mtime > now)
        self.kill("slurmctld.pid")

    def start_node(self, number):
        (self.folder / "spool" / f"n{number}").mkdir(exist_ok=True)
        self.daemon("slurmd", "-N", f"n{number}")

    def daemon(self, *words):
        """One of ours that outlives the test that starts it."""
        plain = {name: value for name, value in os.environ.items() if name != "RUN_OF_TESTS"}
        subprocess.run(words, env={**plain, **self.environment}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=True, timeout=DEADLINE)

    def ask(self, *words):
        """What a command prints; nothing where it fails."""
        return subprocess.run(words, env={**os.environ, **self.environment}, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=DEADLINE).stdout

    def wait_until(self, what, condition):
        end = time.monotonic() + DEADLINE
        while not condition():
            if time.monotonic() > end:
                logs = "".join(path.read_text()[-2000:] for path in (self.folder / "log").iterdir())
                raise RuntimeError(f"waited {DEADLINE} s for {what}:\n{logs}")
            time.sleep(0.1)

    def pid_of(self, name):
        try:
            return int((self.folder / name).read_text())
        except (OSError, ValueError):
            return 0

    def kill(self, name):
        """@param name  slurmctld.pid, slurmd-n1.pid"""
        pid = self.pid_of(name)
        if pid and alive(pid):
            kill(pid)
            self.wait_until(f"the end of {name}", lambda: not alive(pid))

    def jobs(self, *states):
        """Names of jobs in these states; of all that are not over where none is named."""
        wanted = ["-t", ",".join(states)] if states else []
        return self.ask("squeue", "-h", "-r", "-o", "%i", *wanted).split()

    def put_back_drained(self):
        """Slurm drains a node that is given a requeued job before its first run has gone there ("Duplicate jobid")."""
        for line in set(self.ask("sinfo", "-h", "-N", "-o", "%N %T").splitlines()):
            name, state = line.split()
            if "drain" in state:
                self.ask("scontrol", "update", f"NodeName={name}", "State=RESUME")

    def stop(self):
        self.ask("scancel", "--me")  # while there is a controller, or daemons wait for it
        self.wait_until("the end of all jobs", lambda: not self.jobs())
        names = [path.name for path in self.folder.glob("slurmd-*.pid")] + ["slurmctld.pid", "munge/pid"]
        for name in names:
            self.kill(name)
        self.kill_left_over()
        self.claim.close()

    def kill_left_over(self):
        """Daemons, and steps and processes of jobs."""
        for pid in processes_with("SLURM_CONF", self.conf):
            kill(pid)
