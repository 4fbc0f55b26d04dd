# SPDX-License-Identifier: Apache-2.0
"""Graphs small enough to be proven: pieces of the public ones, consecutive in a topological order, with their costs and edges.

The same family and seed give the same piece. A piece of a merged graph would be too easy: merging leaves little to decide."""
import json
import random

NODES = range(16, 23)


def files(folder, family):
    """Graphs of a family; of PipeDream's profiles only those with branches, for pieces of a chain need no solver."""
    if family != "pipedream":
        return sorted((folder / "surrogate").glob(f"{family}-*.json"))
    return [file for file in sorted((folder / "pipedream/json").glob("*.json"))
            if any(word in file.name for word in ("nasnet", "inception", "resnet50"))]


def topological(graph):
    readers, missing = [[] for _ in graph["nodes"]], [0] * len(graph["nodes"])
    for producer, reader in graph["edges"]:
        readers[producer].append(reader)
        missing[reader] += 1
    order = [node for node, count in enumerate(missing) if count == 0]
    for node in order:
        for reader in readers[node]:
            missing[reader] -= 1
            if missing[reader] == 0:
                order.append(reader)
    return order


def write(folder, family, seed, file):
    chance = random.Random(f"{family}/{seed}")
    graph = json.loads(chance.choice(files(folder, family)).read_text())
    order, count = topological(graph), chance.choice(NODES)
    begin = chance.randrange(max(1, len(order) - count))
    places = {node: place for place, node in enumerate(order[begin:begin + count])}
    file.write_text(json.dumps({**graph, "name": f"{family}-{seed}", "nodes": [graph["nodes"][node] for node in places],
                                "edges": [[places[a], places[b]] for a, b in graph["edges"] if a in places and b in places]}))
