# SPDX-License-Identifier: Apache-2.0
"""examples/cifar in PyTorch: torch_cifar.py FOLDER SEED EPOCHS LIMIT. FOLDER holds train/<class>/* and test/<class>/*.

Prints the accuracy on the test images of the epoch that did best on the tenth of the training images held out."""
import copy
import random
import sys
from pathlib import Path

import numpy
import torch
from PIL import Image
from torch.nn import functional as F

from torch_nets import resnet18

BATCH = 128


def images(folder, limit, seed):
    """(pixels N x 3 x 32 x 32 in 0..1, labels N): every class with its share of the limit, in random order."""
    chosen = []
    classes = sorted(p for p in folder.iterdir() if p.is_dir())
    for label, place in enumerate(classes):
        files = sorted(place.iterdir())
        random.Random(f"{seed} {label}").shuffle(files)
        chosen += [(file, label) for file in files[: limit // len(classes)]]
    random.Random(seed).shuffle(chosen)
    pixels = numpy.stack([numpy.asarray(Image.open(file).convert("RGB")) for file, _ in chosen])
    return torch.from_numpy(pixels).permute(0, 3, 1, 2).float() / 255, torch.tensor([label for _, label in chosen])


def augmented(batch, mean, std):
    """Filled with black, as where RandomCrop stands before Normalize."""
    flipped = torch.where((torch.rand(len(batch), 1, 1, 1) < 0.5), batch.flip(3), batch)
    padded = F.pad(flipped, (4, 4, 4, 4))
    corners = torch.randint(9, (len(batch), 2)).tolist()
    cropped = torch.stack([image[:, y : y + 32, x : x + 32] for image, (y, x) in zip(padded, corners)])
    return (cropped - mean) / std


@torch.no_grad()
def accuracy(net, x, y):
    net.eval()
    right = sum((net(x[i : i + 500]).argmax(1) == y[i : i + 500]).sum().item() for i in range(0, len(x), 500))
    return right / len(x)


def train_epoch(net, optimizer, schedule, x, y, scale):
    net.train()
    for rows in torch.randperm(len(x)).split(BATCH):
        optimizer.zero_grad()
        F.cross_entropy(net(augmented(x[rows], *scale)), y[rows]).backward()
        optimizer.step()
        schedule.step()


def main():
    folder, seed, epochs, limit = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    torch.manual_seed(seed)
    x, y = images(folder / "train", limit, seed)
    held = limit // 10
    mean, std = x[held:].mean((0, 2, 3), keepdim=True), x[held:].std((0, 2, 3), keepdim=True)
    net = resnet18(16)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)
    steps = epochs * -(-(limit - held) // BATCH)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    best, kept = -1.0, None
    for _ in range(epochs):
        train_epoch(net, optimizer, schedule, x[held:], y[held:], (mean, std))
        reached = accuracy(net, (x[:held] - mean) / std, y[:held])
        if reached > best:
            best, kept = reached, copy.deepcopy(net.state_dict())
    net.load_state_dict(kept)
    test_x, test_y = images(folder / "test", 10**6, seed)
    print(accuracy(net, (test_x - mean) / std, test_y))


main()
