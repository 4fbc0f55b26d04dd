# SPDX-License-Identifier: Apache-2.0
"""Colour steps and rotation by torchvision: colour.json, read by tests/unit/data/colour_golden_test.cpp.

Needs torchvision beside torch. `DRAWS` holds what the stream of a seed yields, which the test compares with its own:
the order of the four changes and a number from 0 to 1 for each, or the first number alone. torchvision's ColorJitter
draws each factor from the range that the step's own key sets, as `factor` below does.
"""
import importlib.util
import json
import pathlib

import torch

FOLDER = pathlib.Path(__file__).resolve().parents[1]
CHANGES = ("brightness", "contrast", "saturation", "hue")
DRAWS = [
    (0, (1, 3, 2, 0), (0.072976999857783609, 0.39878051451951702, 0.60635296035000963, 0.41283600369380902),
     0.098642749778303229),
    (1, (2, 0, 3, 1), (0.75927167193710865, 0.7421032880390015, 0.69950522199871024, 0.34659919355938806),
     0.37313497741009594),
    (3, (0, 2, 3, 1), (0.28781978803258623, 0.93075115674854303, 0.13087391968651063, 0.17119743439455404),
     0.26430904172403447),
    (5, (3, 0, 1, 2), (0.21056679240406573, 0.083176464639802994, 0.81205339308941715, 0.38315190731188353),
     0.70569522933893103),
]
STEPS = [{"op": "colour", "brightness": 0.8}, {"op": "colour", "contrast": 0.8}, {"op": "colour", "saturation": 1.4},
         {"op": "colour", "hue": 0.5}, {"op": "colour", "brightness": 0.4, "contrast": 1.3, "saturation": 0.7, "hue": 0.2},
         {"op": "grayscale", "p": 0.3}, {"op": "rotate", "degrees": 90}]


def factor(name, most, drawn):
    low, high = (-most, most) if name == "hue" else (max(0, 1 - most), 1 + most)
    return low + drawn * (high - low)


def changed(image, step, order, drawn, first):
    import torchvision.transforms.functional as F
    if step["op"] == "grayscale":
        return F.rgb_to_grayscale(image, 3) if first < step["p"] else image
    if step["op"] == "rotate":
        return F.rotate(image, (2 * first - 1) * step["degrees"])
    for number in order:
        name = CHANGES[number]
        if step.get(name):
            image = getattr(F, f"adjust_{name}")(image, factor(name, step[name], drawn[number]))
    return image


def write_files():
    if not importlib.util.find_spec("torchvision"):
        print("colour.json stays as it is: this Python has no torchvision")
        return
    source = torch.Generator().manual_seed(3)
    image = torch.rand(3, 4, 5, generator=source)
    image[:, 0, 0] = 0.5  # a grey pixel has no hue
    cases = [{"step": step, "seed": seed, "order": order, "drawn": drawn, "first": first,
              "end": changed(image, step, order, drawn, first).reshape(-1).tolist()}
             for step in STEPS for seed, order, drawn, first in DRAWS]
    value = {"shape": list(image.shape), "image": image.reshape(-1).tolist(), "cases": cases}
    text = json.dumps(value, separators=(",", ":")).replace('{"step"', '\n{"step"')
    (FOLDER / "colour.json").write_text(text + "\n")
