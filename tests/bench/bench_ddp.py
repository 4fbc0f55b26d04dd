# SPDX-License-Identifier: Apache-2.0
"""Ranks as processes beside PyTorch's DistributedDataParallel over Gloo: the same nets, batches and numbers of ranks, one
thread each, in turns on one machine. DLRUN_DATA names the folder with fashion-mnist.
"""
import os
import re
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from benchlib import BIN, PEERS, Row, environment, say

PEER = "PyTorch DDP, Gloo"
REPEATS = 5
MLP = "[{op: flatten}, {op: linear, out: 256}, {op: relu}, {op: linear, out: 256}, {op: relu}, {op: linear, out: classes}]"
CNN = ("[{op: conv2d, out: 32, k: 3, pad: 1}, {op: relu}, {op: maxpool, k: 2}, "
       "{op: conv2d, out: 64, k: 3, pad: 1}, {op: relu}, {op: maxpool, k: 2}, {op: flatten}, "
       "{op: linear, out: 128}, {op: relu}, {op: linear, out: classes}]")
NETS = {"mlp": MLP, "cnn": CNN}
STUDY = """study: ranks
objective: {{metric: val.accuracy, direction: maximize}}
space: {{lr: {{at: optimizer.lr, choices: [0.02]}}}}
search: {{sampler: grid}}
trial:
  data: {{op: idx, path: {data}, limit: {limit}, limit_test: 64, split: {{val: 0.01}}}}
  model: {{nodes: {net}}}
  optimizer: {{op: sgd, lr: 0.02, momentum: 0.9}}
  epochs: 4
  batch_size: {batch}
  parallel: {{op: {op}, ranks: {ranks}}}
  cluster: processes
"""
EPOCH = re.compile(r"epoch (\d+): \d+ processes, ([0-9.]+) s; (.*)")


class Throttle:
    """Holds a process to a tenth of its time while it lives."""

    def __init__(self, pid):
        self.pid, self.over = pid, threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        try:
            while not self.over.is_set():
                os.kill(self.pid, signal.SIGSTOP)
                self.over.wait(0.009)
                os.kill(self.pid, signal.SIGCONT)
                self.over.wait(0.001)
        except ProcessLookupError:
            return

    def end(self):
        self.over.set()
        self.thread.join()


def rank_of(words):
    return int(words[2]) if len(words) > 3 and words[1] == b"--gang" else None


def await_rank(number, session):
    """The process of a rank of ours."""
    while session.poll() is None:
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if rank_of(words) == number:
                return int(pid)
        time.sleep(0.01)
    raise SystemExit("no rank came")


def ours(data, net, batch, op="ar_sgd", ranks=2, slow=None):
    """Examples per second, from the second epoch on, the states that are saved after each included."""
    limit = {"mlp": 30000, "cnn": 3000}[net]
    with tempfile.TemporaryDirectory() as folder:
        study, store = Path(folder) / "study.yaml", Path(folder) / "store"
        study.write_text(STUDY.format(data=data, net=NETS[net], limit=limit, batch=batch, op=op, ranks=ranks))
        session = subprocess.Popen([BIN / "dlrun", "tune", study, "-q", "--store", store], stdout=subprocess.DEVNULL)
        throttle = Throttle(await_rank(slow, session)) if slow else None
        if session.wait() != 0:
            raise SystemExit("dlrun failed")
        if throttle:
            throttle.end()
        log = subprocess.run([BIN / "dlrun", "logs", "ranks/0", "--store", store], capture_output=True, text=True, check=True)
    seconds = [float(found[2]) for found in EPOCH.finditer(log.stdout)][1:]
    return limit * 0.99 / statistics.median(seconds)


def theirs(net, batch, steps, ranks=2, slow=None):
    command = [environment("pipeline"), PEERS / "torch_ddp.py", net, str(batch), str(steps), str(ranks)]
    session = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True)
    throttle, speed = None, None
    for line in session.stdout:
        kind, *values = line.split()
        if kind == "pid" and slow is not None and int(values[0]) == slow:
            throttle = Throttle(int(values[1]))
        elif kind == "examples":
            speed = float(values[-1])
    if throttle:
        throttle.end()
    if session.wait() != 0:
        raise SystemExit("torch_ddp.py failed")
    return speed


def pair_row(name, peer_name, pairs, target=None):
    mine, peer = (statistics.median(pair[side] for pair in pairs) for side in (0, 1))
    ratios = sorted(pair[0] / pair[1] for pair in pairs)
    aim = {} if target is None else {"target": f">= {target}x", "met": mine / peer >= target}
    return Row(f"data_parallel.{name}", mine, "examples/s", peer_name, peer, mine / peer, **aim,
               note=f"ratios of {len(pairs)} pairs {ratios[0]:.2f} to {ratios[-1]:.2f}")


