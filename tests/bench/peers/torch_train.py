# SPDX-License-Identifier: Apache-2.0
"""torch_train.py NET STEPS: microseconds per optimiser step of the usual PyTorch loop, one thread.

The same nets, batch sizes, optimiser and shuffled batches out of memory as bench_trainer.cpp: digits (64-128-10, batch
32) or lenet (LeNet-5 on 28x28, batch 64).
"""
import sys
import time

import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(1)

NETS = {
    "digits": (1280, 32, (64,), lambda: nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))),
    "lenet": (6400, 64, (1, 28, 28), lambda: nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))),
}

name, steps = sys.argv[1], int(sys.argv[2])
examples, batch_size, shape, build = NETS[name]
inputs, labels = torch.rand(examples, *shape), torch.randint(10, (examples,))
net = build()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
loss_function = nn.CrossEntropyLoss()


def batches():
    while True:
        yield from torch.randperm(examples).split(batch_size)


def run(count, source):
    for _ in range(count):
        batch = next(source)
        optimizer.zero_grad()
        loss_function(net(inputs[batch]), labels[batch]).backward()
        optimizer.step()


source = batches()
run(steps // 10 + 10, source)
begin = time.perf_counter()
run(steps, source)
print(f"{name}: us per step {1e6 * (time.perf_counter() - begin) / steps:.2f}")
