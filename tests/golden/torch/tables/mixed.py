# SPDX-License-Identifier: Apache-2.0
"""Small nets in mixed precision: forward under torch.autocast, backward outside of it, weights in float32."""
import torch
from torch import nn
from torch.nn import functional as F

from sequences import Encoder, model

TYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.bn1, self.head = nn.Linear(12, 24), nn.BatchNorm1d(24), nn.Linear(24, 5)

    def forward(self, x):
        return self.head(F.relu(self.bn1(self.fc1(x))))


class Convolutional(nn.Module):
    """A residual block between two convolutions."""

    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(2, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8)
        self.conv2, self.fc = nn.Conv2d(8, 8, 3, padding=1), nn.Linear(8 * 3 * 3, 4)

    def forward(self, x):
        x = F.gelu(self.bn1(self.conv1(x)))
        x = F.max_pool2d(x + self.conv2(x), 2)
        return self.fc(torch.flatten(x, 1))


class Attentive(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.block = nn.Linear(3, 8), Encoder(8, 2, 12, activation="gelu", norm_first=True)
        self.norm, self.fc = nn.LayerNorm(8), nn.Linear(8, 5)

    def forward(self, x):
        return self.fc(self.norm(self.block(self.embedding(x))).mean(1))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.fc = nn.LSTM(3, 6, batch_first=True), nn.Linear(6, 5)

    def forward(self, x):
        return self.fc(self.lstm(x)[0][:, -1])


def node(name, op, **attributes):
    return {"name": name, "op": op, **attributes}


NETS = [
    (Mlp, [12], [node("fc1", "linear", out=24, bias=True), node("bn1", "batchnorm"), node("r", "relu"),
                 node("head", "linear", out=5)]),
    (Convolutional, [2, 6, 6], [node("conv1", "conv2d", out=8, k=3, pad=1, bias=False), node("bn1", "batchnorm"),
                                node("g", "gelu"), node("conv2", "conv2d", out=8, k=3, pad=1),
                                node("s", "add", **{"from": ["g", "conv2"]}), node("p", "maxpool", k=2),
                                node("f", "flatten"), node("fc", "linear", out=4)]),
    (Attentive, [7, 3], [node("embedding", "linear", out=8),
                         node("block", "transformer_encoder_layer", heads=2, feedforward=12, dropout=0.0,
                              activation="gelu", norm_first=True),
                         node("norm", "layernorm"), node("pool", "sequence_pool", mode="mean"),
                         node("fc", "linear", out=5)]),
    (Recurrent, [7, 3], [node("lstm", "lstm", hidden=6, output="last"), node("fc", "linear", out=5)]),
]


def under(dtype):
    def call(module, *inputs):
        with torch.autocast("cpu", dtype):
            return module(*inputs).float()
    return call


def cases():
    for precision, dtype in TYPES.items():
        for make, shape, nodes in NETS:
            if make is Recurrent and dtype is torch.float16:
                continue  # PyTorch has no such LSTM on the CPU
            name = f"{make.__name__} {precision}"
            about, tensors = model(name, nodes, make, {"x": shape}, under(dtype), batch=8)
            with torch.no_grad():  # how far the type alone is from float32: what the test must stay well below
                whole = make()
                whole.load_state_dict({key[6:]: value for key, value in tensors.items() if key.startswith("state/")})
                tensors["fp32"] = whole(tensors["in/x"])
            yield about | {"precision": precision}, tensors
