#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every kind of component on every network of configs/models where it makes sense: what `dlrun check` says of it, a variant
or a refusal, as components.expected has it.

  components_test.py DLRUN [--approve]     --approve writes the table anew; read the difference before it is committed
"""
import json
import random
import re
import struct
import subprocess
import sys
import tempfile
from difflib import unified_diff
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from formats import cifar, npy, zipped  # noqa: E402

MODELS = HERE.parents[1] / "configs" / "models"
TABLE = HERE / "components.expected"
WORDS = ["a", "long", "short", "good", "bad", "film", "day"]


# ---- what each network reads ----------------------------------------------------------------------------------------

def noise(count):
    return random.Random(1).randbytes(count)


def rows(columns=12, count=60):
    head = ",".join([f"c{i}" for i in range(columns)] + ["y"])
    lines = [",".join([f"{(r * 7 + c * 3) % 11}" for c in range(columns)] + ["abc"[r % 3]]) for r in range(count)]
    return "\n".join([head, *lines]) + "\n"


def mnist():
    files = {}
    for half, count in (("train", 60), ("t10k", 20)):
        files[f"{half}-images-idx3-ubyte"] = struct.pack(">4I", 0x803, count, 28, 28) + noise(count * 784)
        files[f"{half}-labels-idx1-ubyte"] = struct.pack(">2I", 0x801, count) + bytes(i % 10 for i in range(count))
    return files


def whole(numbers):
    return struct.pack(f"<{len(numbers)}q", *numbers)


def zeros(count):
    return bytes(4 * count)


def imagenet():
    return {"x.npy": npy("|u1", (20, 3, 224, 224), noise(20 * 150528)), "y.npy": npy("<i8", (20,), whole([i % 10 for i in range(20)]))}


def graphs(targets):
    named = {"x": ("<f4", (12, 30, 16), zeros(12 * 480)), "adjacency": ("<f4", (12, 30, 30), zeros(12 * 900)),
             "y": targets}
    return {"g.npz": zipped(named)}


def moods():
    lines = [f"{' '.join(WORDS[(i + k) % 7] for k in range(9))},{'wxyz'[i % 4]}" for i in range(60)]
    return {"t.csv": "\n".join(["text,mood", *lines]) + "\n"}


def weather():
    lines = [",".join(str((r * (c + 3)) % 13) for c in range(7)) for r in range(900)]
    return {"w.csv": "\n".join([",".join(f"c{c}" for c in range(7)), *lines]) + "\n"}


GRAPH = "{op: npz, path: g.npz, inputs: {x: x, adjacency: adjacency}, targets: y}"
ROW = ({"r.csv": rows()}, "{op: csv, path: r.csv, target: y}")
MNIST = (mnist(), "{op: idx, path: .}")
CIFAR = (cifar("0"), "{op: cifar, path: .}")
IMAGENET = (imagenet(), "{op: npy, inputs: x.npy, targets: y.npy}")
MOODS = (moods(), "{op: text_classes, path: t.csv, text: text, target: mood, length: 50, vocabulary: {kind: word}}")
PROSE = ({"p.txt": "\n".join(" ".join(WORDS) for _ in range(300))}, "{op: text, path: p.txt, length: 64}")
WEATHER = (weather(), "{op: series, path: w.csv, target: c0, window: 96, horizon: 24}")
READS = {"mlp": ROW, "tabular_mlp": ROW, "ft_transformer": ROW, "lenet": MNIST, "cnn": MNIST, "densenet_bc40": CIFAR,
         "inception_small": CIFAR, "lstm_text": MOODS, "transformer_text": MOODS, "causal_lm": PROSE, "lstm_series": WEATHER,
         "transformer_series": WEATHER, "gat": (graphs(("<i8", (12, 30), whole([i % 7 for i in range(360)]))), GRAPH),
         "graph_transformer": (graphs(("<f4", (12,), zeros(12))), GRAPH)}


# ---- what is taken from them ----------------------------------------------------------------------------------------

# id, the layer kind that it is about (None: the trial), the component. FIRST and SECOND are the first layers of that kind.
LAYERS = [(f"{kind}.{form}", kind, f"drop: {{{chosen}}}, as: group")
          for kind in ("conv2d", "batchnorm", "layernorm", "relu", "relu6", "elu", "maxpool", "avgpool", "adaptive_avgpool",
                       "dropout", "flatten", "linear", "embedding", "positional_encoding", "padding_mask", "lstm",
                       "transformer_encoder_layer", "feature_tokenizer", "sequence_pool", "graph_attention", "concat")
          for form, chosen in (("all", f"kind: {kind}, except: [HEAD]"), ("one", "name: FIRST"))]
OTHERS = [
    ("project", "conv2d", "drop: {name: SECOND}, on_shape: project"),
    ("keep_shape", "conv2d", "drop: {name: SECOND}, on_shape: identity_only"),
    ("between", "conv2d", "drop_between: {from: FIRST, to: SECOND}"),
    ("edge", "concat", "drop_edge: {from: INPUT, to: FIRST}"),
    ("body", "residual", "drop_branch: BLOCK.body"),
    ("shortcut", "residual", "drop_branch: BLOCK.shortcut"),
    ("block", "residual", "drop: {name: BLOCK}"),
    ("to_gelu", "relu", "swap: {kind: relu}, to: {op: gelu}, as: group"),
    ("to_silu", "relu6", "swap: {kind: relu6}, to: {op: silu}, as: group"),
    ("to_groupnorm", "batchnorm", "swap: {kind: batchnorm}, to: {op: groupnorm, groups: 4}, as: group"),
    ("to_mean", "maxpool", "swap: {kind: maxpool}, to: {op: avgpool}, as: group"),
    ("to_gru", "lstm", "swap: {kind: lstm}, to: {op: gru}, as: group"),
    ("to_conv", "linear", "swap: {name: FIRST}, to: {op: conv2d, out: 8, k: 3}"),
    ("no_dropout", "dropout", "set: {model.nodes.PLACE.p: 0}"),
    ("head", None, "drop: {name: HEAD}"),
    ("sgd", None, "swap: optimizer, to: {op: sgd, lr: 0.05}"),
    ("schedule", None, "swap: schedule, to: {op: cosine}"),
    ("loss", None, "swap: loss, to: {op: huber}"),
    ("flips", None, "swap: augment, to: [{op: flip}]"),
    ("sampler", None, "swap: sampler, to: {op: balanced}"),
    ("decay", None, "set: {optimizer.weight_decay: 0.1}"),
    ("column", None, "drop_feature: c1"),
    ("mean_column", None, "drop_feature: c1, how: mean"),
    ("channel", None, "drop_channel: 0"),
    ("mixed_channel", None, "drop_channel: 0, how: permute"),
]


def layers_of(folder):
    """[(name, op)] of the network, in its order."""
    said = check(folder, "study.yaml")
    table = next(t for t in json.loads(said.stdout)["tables"] if t["title"] == "model")
    return [(row["layer"], row["op"]) for row in table["rows"]]


def check(folder, *files):
    return subprocess.run([DLRUN, "check", *files, "--format", "json", "--color", "never"], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)


def place_of(layer, text):
    """Of a repeated layer the one that is written: layers.0.drop is a copy of layers.body.drop."""
    return re.sub(r"^(\w+)\.\d+\.", r"\1.body.", layer) if re.search(r"\n +repeat:", text) else layer


def components_for(layers, text):
    """{id: component} of all that is about something this network has."""
    head = layers[-1][0]
    blocks = re.findall(r"name: ([\w.]+)\W+op: residual", text)
    found = {}
    for name, kind, form in LAYERS + OTHERS:
        names = [layer for layer, op in layers if op == kind and layer != head]
        if kind == "residual":
            names = [layer.rsplit(".body", 1)[0] for layer, _ in layers if ".body" in layer]
        if kind is not None and not names or "SECOND" in form and len(names) < 2:
            continue
        first = names[0] if names else ""
        inner = first.rsplit(".", 1)[0] + "." if "." in first else ""
        before = next((layer for layer, op in layers if inner and layer.startswith(inner) and op == "relu"), layers[0][0])
        for word, what in (("FIRST", first), ("PLACE", place_of(first, text)), ("SECOND", names[1] if len(names) > 1 else ""), ("HEAD", head), ("BLOCK", first),
                           ("INPUT", before)):
            form = form.replace(word, what)
        found[name] = form
    return found


def refusals(folder, components):
    """{id: message} of those that cannot be; the others are what stands in the file at the end."""
    refused = {}
    while True:
        left = [name for name in components if name not in refused]
        lines = ["study: variants", "ablation:", "  replicates: {n: 20}", "  components:"]
        lines += [f"    - {{id: {name}, {components[name]}}}" for name in left]
        (folder / "ablation.yaml").write_text("\n".join(lines) + "\n")
        said = check(folder, "study.yaml", "ablation.yaml")
        if said.returncode == 0:
            return refused, said.stdout
        found = re.findall(r"^ablation.yaml:(\d+):\d+: error: (.*)\n(?:.*\n){2}(?:  help: (.*)\n)?", said.stderr + "\n", re.M)
        if not found:
            raise SystemExit(f"{folder}: {said.stderr}")
        for line, message, help_ in found:
            refused[left[int(line) - 5]] = message + (f" | {help_}" if help_ else "")


def outcomes(name, folder):
    """Lines "component: what came of it"."""
    files, data = READS.get(name, CIFAR if name.endswith("_cifar") else IMAGENET)
    folder.mkdir()
    for file, content in files.items():
        (folder / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    (folder / "study.yaml").write_text(
        "study: whole\nobjective: {metric: val.loss, direction: minimize}\n"
        "space: {rate: {at: optimizer.lr, type: constant, value: 0.01}}\n"
        f"trial:\n  data: {data}\n  model: {{extends: {MODELS / name}.yaml}}\n")
    components = components_for(layers_of(folder), (MODELS / f"{name}.yaml").read_text())
    refused, built = refusals(folder, components)
    tables = {t["title"]: t["rows"] for t in json.loads(built)["tables"]}
    variants = {row["variant"]: row for row in tables["variants"]}
    same = {row["variant"]: row["why"] for row in tables.get("not trained", [])}
    for component, form in components.items():
        yield f"  {component}: {form}"
        if component in refused:
            yield f"      {refused[component]}"
        elif component in variants:
            row = variants[component]
            beside = " ".join(f"{row.get(key)}" for key in row if key.startswith("what changes")).strip()
            yield f"      builds, {row['parameters']} parameters" + (f"; {shortened(beside)}" if beside else "")
        else:
            yield f"      {same[component]}"


def shortened(text, most=400):
    return text if len(text) <= most else text[:most] + "…"


def table():
    names = sorted(file.stem for file in MODELS.glob("*.yaml"))
    with tempfile.TemporaryDirectory() as folder:
        return [line for name in names for line in [name, *outcomes(name, Path(folder) / name)]]


def main():
    lines = [line + "\n" for line in table()]
    if "--approve" in sys.argv:
        TABLE.write_text("".join(lines))
        return 0
    known = TABLE.read_text().splitlines(keepends=True)
    sys.stdout.writelines(unified_diff(known, lines, "expected", "said"))
    return known != lines


DLRUN = str(Path(sys.argv[1]).resolve())
if __name__ == "__main__":
    sys.exit(main())