def arms(data, net, batch, target):
    """dlrun, dlrun over Gloo and DDP, in turns: what the training loop gains and what the transport gains stand apart."""
    steps = {"mlp": 14848, "cnn": 1536}[net] // batch
    runs = [(ours(data, net, batch), ours(data, net, batch, "ar_sgd, reduce: gloo"), theirs(net, batch, steps))
            for _ in range(REPEATS)]
    case = f"{net} {batch}"
    return [pair_row(f"ddp {case}", PEER, [(own, ddp) for own, _, ddp in runs], target),
            pair_row(f"loop {case}", PEER, [(gloo, ddp) for _, gloo, ddp in runs]),
            pair_row(f"transport {case}", "dlrun, Gloo", [(own, gloo) for own, gloo, _ in runs])]


def straggler_row(data, op, target):
    pairs = [(ours(data, "mlp", 32, op, ranks=4, slow=3), theirs("mlp", 32, 60, ranks=4, slow=3)) for _ in range(3)]
    return pair_row(f"straggler {op}", PEER, pairs, target)


def logged(data, op, ranks):
    """Bytes that all have sent, and gradients of each rank, in one epoch; of the mlp, batches of 32."""
    with tempfile.TemporaryDirectory() as folder:
        study, store = Path(folder) / "study.yaml", Path(folder) / "store"
        study.write_text(STUDY.format(data=data, net=MLP, limit=6000, batch=32, op=op, ranks=ranks).replace("epochs: 4", "epochs: 1"))
        subprocess.run([BIN / "dlrun", "tune", study, "-q", "--store", store], stdout=subprocess.DEVNULL, check=True)
        log = subprocess.run([BIN / "dlrun", "logs", "ranks/0", "--store", store], capture_output=True, text=True, check=True)
    sent = float(re.search(r"cluster.gbytes=([0-9.e+-]+)", log.stdout)[1]) * 1e9
    return sent, [int(count) for count in re.findall(r"rank \d+: (\d+) gradients", log.stdout)]


def payload_row(data, ranks=3):
    """Ko et al. 2021, table 1: M bytes of weights, K gradients, a round of n; easgd exchanges at every eighth step."""
    model = 4 * (784 * 256 + 256 + 256 * 256 + 256 + 256 * 10 + 16)  # the last bias is padded to 64 bytes
    worst, parts = 0.0, []
    for op in ("bsp", "asp", "easgd", "ar_sgd"):
        sent, gradients = logged(data, op, ranks)
        rounds = -(-sum(gradients) // ranks)
        formula = {"bsp": 2 * ranks * rounds, "asp": 2 * sum(gradients), "ar_sgd": 2 * (ranks - 1) * rounds,
                   "easgd": 2 * sum(count // 8 for count in gradients)}[op] * model
        worst = max(worst, abs(sent / formula - 1))
        parts.append(f"{op} {sent / 1e6:.1f} MB, formula {formula / 1e6:.1f}")
    return Row("data_parallel.payload bytes", worst * 100, "% off, worst of 4", "Ko et al., IPDPS 2021", target="<= 0.01 %",
               met=worst <= 1e-4, note="; ".join(parts))


def log_of(store):
    return subprocess.run([BIN / "dlrun", "logs", "ranks/0", "--store", store], capture_output=True, text=True).stdout


def seconds_without_update(data, op):
    """From the moment that rank 0 sees that one of four ranks was killed until the next update."""
    with tempfile.TemporaryDirectory() as folder:
        study, store = Path(folder) / "study.yaml", Path(folder) / "store"
        text = STUDY.format(data=data, net=MLP, limit=30000, batch=32, op=op, ranks=4).replace("epochs: 4", "epochs: 6")
        study.write_text(text.replace("ranks: 4}", "ranks: 4, on_loss: elastic}"))
        session = subprocess.Popen([BIN / "dlrun", "tune", study, "-q", "--store", store], stdout=subprocess.DEVNULL)
        while "epoch 2" not in log_of(store):
            time.sleep(0.05)
        os.kill(await_rank(3, session), signal.SIGKILL)
        if session.wait() != 0:
            raise SystemExit("dlrun failed")
        return float(re.search(r"rank 3 was lost, 3 went on, next update after ([0-9.]+) s", log_of(store))[1])


def loss_row(data):
    found = {op: sorted(seconds_without_update(data, op) for _ in range(REPEATS)) for op in ("ar_sgd", "aladdin")}
    worst = max(seconds[-1] for seconds in found.values())
    note = "; ".join(f"{op} {seconds[0]:.3f} to {seconds[-1]:.3f}" for op, seconds in found.items())
    return Row("data_parallel.kill one of four", worst, f"s, worst of {2 * REPEATS}", "none: DDP ends", target="< 1 s",
               met=worst < 1, note=note)


def rows():
    data = Path(os.environ.get("DLRUN_DATA", "")) / "fashion-mnist"
    if not os.environ.get("DLRUN_DATA") or not data.is_dir():
        say("data_parallel: DLRUN_DATA names no folder with fashion-mnist, so nothing is compared with DDP")
        return []
    found = [payload_row(data), loss_row(data)]
    for net, target in (("mlp", 1.3), ("cnn", 1.0)):
        for batch in (32, 128):
            found += arms(data, net, batch, target)
    for op, target in (("asp", 5), ("aladdin", 6)):
        found.append(straggler_row(data, op, target))
    return found
