# SPDX-License-Identifier: Apache-2.0
"""Sequences, attention and graphs. What torch.nn lacks (graph attention, tokens of features) is written out from the
paper's formula."""
import math
from functools import partial

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

import cases as any_batch

layer, model = partial(any_batch.layer, batch=3), partial(any_batch.model, batch=3)
TEXT, SERIES, TOKENS = {"shape": [7], "vocabulary": 11}, [7, 5], [7, 8]
LENGTHS = [7, 3, 5]


def mask(length=7):
    """1 where a position is real, for three sequences of different lengths."""
    return (torch.arange(length) < torch.tensor(LENGTHS).clamp(max=length)[:, None]).float()


def embeddings():
    yield layer(dict(op="embedding", out=6), lambda: nn.Embedding(11, 6), TEXT)
    yield layer(dict(op="embedding", out=6, padding_idx=2), lambda: nn.Embedding(11, 6, padding_idx=2), TEXT)
    yield layer(dict(op="embedding", out=4, num_embeddings=20), lambda: nn.Embedding(20, 4), TEXT)
    yield layer(dict(op="padding_mask", index=2), lambda x: (x != 2).float(), TEXT)
    yield layer(dict(op="padding_mask", before=1), lambda x: F.pad((x != 0).float(), (1, 0), value=1.0), TEXT)


class Learned(nn.Module):
    def __init__(self, *shape):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(*shape))

    def forward(self, x):
        return x + self.weight


def sinusoids(x):
    """The table of pytorch.org/tutorials/beginner/transformer_tutorial."""
    length, width = x.shape[1:]
    position = torch.arange(length).unsqueeze(1)
    step = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
    table = torch.zeros(length, width)
    table[:, 0::2] = torch.sin(position * step)
    table[:, 1::2] = torch.cos(position * step)
    return x + table


def positions():
    yield layer(dict(op="positional_encoding"), lambda x: sinusoids(x), TOKENS)
    yield layer(dict(op="positional_encoding", kind="learned"), lambda: Learned(7, 8), TOKENS)


def recurrent(kind):
    """nn.LSTM or nn.GRU that gives its output alone; with a mask, of packed sequences."""

    class Recurrent(kind):
        def __init__(self, *sizes, last=False, **options):
            super().__init__(*sizes, batch_first=True, **options)
            self.last = last

        def forward(self, x, mask=None):
            if mask is not None:
                x = pack_padded_sequence(x, mask.sum(1).long(), batch_first=True, enforce_sorted=False)
            out, state = super().forward(x)
            if self.last:
                hidden = state[0] if isinstance(state, tuple) else state
                return torch.cat(list(hidden[-2 if self.bidirectional else -1:]), 1)
            return out if mask is None else pad_packed_sequence(out, batch_first=True)[0]

    return Recurrent


def recurrents():
    for op, kind in (("lstm", recurrent(nn.LSTM)), ("gru", recurrent(nn.GRU))):
        node = dict(op=op, hidden=4)
        yield layer(node, lambda: kind(5, 4), SERIES)
        yield layer(node | dict(bias=False, output="last"), lambda: kind(5, 4, bias=False, last=True), SERIES)
        two = node | dict(layers=2, bidirectional=True)
        yield layer(two, lambda: kind(5, 4, 2, bidirectional=True), SERIES)
        yield layer(two | dict(output="last"), lambda: kind(5, 4, 2, bidirectional=True, last=True), SERIES)
        yield layer(node, lambda: kind(5, 4), SERIES, mask())
        yield layer(two, lambda: kind(5, 4, 2, bidirectional=True), SERIES, mask())
        yield layer(two | dict(output="last"), lambda: kind(5, 4, 2, bidirectional=True, last=True), SERIES, mask())


def later(length):
    return torch.ones(length, length, dtype=torch.bool).triu(1)


class Attention(nn.MultiheadAttention):
    """Self-attention of x, or of x to `other`, which `mask` hides parts of."""

    def __init__(self, *sizes, causal=False, cross=False, **options):
        super().__init__(*sizes, batch_first=True, **options)
        self.causal, self.cross = causal, cross

    def forward(self, x, *rest):
        other = rest[0] if self.cross else x
        hidden = rest[-1] == 0 if len(rest) > self.cross else None
        return super().forward(x, other, other, key_padding_mask=hidden, need_weights=False,
                               attn_mask=later(x.shape[1]) if self.causal else None)[0]


