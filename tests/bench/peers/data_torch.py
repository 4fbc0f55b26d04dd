# SPDX-License-Identifier: Apache-2.0
"""data_torch.py jpeg|cifar|csv PATH EPOCHS: seconds of CPU from files to the last batch with torchvision, pandas and a DataLoader,
the same work as tests/bench/bench_data.py gives dlrun, in one process on one thread."""
import sys
import time
from pathlib import Path

import torch

torch.set_num_threads(1)
torch.manual_seed(1)
BATCH = 128


def jpeg(path):
    from torchvision import datasets, transforms
    steps = transforms.Compose([
        transforms.Resize(64), transforms.CenterCrop(64), transforms.RandomHorizontalFlip(),
        transforms.RandomCrop(64, padding=4), transforms.ToTensor(),
        transforms.Normalize([0.5, 0.5, 0.5], [0.25, 0.25, 0.25])])
    return datasets.ImageFolder(path, steps)


class Cifar(torch.utils.data.Dataset):
    """As torchvision.datasets.CIFAR10: arrays in memory, an image of each when it is asked for."""

    def __init__(self, path):
        from torchvision import transforms
        import numpy as np
        records = np.concatenate([np.fromfile(Path(path) / f"data_batch_{i}.bin", np.uint8).reshape(-1, 3073)
                                  for i in range(1, 6)])
        self.labels = records[:, 0].astype(int)
        self.pixels = np.ascontiguousarray(records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1))
        self.steps = transforms.Compose([
            transforms.RandomCrop(32, padding=4), transforms.RandomHorizontalFlip(), transforms.ToTensor(),
            transforms.Normalize([0.5, 0.5, 0.5], [0.25, 0.25, 0.25])])

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, row):
        from PIL import Image
        return self.steps(Image.fromarray(self.pixels[row])), self.labels[row]


def table(path):
    """Categories one-hot, numbers standardised, float32."""
    import pandas as pd
    frame = pd.read_csv(path)
    labels = torch.from_numpy(frame.pop("y").astype("category").cat.codes.to_numpy().astype("int64"))
    numbers = frame.select_dtypes("number").columns
    frame[numbers] = (frame[numbers] - frame[numbers].mean()) / frame[numbers].std(ddof=0)
    inputs = torch.from_numpy(pd.get_dummies(frame).to_numpy(dtype="float32", copy=True))
    return torch.utils.data.TensorDataset(inputs, labels)


def main():
    kind, path, epochs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    import torchvision, pandas, PIL  # noqa: E401,F401 - their start-up is not what is measured
    begin = time.process_time()
    examples = {"jpeg": jpeg, "cifar": Cifar, "csv": table}[kind](path)
    total = float(len(examples))
    for _ in range(epochs):
        for inputs, _ in torch.utils.data.DataLoader(examples, BATCH, shuffle=True):
            total += float(inputs.sum())
    print(f"sum {total:.3f} seconds {time.process_time() - begin:.4f}")


main()
