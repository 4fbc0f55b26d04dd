# SPDX-License-Identifier: Apache-2.0
"""Whole trainings by PyTorch: trainings.json, read by tests/unit/train/trainings_golden_test.cpp.

Each step takes all training examples, so the order of the examples plays no part. `settings` holds keys of the spec;
the functions below say the same in PyTorch's words. Each epoch has what a report of that epoch holds, the norm of the
gradient before it is clipped, and the rate of its step. `end` has the last weights, `average` those that were measured.
"""
import json
import pathlib

import torch
from torch import nn
from torch.optim import swa_utils

FOLDER = pathlib.Path(__file__).resolve().parents[1]
FEATURES, CLASSES, TRAIN, VAL, EPOCHS = 5, 3, 12, 7, 6
F = torch.nn.functional
PLAIN = [{"name": "fc", "op": "linear", "out": 4}, {"name": "act", "op": "tanh"},
         {"name": "head", "op": "linear", "out": CLASSES}]
NORMED = [PLAIN[0] | {"bias": False}, {"name": "bn", "op": "batchnorm"}] + PLAIN[1:]
SGD = {"op": "sgd", "lr": 0.5, "momentum": 0.9}
CYCLE = {"op": "one_cycle", "cycle_momentum": True}
WEIGHTS = [0.5, 1.0, 2.5]


def network(nodes):
    model = nn.Sequential()
    kinds = {"linear": lambda n: nn.Linear(FEATURES if n["name"] == "fc" else 4, n["out"], n.get("bias", True)),
             "tanh": lambda n: nn.Tanh(), "batchnorm": lambda n: nn.BatchNorm1d(4)}
    for node in nodes:
        model.add_module(node["name"], kinds[node["op"]](node))
    return model


def loss_of(settings):
    section = settings.get("loss", {})
    weights = section.get("class_weights")
    weight = None if weights is None else torch.tensor(weights)
    return lambda y, t: F.cross_entropy(y, t, weight, label_smoothing=section.get("label_smoothing", 0))


def is_exempt(name, kinds):
    return "bias" in kinds and name.endswith("bias") or "norm" in kinds and name.startswith("bn.")


def optimizer_of(settings, model):
    """One parameter group for each tensor that is trained: `groups` by the first match, `no_decay` by kind."""
    section = settings["optimizer"]
    parts = []
    for name, parameter in model.named_parameters():
        decay = 0 if is_exempt(name, section.get("no_decay", [])) else section.get("weight_decay", 0)
        group = next((g for g in section.get("groups", []) if name.startswith(g["match"] + ".")), {})
        if group.get("frozen"):
            parameter.requires_grad_(False)
            continue
        parts.append({"params": [parameter], "lr": section["lr"] * group.get("lr", 1),
                      "weight_decay": group.get("weight_decay", decay)})
    if section["op"] != "sgd":
        return {"adamw": torch.optim.AdamW, "adam": torch.optim.Adam}[section["op"]](parts, foreach=False)
    return torch.optim.SGD(parts, momentum=section["momentum"], foreach=False)


def schedule_of(settings, optimizer):
    section = settings.get("schedule", {"every": EPOCHS})
    if section.get("op") == "one_cycle":
        peaks = [group["lr"] for group in optimizer.param_groups]
        return torch.optim.lr_scheduler.OneCycleLR(optimizer, peaks, total_steps=EPOCHS)
    return torch.optim.lr_scheduler.StepLR(optimizer, section["every"], 0.5)


def averaged(settings, model):
    if "ema" in settings:
        return swa_utils.AveragedModel(model, multi_avg_fn=swa_utils.get_ema_multi_avg_fn(settings["ema"]["decay"]))
    return swa_utils.AveragedModel(model) if "swa" in settings else None


def is_averaged(swa, epoch):
    """Every nth epoch of those after the first `start` share, the first of them among them."""
    first = int(swa["start"] * EPOCHS) + 1
    return epoch >= first and (epoch - first) % swa.get("every", 1) == 0


def clipped(settings, parameters):
    if "clip_value" in settings:
        nn.utils.clip_grad_value_(parameters, settings["clip_value"])
    if "clip_norm" in settings:
        nn.utils.clip_grad_norm_(parameters, settings["clip_norm"])


def accuracy(output, labels):
    return float((output.argmax(1) == labels).double().mean())