def attentions():
    node = dict(op="multi_head_attention", heads=2)
    yield layer(node, lambda: Attention(8, 2), TOKENS)
    yield layer(node | dict(bias=False), lambda: Attention(8, 2, bias=False), TOKENS)
    yield layer(node | dict(causal=True), lambda: Attention(8, 2, causal=True), TOKENS)
    yield layer(node, lambda: Attention(8, 2), TOKENS, mask())
    yield layer(node | dict(causal=True), lambda: Attention(8, 2, causal=True), TOKENS, mask())
    yield layer(node, lambda: Attention(8, 2, cross=True), TOKENS, [5, 8])
    yield layer(node, lambda: Attention(8, 2, cross=True), [4, 8], TOKENS, mask())


def turned(x, base):
    """Rotary positions of [B, heads, L, d] as products of complex numbers."""
    half = x.shape[-1] // 2
    angle = torch.outer(torch.arange(x.shape[2]).double(), base ** (-torch.arange(half).double() / half)).float()
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], half, 2).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angle), angle)).flatten(-2)


class Rotary(nn.MultiheadAttention):
    """Self-attention with rotary positions, which nn.MultiheadAttention lacks."""

    def __init__(self, *sizes, base, causal=False, **options):
        super().__init__(*sizes, batch_first=True, **options)
        self.base, self.causal = base, causal

    def forward(self, x, mask=None):
        q, k, v = (part.unflatten(2, (self.num_heads, self.head_dim)).transpose(1, 2)
                   for part in F.linear(x, self.in_proj_weight, self.in_proj_bias).chunk(3, 2))
        seen = None if mask is None else mask.bool()[:, None, None, :]
        out = F.scaled_dot_product_attention(turned(q, self.base), turned(k, self.base), v, seen, is_causal=self.causal)
        return self.out_proj(out.transpose(1, 2).flatten(2))


def rotaries():
    node = dict(op="multi_head_attention", heads=2, rotary=10000)
    yield layer(node, lambda: Rotary(8, 2, base=10000.0), TOKENS)
    yield layer(node, lambda: Rotary(8, 2, base=10000.0), TOKENS, mask())
    yield layer(node | dict(causal=True, rotary=10), lambda: Rotary(8, 2, base=10.0, causal=True), TOKENS)
    encoder = dict(op="transformer_encoder_layer", heads=2, feedforward=12, dropout=0.0, rotary=100)
    yield layer(encoder, lambda: RotaryEncoder(8, 2, 12), TOKENS)


class Encoder(nn.TransformerEncoderLayer):
    def __init__(self, *sizes, causal=False, **options):
        super().__init__(*sizes, dropout=0.0, batch_first=True, **options)
        self.causal = causal

    def forward(self, x, mask=None):
        return super().forward(x, later(x.shape[1]) if self.causal else None,
                               None if mask is None else mask == 0)


class RotaryEncoder(Encoder):
    def __init__(self, *sizes):
        super().__init__(*sizes)
        self.self_attn = Rotary(*sizes[:2], base=100.0)

    def forward(self, x):
        x = self.norm1(x + self.self_attn(x))
        return self.norm2(x + self._ff_block(x))


class Decoder(nn.TransformerDecoderLayer):
    def __init__(self, *sizes, causal=True, masks=(), **options):
        super().__init__(*sizes, dropout=0.0, batch_first=True, **options)
        self.causal, self.masks = causal, masks

    def forward(self, x, *rest):
        rest = list(rest)
        hidden = rest.pop(0) == 0 if "own" in self.masks else None
        memory = rest.pop(0)
        return super().forward(x, memory, later(x.shape[1]) if self.causal else None, None, hidden,
                               rest[0] == 0 if "memory" in self.masks else None)


def stack(block, count):
    """Blocks under the names that nn.TransformerEncoder gives them."""
    whole = nn.Module()
    whole.layers = nn.ModuleList(block() for _ in range(count))
    return whole


