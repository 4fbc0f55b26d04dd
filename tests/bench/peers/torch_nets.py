# SPDX-License-Identifier: Apache-2.0
"""The nets of tests/bench/training, as one writes them in PyTorch, with data of their shapes."""
from dataclasses import dataclass
from typing import Callable

import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class Case:
    batch_size: int
    data: Callable
    build: Callable
    optimizer: Callable


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.01, momentum=0.9)


def adamw(parameters):
    return torch.optim.AdamW(parameters, lr=0.001)


def noise(examples, *shape):
    return lambda: (torch.rand(examples, *shape), torch.randint(10, (examples,)))


def tokens(examples, length, vocabulary):
    return lambda: (torch.randint(vocabulary, (examples, length)), torch.randint(2, (examples,)))


def digits():
    return nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))


def lenet():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


class Block(nn.Module):
    """He et al. 2016, the basic block."""

    def __init__(self, wide_in, wide, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(wide_in, wide, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(wide)
        self.conv2 = nn.Conv2d(wide, wide, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(wide)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or wide_in != wide:
            self.downsample = nn.Sequential(nn.Conv2d(wide_in, wide, 1, stride, bias=False), nn.BatchNorm2d(wide))

    def forward(self, x):
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(y + (x if self.downsample is None else self.downsample(x)))


def resnet18(width=16, classes=10):
    layers = [nn.Conv2d(3, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True)]
    wide_in = width
    for stage in range(4):
        wide = width * 2**stage
        layers += [Block(wide_in, wide, 1 if stage == 0 else 2), Block(wide, wide, 1)]
        wide_in = wide
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(wide_in, classes))


class TextLstm(nn.Module):
    def __init__(self, vocabulary=1000, width=64, hidden=128):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.lstm = nn.LSTM(width, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 2)

    def forward(self, x):
        return self.head(self.lstm(self.embedding(x))[0][:, -1])


class FtTransformer(nn.Module):
    """Gorishniy et al. 2021: a token for each number, a cls token, pre-norm blocks, the head on the cls token."""

    def __init__(self, features=16, width=32, heads=4, blocks=2, classes=10):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(features, width) - 0.5)
        self.bias = nn.Parameter(torch.rand(features, width) - 0.5)
        self.cls = nn.Parameter(torch.rand(1, 1, width) - 0.5)
        block = nn.TransformerEncoderLayer(width, heads, 2 * width, 0.0, "relu", batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(block, blocks, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        tokens = x.unsqueeze(-1) * self.weight + self.bias
        tokens = torch.cat([self.cls.expand(len(x), -1, -1), tokens], 1)
        return self.head(F.relu(self.norm(self.blocks(tokens)[:, 0])))


NETS = {
    "digits": Case(32, noise(1761, 64), digits, sgd),
    "lenet": Case(64, noise(6400, 1, 28, 28), lenet, sgd),
    "resnet": Case(64, noise(1024, 3, 32, 32), resnet18, sgd),
    "lstm": Case(32, tokens(2048, 64, 1000), TextLstm, adamw),
    "tabular": Case(64, noise(4096, 16), FtTransformer, adamw),
}
