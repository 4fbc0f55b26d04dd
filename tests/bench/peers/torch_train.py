# SPDX-License-Identifier: Apache-2.0
"""torch_train.py NET STEPS [loader]: microseconds per optimiser step of the usual PyTorch loop, one thread.

The nets, batch sizes, optimisers and data shapes of tests/bench/training. Batches are rows of tensors in memory, taken by
index, which is the fastest a Python loop has; with `loader` by a DataLoader, which is the usual one.
"""
import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from torch_nets import NETS

torch.set_num_threads(1)
torch.manual_seed(1)


def by_index(tensors, batch_size):
    count = len(tensors[0]) // batch_size * batch_size
    while True:
        for rows in torch.randperm(len(tensors[0]))[:count].split(batch_size):
            yield [t[rows] for t in tensors]


def by_loader(tensors, batch_size):
    loader = DataLoader(TensorDataset(*tensors), batch_size, shuffle=True, drop_last=True)
    while True:
        yield from loader


def run(net, count, source, loss_function, optimizer):
    for _ in range(count):
        inputs, labels = next(source)
        optimizer.zero_grad()
        loss_function(net(inputs), labels).backward()
        optimizer.step()


def main():
    case, steps = NETS[sys.argv[1]], int(sys.argv[2])
    net = case.build()
    optimizer = case.optimizer(net.parameters())
    source = (by_loader if sys.argv[3:] == ["loader"] else by_index)(case.data(), case.batch_size)
    loss_function = nn.CrossEntropyLoss()
    run(net, steps // 10 + 3, source, loss_function, optimizer)
    begin = time.perf_counter()
    run(net, steps, source, loss_function, optimizer)
    print(f"{sys.argv[1]}: us per step {1e6 * (time.perf_counter() - begin) / steps:.2f}")


main()
