# SPDX-License-Identifier: Apache-2.0
"""Networks of configs/models for tables, texts, series and graphs, narrow, without dropout, written in torch.nn under
the names that the files give their layers: a state_dict of one is a state_dict of the other."""
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence

from sequences import Encoder, Gated, Graph, GraphAttention, Learned, Tokenizer, model, sinusoids

LENGTHS = [7, 3, 5]
VOCABULARY = 11
TEXTS = torch.tensor([[4, 1, 10, 2, 9, 3, 7], [5, 5, 8, 0, 0, 0, 0], [6, 2, 1, 10, 3, 0, 0]])


class TabularMlp(nn.Module):
    def __init__(self):
        super().__init__()
        sizes = [6, 8, 8]
        self.layers = nn.ModuleList(nn.ModuleDict({"fc": nn.Linear(a, b, bias=False), "bn": nn.BatchNorm1d(b)})
                                    for a, b in zip(sizes, sizes[1:]))
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        for part in self.layers:
            x = F.relu(part["bn"](part["fc"](x)))
        return self.head(x)


class GatedFirst(Gated):
    """The block of the FT-Transformer: norms first."""

    def forward(self, x):
        y = self.norm1(x)
        x = x + self.self_attn(y, y, y, need_weights=False)[0]
        a, b = self.linear1(self.norm2(x)).chunk(2, -1)
        return x + self.linear2(a * self.gate(b))


class FtTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokenizer = Tokenizer(6, 8)
        self.layers = nn.ModuleList(GatedFirst(F.relu) for _ in range(2))
        self.norm, self.head = nn.LayerNorm(8), nn.Linear(8, 4)

    def forward(self, x):
        x = self.tokenizer(x)
        for block in self.layers:
            x = block(x)
        return self.head(F.relu(self.norm(x[:, 0])))


class LstmText(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, 8, padding_idx=0)
        self.lstm = nn.LSTM(8, 6, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(12, 4)

    def forward(self, x):
        packed = pack_padded_sequence(self.embedding(x), (x != 0).sum(1), batch_first=True, enforce_sorted=False)
        return self.fc(torch.cat(list(self.lstm(packed)[1][0]), 1))


def blocks(count, **options):
    return nn.ModuleList(Encoder(8, 2, 12, activation="gelu", norm_first=True, **options) for _ in range(count))


class TransformerText(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.position = nn.Embedding(VOCABULARY, 8, padding_idx=0), Learned(7, 8)
        self.layers, self.norm, self.fc = blocks(2), nn.LayerNorm(8), nn.Linear(8, 4)

    def forward(self, x):
        y = self.position(self.embedding(x))
        for block in self.layers:
            y = block(y, (x != 0).float())
        y = self.norm(y)
        return self.fc(torch.stack([a[:n].mean(0) for a, n in zip(y, LENGTHS)]))


class LstmSeries(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.fc = nn.LSTM(3, 6, 2, batch_first=True), nn.Linear(6, 5)

    def forward(self, x):
        return self.fc(self.lstm(x)[0][:, -1])


class TransformerSeries(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.layers = nn.Linear(3, 8), blocks(2)
        self.norm, self.fc = nn.LayerNorm(8), nn.Linear(8, 5)

    def forward(self, x):
        x = sinusoids(self.embedding(x))
        for block in self.layers:
            x = block(x)
        return self.fc(self.norm(x)[:, -1])


class CausalLm(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe, self.layers = nn.Embedding(VOCABULARY, 8), Learned(7, 8), blocks(2, causal=True)
        self.ln_f, self.lm_head = nn.LayerNorm(8), nn.Linear(8, VOCABULARY, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, x):
        x = self.wpe(self.wte(x))
        for block in self.layers:
            x = block(x)
        return self.lm_head(self.ln_f(x))


class Gat(nn.Module):
    def __init__(self):
        super().__init__()
        self.gat1, self.gat2 = GraphAttention(5, 3, 2), GraphAttention(6, 4, 1, concat=False)

    def forward(self, adjacency, x):
        return self.gat2(F.elu(self.gat1(x, adjacency)), adjacency)


class GraphTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.fc = nn.Linear(5, 8), nn.Linear(8, 1)
        self.layers = nn.ModuleList(Graph() for _ in range(2))

    def forward(self, adjacency, x):
        x = self.embedding(x)
        for block in self.layers:
            x = block(x, adjacency)
        return self.fc(x.mean(1))


def network(name, make, inputs, let, classes=0, targets=1, target_shape=()):
    about, tensors = model(name, [], make, inputs)
    del about["nodes"]
    return about | {"model": name, "let": let, "classes": classes, "targets": targets,
                    "target_shape": list(target_shape)}, tensors


def cases():
    wide = {"width": 8, "depth": 2, "heads": 2, "feedforward": 12, "p": 0.0}
    edges = (torch.rand(3, 6, 6, generator=torch.Generator().manual_seed(3)) < 0.4).float()
    graph = {"adjacency": edges, "x": [6, 5]}
    yield network("tabular_mlp", TabularMlp, {"x": [6]}, {"width": 8, "p": 0.0}, 4)
    yield network("ft_transformer", FtTransformer, {"x": [6]}, wide, 4)
    yield network("lstm_text", LstmText, {"x": TEXTS}, {"width": 8, "hidden": 6, "p": 0.0}, 4)
    yield network("transformer_text", TransformerText, {"x": TEXTS}, wide, 4)
    yield network("lstm_series", LstmSeries, {"x": [9, 3]}, {"hidden": 6, "depth": 2}, 0, 5)
    yield network("transformer_series", TransformerSeries, {"x": [9, 3]}, wide, 0, 5)
    yield network("causal_lm", CausalLm, {"x": TEXTS}, wide, VOCABULARY, 1, [7])
    yield network("gat", Gat, graph, {"width": 3, "heads": 2, "p": 0.0}, 4, 1, [6])
    yield network("graph_transformer", GraphTransformer, graph, wide, 0, 1)
