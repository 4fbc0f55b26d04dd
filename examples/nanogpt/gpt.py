#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a small GPT to predict the next character of a text, and prints its validation loss after each epoch.

    python3 gpt.py --text ../text/data/devils-dictionary.txt.gz --lr 0.003 --layers 2 --dropout 0.1

Losses are in nats per character. The last tenth of the text is for validation.
"""
import argparse
import gzip

import torch
from torch import nn
from torch.nn import functional

CONTEXT, WIDTH, HEADS, BATCH = 64, 64, 4, 16   # characters, channels, attention heads, windows


class Block(nn.Module):
    """Attention to earlier characters, then two dense layers; both are added to their input. [B, T, C] -> [B, T, C]"""

    def __init__(self, dropout):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.dense = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))
        self.dropout = nn.Dropout(dropout)

    def attend(self, x):
        q, k, v = (part.unflatten(2, (HEADS, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=2))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).flatten(2))

    def forward(self, x):
        x = x + self.dropout(self.attend(self.norm1(x)))
        return x + self.dropout(self.dense(self.norm2(x)))


class Gpt(nn.Module):
    """Characters [B, T] -> logits of the character after each of them [B, T, alphabet]."""

    def __init__(self, alphabet, layers, dropout):
        super().__init__()
        self.characters, self.places = nn.Embedding(alphabet, WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.Sequential(*[Block(dropout) for _ in range(layers)], nn.LayerNorm(WIDTH))
        self.head = nn.Linear(WIDTH, alphabet)

    def forward(self, text):
        x = self.characters(text) + self.places(torch.arange(text.shape[1]))
        return self.head(self.blocks(self.dropout(x)))


def windows(text, starts):
    """Inputs and targets [B, CONTEXT] of the windows that begin at `starts` [B]."""
    rows = text[starts[:, None] + torch.arange(CONTEXT + 1)]
    return rows[:, :-1], rows[:, 1:]


def loss(model, batch):
    inputs, targets = batch
    return functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())


def train_epoch(model, optimizer, text, steps):
    model.train()
    for _ in range(steps):
        optimizer.zero_grad()
        loss(model, windows(text, torch.randint(len(text) - CONTEXT, (BATCH,)))).backward()
        optimizer.step()


@torch.no_grad()
def validate(model, text):
    model.eval()
    starts = torch.arange(0, len(text) - CONTEXT, 4 * CONTEXT)
    return sum(loss(model, windows(text, part)).item() * len(part) for part in starts.split(256)) / len(starts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--text", required=True, help="a gzipped text")
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--steps", type=int, default=100, help="of the optimizer in an epoch")
    options = parser.parse_args()

    torch.manual_seed(1)
    raw = gzip.open(options.text, "rt").read()
    number = {character: n for n, character in enumerate(sorted(set(raw)))}
    text = torch.tensor([number[character] for character in raw])
    end = len(text) * 9 // 10
    model = Gpt(len(number), options.layers, options.dropout)
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.lr)
    for epoch in range(1, options.epochs + 1):
        train_epoch(model, optimizer, text[:end], options.steps)
        print(f"epoch {epoch}: validation loss {validate(model, text[end:]):.4f}")


if __name__ == "__main__":
    main()
