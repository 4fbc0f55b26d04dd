# SPDX-License-Identifier: Apache-2.0
"""Models with several outputs: the weighted sum of their losses, and its gradients. `species` is a class of three, `size`
are two numbers; an auxiliary output learns `species` again from an earlier layer."""
import torch
from torch import nn
from torch.nn import functional as F

NODES = [
    {"name": "fc1", "op": "linear", "out": 8}, {"name": "act1", "op": "relu"},
    {"name": "side", "op": "linear", "out": "classes"},
    {"name": "fc2", "op": "linear", "out": 6, "from": "act1"}, {"name": "act2", "op": "tanh"},
    {"name": "kind", "op": "linear", "out": "classes"}]
APART = NODES + [{"name": "numbers", "op": "linear", "out": "targets", "from": "act2"}]
CHAINED = NODES + [{"name": "both", "op": "concat", "from": ["act2", "kind"]},
                   {"name": "numbers", "op": "linear", "out": "targets"}]
OUTPUTS = {"species": "kind", "size": {"from": "numbers"},
           "early": {"from": "side", "target": "species", "auxiliary": True}}


class Net(nn.Module):
    def __init__(self, is_chained):
        super().__init__()
        self.is_chained = is_chained
        self.fc1, self.fc2 = nn.Linear(5, 8), nn.Linear(8, 6)
        self.side, self.kind = nn.Linear(8, 3), nn.Linear(6, 3)
        self.numbers = nn.Linear(9 if is_chained else 6, 2)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        early, x = self.side(x), torch.tanh(self.fc2(x))
        kind = self.kind(x)
        return early, self.numbers(torch.cat([x, kind], 1) if self.is_chained else x), kind


def case(name, nodes, losses, compute):
    torch.manual_seed(len(nodes))
    net, x = Net(nodes is CHAINED), torch.randn(7, 5)
    labels, numbers = torch.tensor([0, 2, 1, 1, 0, 2, 0]), torch.randn(7, 2)
    early, size, species = net(x)
    parts = compute(early, size, species, labels, numbers)
    total = sum(parts)
    total.backward()
    tensors = {"in/x": x, "target/species": labels, "target/size": numbers, "total": total.reshape(1)}
    tensors |= {f"state/{key}": p for key, p in net.named_parameters()}
    tensors |= {f"grad/{key}": p.grad for key, p in net.named_parameters()}
    return {"name": name, "trial": {"model": {"nodes": nodes, "outputs": OUTPUTS}, "loss": losses}}, tensors


def cases():
    yield case("apart", APART,
               {"species": {"op": "cross_entropy", "label_smoothing": 0.1}, "size": {"op": "mse", "weight": 0.5},
                "early": {"op": "cross_entropy", "weight": 0.3}},
               lambda e, s, k, y, t: (F.cross_entropy(k, y, label_smoothing=0.1), 0.5 * F.mse_loss(s, t),
                                      0.3 * F.cross_entropy(e, y)))
    yield case("chained", CHAINED,
               {"species": {"op": "cross_entropy", "class_weights": [1.0, 2.0, 0.5], "weight": 2.0},
                "size": [{"op": "huber"}, {"op": "mae", "weight": 0.25}], "early": "cross_entropy"},
               lambda e, s, k, y, t: (2 * F.cross_entropy(k, y, torch.tensor([1.0, 2.0, 0.5])),
                                      F.huber_loss(s, t) + 0.25 * F.l1_loss(s, t), F.cross_entropy(e, y)))
