#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the images beside it and expected.json: SHA-256 of their pixels as Pillow reads and resizes them.

Needs Pillow and numpy. Shapes and colours are arithmetic, so that the files come out alike.
"""
import hashlib
import json
from pathlib import Path

import numpy as np
from PIL import Image

HERE = Path(__file__).resolve().parent


def picture(height, width):
    y, x = np.mgrid[0:height, 0:width]
    return np.stack([x * 255 // (width - 1), y * 255 // (height - 1), (x * 7 + y * 13) % 256], axis=2).astype(np.uint8)


def digest(image):
    return hashlib.sha256(np.asarray(image).tobytes()).hexdigest()


def centre(image, size):
    height, width = size
    top, left = (int(round((image.height - height) / 2)), int(round((image.width - width) / 2)))
    return image.crop((left, top, left + width, top + height))


def resized(image, size):
    """Rows first, then columns: some versions of Pillow turn that round where it is cheaper, one level apart at most."""
    height, width = size
    return image.resize((width, image.height), Image.Resampling.BILINEAR).resize((width, height), Image.Resampling.BILINEAR)


def covering(image, size):
    """torchvision's Resize and CenterCrop, for any target: the longer side rounded down."""
    height, width = size
    tall = height * image.width >= width * image.height
    new = (height, height * image.width // image.height) if tall else (width * image.height // image.width, width)
    return centre(resized(image, new), size)


def main():
    rgb = Image.fromarray(picture(21, 34))
    rgb.save(HERE / "rgb.jpg", quality=90)
    rgb.save(HERE / "progressive.jpg", quality=90, progressive=True, subsampling=0)
    rgb.convert("L").save(HERE / "grey.jpg", quality=90)
    rgb.save(HERE / "rgb.png")
    rgb.quantize(16).save(HERE / "palette.png")
    rgb.convert("1").save(HERE / "one_bit.png")
    alpha = rgb.convert("RGBA")
    alpha.putalpha(Image.fromarray(picture(21, 34)[:, :, 0]))
    alpha.save(HERE / "alpha.png")
    rgb.convert("LA").save(HERE / "grey_alpha.png")
    Image.fromarray((picture(21, 34)[:, :, 0].astype(np.uint16) * 257)).save(HERE / "sixteen.png")
    rgb.convert("CMYK").save(HERE / "cmyk.jpg")
    rgb.save(HERE / "animated.png", save_all=True, append_images=[rgb.rotate(90)])
    expected = {}
    for name in ("rgb.jpg", "progressive.jpg", "grey.jpg", "rgb.png", "palette.png", "one_bit.png", "alpha.png",
                 "grey_alpha.png"):
        image = Image.open(HERE / name)
        colour = image.convert("RGB")
        expected[name] = {
            "rgb": digest(colour),
            "grey": digest(image.convert("L") if image.mode in ("L", "1") else colour.convert("L")),
            "stretch 9 x 50": digest(resized(colour, (9, 50))),
            "crop 8 x 8": digest(covering(colour, (8, 8))),
            "crop 40 x 13": digest(covering(colour, (40, 13))),
        }
    (HERE / "expected.json").write_text(json.dumps(expected, indent=1, sort_keys=True) + "\n")


main()