def trained(nodes, settings, start, train, val):
    model, loss = network(nodes), loss_of(settings)
    model.load_state_dict(start, strict=False)
    optimizer = optimizer_of(settings, model)
    schedule = schedule_of(settings, optimizer)
    average, measured, epochs = averaged(settings, model), model, []
    for epoch in range(1, EPOCHS + 1):
        model.train()
        optimizer.zero_grad()
        output = model(train[0])
        value = loss(output, train[1])
        value.backward()
        parameters = [p for p in model.parameters() if p.requires_grad]
        norm = torch.cat([p.grad.reshape(-1) for p in parameters]).norm()
        clipped(settings, parameters)
        lr = schedule.get_last_lr()[0]
        optimizer.step()
        schedule.step()
        if "ema" in settings or "swa" in settings and is_averaged(settings["swa"], epoch):
            average.update_parameters(model)
            measured = average.module
            if "swa" in settings:
                swa_utils.update_bn([train[0]], average)
        measured.eval()
        with torch.no_grad():
            seen = measured(val[0])
        epochs.append({"train.loss": float(value.detach()), "train.accuracy": accuracy(output, train[1]),
                       "val.loss": float(loss(seen, val[1])), "val.accuracy": accuracy(seen, val[1]),
                       "grad_norm": float(norm), "lr": lr})
    case = {"settings": settings, "nodes": nodes, "epochs": epochs, "end": plain(model.state_dict())}
    return case | ({"average": plain(measured.state_dict())} if measured is not model else {})


def plain(state):
    return {name: value.double().reshape(-1).tolist() for name, value in state.items() if value.is_floating_point()}


CASES = [
    (PLAIN, {"optimizer": SGD}),
    (PLAIN, {"optimizer": SGD, "ema": {"decay": 0.8}}),
    (NORMED, {"optimizer": SGD, "ema": {"decay": 0.95}}),
    (NORMED, {"optimizer": SGD, "swa": {"start": 0.34}}),
    (NORMED, {"optimizer": SGD, "swa": {"start": 0.34, "every": 2}}),
    (PLAIN, {"optimizer": SGD, "clip_norm": 0.1}),
    (PLAIN, {"optimizer": SGD | {"groups": [{"match": "fc", "frozen": True}]}, "clip_norm": 0.1}),
    (PLAIN, {"optimizer": SGD, "clip_value": 0.03}),
    (PLAIN, {"optimizer": SGD, "clip_value": 0.03, "clip_norm": 0.06}),
    (NORMED, {"optimizer": SGD | {"weight_decay": 0.05, "no_decay": ["bias"]}}),
    (NORMED, {"optimizer": SGD | {"weight_decay": 0.05, "no_decay": ["norm"]}}),
    (NORMED, {"optimizer": {"op": "adamw", "lr": 0.1, "weight_decay": 0.5, "no_decay": ["bias", "norm"],
                            "groups": [{"match": "head", "lr": 0.3, "weight_decay": 0.2}]},
              "schedule": {"op": "step", "every": 2, "gamma": 0.5}}),
    (PLAIN, {"optimizer": SGD, "schedule": {"op": "step", "every": 2, "gamma": 0.5}}),
    (PLAIN, {"optimizer": SGD, "schedule": CYCLE}),
    (PLAIN, {"optimizer": {"op": "adam", "lr": 0.1, "weight_decay": 0.1}, "schedule": CYCLE}),
    (PLAIN, {"optimizer": SGD, "loss": {"op": "cross_entropy", "class_weights": WEIGHTS, "label_smoothing": 0.1}}),
    (PLAIN, {"optimizer": SGD, "batch_size": 5, "accumulate": 3}),
    (PLAIN, {"optimizer": SGD, "batch_size": 5, "accumulate": 3, "clip_norm": 0.1, "ema": {"decay": 0.8},
             "loss": {"op": "cross_entropy", "class_weights": WEIGHTS}}),
]


def write_files():
    source = torch.Generator().manual_seed(12)
    inputs = torch.randn(TRAIN + VAL, FEATURES, generator=source)
    labels = torch.randint(0, CLASSES, (TRAIN + VAL,), generator=source)
    start = {name: torch.randn(value.shape, generator=source) * 0.7
             for name, value in network(PLAIN).state_dict().items()}
    train, val = (inputs[:TRAIN], labels[:TRAIN]), (inputs[TRAIN:], labels[TRAIN:])
    cases = [trained(nodes, settings, start, train, val) for nodes, settings in CASES]
    value = {"inputs": inputs.tolist(), "labels": labels.tolist(), "train": TRAIN, "start": plain(start),
             "cases": cases}
    text = json.dumps(value, separators=(",", ":")).replace('{"settings"', '\n{"settings"')
    (FOLDER / "trainings.json").write_text(text + "\n")
