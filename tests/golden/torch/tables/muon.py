# SPDX-License-Identifier: Apache-2.0
"""Muon by torch.optim.Muon, and AdamW for the tensors that are no hidden matrices: muon.json, read by
tests/unit/train/muon_test.cpp.

PyTorch orthogonalises in bfloat16. `end` has its code run in float32 instead, as dlrun does; `bfloat16` has it as it is.
A convolution's weights are given to PyTorch as a matrix with a row for each output channel.
"""
import contextlib
import json
import math
import pathlib
from unittest import mock

import torch

FOLDER = pathlib.Path(__file__).resolve().parents[1]
HIDDEN = [(4, 6), (7, 3), (3, 2, 2, 2)]
OTHER = [(5,)]
STEPS = 20
CASES = [
    {"op": "muon", "lr": 0.02},
    {"op": "muon", "lr": 0.05, "momentum": 0.8, "nesterov": False, "weight_decay": 0.0},
    {"op": "muon", "lr": 0.02, "adamw_lr": 0.1, "betas": [0.8, 0.95], "eps": 0.01, "weight_decay": 0.3},
]


def optimizers_of(config, hidden, other):
    decay = config.get("weight_decay", 0.1)
    muon = torch.optim.Muon(hidden, lr=config["lr"], weight_decay=decay, momentum=config.get("momentum", 0.95),
                            nesterov=config.get("nesterov", True), adjust_lr_fn="original")
    adamw = torch.optim.AdamW(other, lr=config["lr"] * config.get("adamw_lr", 1), weight_decay=decay, foreach=False,
                              betas=config.get("betas", (0.9, 0.999)), eps=config.get("eps", 1e-8))
    return [muon, adamw]


def trained(config, start, pushes):
    """The second half of the steps is taken at half the rate, as with a schedule."""
    tensors = [torch.tensor(t, requires_grad=True) for t in start]
    optimizers = optimizers_of(config, tensors[:len(HIDDEN)], tensors[len(HIDDEN):])
    for step in range(STEPS):
        for tensor, push in zip(tensors, pushes[step]):
            tensor.grad = 0.5 * tensor.detach() + torch.tensor(push)
        for optimizer in optimizers:
            if step == STEPS // 2:
                optimizer.param_groups[0]["lr"] /= 2
            optimizer.step()
    return numbers(tensors)


def numbers(tensors):
    return [float(v) for t in tensors for v in torch.as_tensor(t).detach().reshape(-1)]


def write_files():
    generator = torch.Generator().manual_seed(9)
    sizes = [(size[0], math.prod(size[1:])) for size in HIDDEN] + OTHER
    draw = lambda: [torch.randn(size, generator=generator).tolist() for size in sizes]
    start, pushes = draw(), [draw() for _ in range(STEPS)]
    in_float32 = lambda: mock.patch.object(torch.Tensor, "bfloat16", torch.Tensor.clone)
    cases = []
    for config in CASES:
        case = {"config": config}
        for name, form in (("end", in_float32), ("bfloat16", contextlib.nullcontext)):
            with form():
                case[name] = trained(config, start, pushes)
        cases.append(case)
    text = json.dumps({"rows": [size[0] for size in HIDDEN] + [0] * len(OTHER), "sizes": [math.prod(s) for s in sizes],
                       "start": numbers(start), "pushes": [numbers(push) for push in pushes], "cases": cases},
                      separators=(",", ":"))
    (FOLDER / "muon.json").write_text(text.replace('{"config"', '\n{"config"') + "\n")
    print(f"muon.json: {len(cases)} cases")