def run_stack(whole, *inputs):
    x = inputs[0]
    for block in whole.layers:
        x = block(x, *inputs[1:])
    return x


def blocks():
    node = dict(op="transformer_encoder_layer", heads=2, feedforward=12, dropout=0.0)
    yield layer(node, lambda: Encoder(8, 2, 12), TOKENS)
    yield layer(node | dict(activation="gelu", norm_first=True),
                lambda: Encoder(8, 2, 12, activation="gelu", norm_first=True), TOKENS)
    yield layer(node | dict(activation="silu", eps=1e-3),
                lambda: Encoder(8, 2, 12, activation=F.silu, layer_norm_eps=1e-3), TOKENS)
    yield layer(node | dict(causal=True), lambda: Encoder(8, 2, 12, causal=True), TOKENS)
    yield layer(node, lambda: Encoder(8, 2, 12), TOKENS, mask())
    yield layer(node | dict(causal=True, norm_first=True), lambda: Encoder(8, 2, 12, causal=True, norm_first=True),
                TOKENS, mask())
    yield model("two encoder layers", [dict(name="layers", repeat=2, **{"from": ["a", "mask"]}, **node)],
                lambda: stack(lambda: Encoder(8, 2, 12), 2), {"a": TOKENS, "mask": mask()}, run_stack)
    node = node | dict(op="transformer_decoder_layer")
    yield layer(node, lambda: Decoder(8, 2, 12), TOKENS, [5, 8])
    yield layer(node | dict(causal=False, norm_first=True, activation="gelu"),
                lambda: Decoder(8, 2, 12, causal=False, norm_first=True, activation="gelu"), TOKENS, [5, 8])
    yield layer(node, lambda: Decoder(8, 2, 12, masks=["memory"]), [4, 8], TOKENS, mask())
    yield layer(node, lambda: Decoder(8, 2, 12, masks=["own", "memory"]), TOKENS, mask(), [5, 8], mask(5))


class Gated(nn.TransformerEncoderLayer):
    """linear1 is twice as wide: a * gate(b) (Shazeer 2020)."""

    def __init__(self, gate):
        super().__init__(8, 2, 12, dropout=0.0, batch_first=True)
        self.linear1, self.gate = nn.Linear(8, 24), gate

    def forward(self, x):
        x = self.norm1(x + self.self_attn(x, x, x, need_weights=False)[0])
        a, b = self.linear1(x).chunk(2, -1)
        return self.norm2(x + self.linear2(a * self.gate(b)))


class Graph(nn.TransformerEncoderLayer):
    """Attention over the edges of a graph and to oneself."""

    def __init__(self):
        super().__init__(8, 2, 12, dropout=0.0, batch_first=True)

    def forward(self, x, edges):
        seen = (edges != 0) | torch.eye(x.shape[1], dtype=torch.bool)
        return super().forward(x, ~seen.repeat_interleave(2, 0))


def graph_transformers():
    edges = (torch.rand(3, 7, 7, generator=torch.Generator().manual_seed(2)) < 0.3).float()
    yield layer(dict(op="transformer_encoder_layer", heads=2, feedforward=12, dropout=0.0), lambda: Graph(), TOKENS, edges)


def gated():
    node = dict(op="transformer_encoder_layer", heads=2, feedforward=12, dropout=0.0)
    for name, gate in (("reglu", F.relu), ("geglu", F.gelu), ("swiglu", F.silu)):
        yield layer(node | dict(activation=name), lambda: Gated(gate), TOKENS)


