# SPDX-License-Identifier: Apache-2.0
"""torch_ddp.py NET BATCH STEPS RANKS: examples per second of DistributedDataParallel over Gloo, one thread a rank.

The nets of bench_ddp.py; data are rows of tensors in memory, taken by index. Each rank first prints "pid RANK PID".
"""
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel

EXAMPLES = 29700


def mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(),
                         nn.Linear(256, 10))


def cnn():
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(3136, 128), nn.ReLU(), nn.Linear(128, 10))


def train(rank, net, batch, steps, ranks, port, pipe):
    print("pid", rank, os.getpid(), flush=True)
    torch.set_num_threads(1)
    torch.manual_seed(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=ranks)
    inputs, labels = torch.rand(EXAMPLES, 1, 28, 28), torch.randint(10, (EXAMPLES,))
    model = DistributedDataParallel({"mlp": mlp, "cnn": cnn}[net]())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    loss_function = nn.CrossEntropyLoss()
    rows = iter(torch.randperm(EXAMPLES).repeat(1 + batch * steps * 2 // EXAMPLES).split(batch))

    def run(count):
        for _ in range(count):
            at = next(rows)
            optimizer.zero_grad()
            loss_function(model(inputs[at]), labels[at]).backward()
            optimizer.step()

    run(max(3, steps // 10))
    dist.barrier()
    begin = time.perf_counter()
    run(steps)
    dist.barrier()
    if rank == 0:
        pipe.send(time.perf_counter() - begin)
    dist.destroy_process_group()


def main():
    net, batch, steps, ranks = sys.argv[1], *map(int, sys.argv[2:5])
    ours, theirs = mp.Pipe()
    mp.spawn(train, (net, batch, steps, ranks, 29500 + os.getpid() % 1000, theirs), nprocs=ranks)
    print(f"examples per second {batch * steps * ranks / ours.recv():.1f}")


if __name__ == "__main__":
    main()
