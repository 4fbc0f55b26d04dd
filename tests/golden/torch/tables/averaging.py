# SPDX-License-Identifier: Apache-2.0
"""Stochastic weight averaging by torch.optim.swa_utils: averaging.json, read by tests/unit/train/averaging_test.cpp.

`model`: the states of a network at the end of four epochs, the batches its statistics are renewed over, and what
AveragedModel and update_bn make of them. `rates`: a cosine by steps, left for SWALR at the end of an epoch.
"""
import json
import pathlib

import torch
from torch import nn
from torch.optim import lr_scheduler, swa_utils

FOLDER = pathlib.Path(__file__).resolve().parents[1]
LR, EPOCHS, STEPS_PER_EPOCH = 0.4, 8, 3


def plain(state):
    return {name: {"shape": list(value.shape), "values": value.double().reshape(-1).tolist()}
            for name, value in state.items()}


def network():
    names = {"fc": nn.Linear(3, 4, bias=False), "bn": nn.BatchNorm1d(4), "act": nn.Tanh(), "head": nn.Linear(4, 2)}
    model = nn.Sequential()
    for name, module in names.items():
        model.add_module(name, module)
    return model


def averaged():
    source = torch.Generator().manual_seed(4)
    model = network()
    average = swa_utils.AveragedModel(model)
    states = []
    for epoch in range(4):
        for value in model.state_dict().values():
            if value.is_floating_point():
                value.copy_(torch.rand(value.shape, generator=source) + 0.1)
            else:
                value.fill_(3 * (epoch + 1))
        states.append(plain(model.state_dict()))
        average.update_parameters(model)
    batches = [torch.randn(size, 3, generator=source) for size in (5, 5, 2)]
    swa_utils.update_bn(batches, average)
    return {"states": states, "batches": [batch.tolist() for batch in batches], "end": plain(average.module.state_dict())}


def rates(before, lr, anneal_epochs, strategy):
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=LR)
    curve = lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS * STEPS_PER_EPOCH)
    result, swa = [], None
    for epoch in range(EPOCHS):
        if epoch == before:
            swa = swa_utils.SWALR(optimizer, lr, anneal_epochs, strategy)
        if swa and anneal_epochs > 0:
            swa.step()
        for _ in range(STEPS_PER_EPOCH):
            result.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            if not swa:
                curve.step()
    return {"swa": {"start": before / EPOCHS, "lr": lr, "anneal_epochs": anneal_epochs, "anneal_strategy": strategy},
            "lr": result}


def write_files():
    cases = [rates(4, 0.05, 3, "cos"), rates(4, 0.05, 3, "linear"), rates(2, 0.6, 10, "cos"), rates(6, 0.01, 0, "linear")]
    value = {"model": averaged(), "epochs": EPOCHS, "steps_per_epoch": STEPS_PER_EPOCH, "lr": LR, "rates": cases}
    (FOLDER / "averaging.json").write_text(json.dumps(value, separators=(",", ":")).replace('{"swa"', '\n{"swa"') + "\n")