class GraphAttention(nn.Module):
    """Equations 1 to 6 of Velickovic et al., ICLR 2018, node by node."""

    def __init__(self, width, out, heads, concat=True, slope=0.2, loops=True):
        super().__init__()
        self.lin = nn.Linear(width, heads * out, bias=False)
        self.att_src = nn.Parameter(torch.randn(1, heads, out))
        self.att_dst = nn.Parameter(torch.randn(1, heads, out))
        self.bias = nn.Parameter(torch.randn(heads * out if concat else out))
        self.sizes, self.concat, self.slope, self.loops = (heads, out), concat, slope, loops

    def node(self, h, i, neighbours):
        if not neighbours:
            return torch.zeros(self.sizes)
        scores = [F.leaky_relu((self.att_dst[0] * h[i]).sum(-1) + (self.att_src[0] * h[j]).sum(-1), self.slope)
                  for j in neighbours]
        weights = torch.softmax(torch.stack(scores), 0)
        return sum(w[:, None] * h[j] for w, j in zip(weights, neighbours))

    def forward(self, x, adjacency):
        rows = []
        for features, edges in zip(x, adjacency):
            h = self.lin(features).view(-1, *self.sizes)
            for i in range(len(h)):
                neighbours = [j for j in range(len(h)) if edges[i, j] != 0 or (self.loops and i == j)]
                rows.append(self.node(h, i, neighbours))
        y = torch.stack(rows).view(x.shape[0], x.shape[1], *self.sizes)
        return (y.flatten(2) if self.concat else y.mean(2)) + self.bias


def graphs():
    edges = (torch.rand(3, 6, 6, generator=torch.Generator().manual_seed(1)) < 0.3).float()
    edges[1, 2] = 0  # hears nobody
    node = dict(op="graph_attention", out=3)
    yield layer(node | dict(heads=2), lambda: GraphAttention(5, 3, 2), [6, 5], edges)
    yield layer(node | dict(heads=2, concat=False, slope=0.1), lambda: GraphAttention(5, 3, 2, False, 0.1), [6, 5], edges)
    yield layer(node | dict(self_loops=False), lambda: GraphAttention(5, 3, 1, loops=False), [6, 5], edges)


def pools():
    real = mask()[:, :, None]
    yield layer(dict(op="sequence_pool"), lambda x: x.mean(1), SERIES)
    yield layer(dict(op="sequence_pool", mode="max"), lambda x: x.max(1).values, SERIES)
    yield layer(dict(op="sequence_pool", mode="first"), lambda x: x[:, 0], SERIES)
    yield layer(dict(op="sequence_pool", mode="last"), lambda x: x[:, -1], SERIES)
    yield layer(dict(op="sequence_pool"), lambda x, m: torch.stack([a[:n].mean(0) for a, n in zip(x, LENGTHS)]),
                SERIES, mask())
    yield layer(dict(op="sequence_pool", mode="max"),
                lambda x, m: torch.stack([a[:n].max(0).values for a, n in zip(x, LENGTHS)]), SERIES, mask())
    yield layer(dict(op="sequence_pool", mode="last"),
                lambda x, m: torch.stack([a[n - 1] for a, n in zip(x, LENGTHS)]), SERIES, mask())


class Tokenizer(nn.Module):
    def __init__(self, count, width, bias=True, token=True):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(count, width))
        self.bias = nn.Parameter(torch.randn(count, width)) if bias else None
        self.cls_token = nn.Parameter(torch.randn(width)) if token else None

    def forward(self, x):
        y = x[:, :, None] * self.weight + (0 if self.bias is None else self.bias)
        return y if self.cls_token is None else torch.cat([self.cls_token.expand(len(x), 1, -1), y], 1)


class Patches(nn.Module):
    def __init__(self, channels, width, k):
        super().__init__()
        self.proj = nn.Conv2d(channels, width, k, k)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)


class ClassToken(Learned):
    def forward(self, x):
        return torch.cat([self.weight.expand(len(x), 1, -1), x], 1)


def tokens():
    yield layer(dict(op="feature_tokenizer", out=4), lambda: Tokenizer(6, 4), [6])
    yield layer(dict(op="feature_tokenizer", out=4, bias=False, class_token=False),
                lambda: Tokenizer(6, 4, False, False), [6])
    yield layer(dict(op="patch_embedding", out=5, k=[2, 3]), lambda: Patches(3, 5, (2, 3)), [3, 8, 9])
    yield layer(dict(op="class_token"), lambda: ClassToken(5), SERIES)


def cases():
    for part in (embeddings, positions, recurrents, attentions, rotaries, blocks, graph_transformers, gated, graphs, pools,
                 tokens):
        yield from part()
