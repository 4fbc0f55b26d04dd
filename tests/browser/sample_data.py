# SPDX-License-Identifier: Apache-2.0
"""Made-up studies in the form that lib/page gives to the page's script; the same numbers at every run."""
import math
import random

STATES = ["waiting", "running", "paused", "completed", "pruned", "failed", "cancelled"]
COMPLETED, PRUNED, FAILED = 3, 4, 5

SPACE = [
    {"name": "lr", "type": "float", "scale": "log", "low": 1e-5, "high": 0.1},
    {"name": "width", "type": "int", "scale": "log", "low": 16, "high": 1024},
    {"name": "optimizer", "type": "categorical", "choices": ["sgd", "adam", "adamw"]},
    {"name": "dropout", "type": "float", "scale": "linear", "low": 0.0, "high": 0.6},
    {"name": "layers", "type": "int", "scale": "linear", "low": 1, "high": 8},
    {"name": "batch", "type": "ordinal", "choices": [16, 32, 64, 128, 256]},
    {"name": "momentum", "type": "float", "scale": "linear", "low": 0.5, "high": 0.99},
    {"name": "weight_decay", "type": "float", "scale": "log", "low": 1e-6, "high": 0.01},
]

HOSTILE = [
    "<img src=x onerror=alert(1)>", "<b>bold</b> & <a href='https://example.org'>link</a>", "%{x} %{customdata}", "$\\frac{1}{2}$",
    "\u202egnp.exe", "a" * 200, "</script><script>alert(2)</script>", "&lt;i&gt;&amp;",
]


def draw(chance, parameter):
    if "choices" in parameter:
        return chance.randrange(len(parameter["choices"]))
    low, high = parameter["low"], parameter["high"]
    if parameter.get("scale") == "log":
        value = math.exp(chance.uniform(math.log(low), math.log(high)))
    else:
        value = chance.uniform(low, high)
    return round(value) if parameter["type"] == "int" else value


def unit(parameter, value):
    if "choices" in parameter:
        return value / max(1, len(parameter["choices"]) - 1)
    if parameter.get("scale") == "log":
        return math.log(value / parameter["low"]) / math.log(parameter["high"] / parameter["low"])
    return (value - parameter["low"]) / (parameter["high"] - parameter["low"])


def accuracy(chance, parameters, values):
    """Higher near the middle of the first axes; the later axes matter less."""
    loss = sum((unit(p, v) - 0.55) ** 2 / (i + 1) for i, (p, v) in enumerate(zip(parameters, values)) if v is not None)
    return 0.97 * math.exp(-1.5 * loss) + chance.gauss(0, 0.006)


def improving(chance, parameters, best, share):
    """A trial of a sampler that learns: later trials stay nearer to the best one."""
    values = []
    for i, parameter in enumerate(parameters):
        near = best is not None and chance.random() < share
        values.append(best[i] if near and chance.random() < 0.6 else draw(chance, parameter))
    return values


def add_trial(chance, study, best, share):
    trials, parameters = study["trials"], study["parameters"]
    values = improving(chance, parameters, best, share)
    if len(parameters) > 3 and values[2] == 0 and parameters[2]["name"] == "optimizer":
        values[3] = None  # a conditional parameter
    score = accuracy(chance, parameters, values)
    state = FAILED if chance.random() < 0.03 else PRUNED if chance.random() < 0.3 and score < 0.8 else COMPLETED
    trials["number"].append(len(trials["number"]))
    trials["state"].append(state)
    trials["epochs"].append({FAILED: 0, PRUNED: chance.randrange(2, 12), COMPLETED: 20}[state])
    trials["seconds"].append(round(chance.uniform(20, 90), 3))
    trials["attempts"].append(1 if chance.random() < 0.95 else 2)
    for column, value in zip(trials["params"], values):
        column.append(value)
    return values, score, state


def search(name, number, parameters, seed=1, objectives=None):
    """A search study of `number` trials, its objectives improving."""
    chance = random.Random(seed)
    objectives = objectives or [{"name": "val.accuracy", "direction": "maximize"}]
    trials = {key: [] for key in ("number", "state", "epochs", "seconds", "attempts")}
    trials |= {"objectives": [[] for _ in objectives], "params": [[] for _ in parameters]}
    study = {"name": name, "kind": "search", "objectives": objectives, "parameters": parameters, "states": STATES, "trials": trials,
             "best": None}
    best_values, best_score = None, -1
    for i in range(number):
        values, score, state = add_trial(chance, study, best_values, min(0.8, i / number))
        scores = [score, round(40 + 900 * (1 - score) ** 2 + chance.expovariate(0.05), 3), chance.uniform(1, 9) * score]
        for column, value in zip(trials["objectives"], scores):
            column.append(None if state == FAILED else value)
        if state == COMPLETED and score > best_score:
            best_values, best_score, study["best"] = values, score, i
    return study


def add_curves(study, most=60):
    chance = random.Random(2)
    trials, runs = study["trials"], []
    for i in trials["number"][:most]:
        final = trials["objectives"][0][i]
        if final is None:
            continue
        steps = list(range(1, max(2, trials["epochs"][i]) + 1))
        values = [final * (1 - math.exp(-0.35 * s)) + chance.gauss(0, 0.006) for s in steps]
        runs.append({"trial": i, "state": trials["state"][i], "steps": steps, "values": values})
    shown = "" if len(trials["number"]) <= most else f"the best 30 of {len(trials['number'])} trials and 30 others, evenly spread"
    study["curves"] = {"metric": study["objectives"][0]["name"], "shown": shown, "runs": runs}


def add_importance(study):
    names = [p["name"] for p in study["parameters"]] + [f"{study['parameters'][0]['name']} × {study['parameters'][1]['name']}"]
    shares = sorted((1 / (i + 1.5) ** 1.7 for i in range(len(names))), reverse=True)
    total = sum(shares)
    shares = [share / total for share in shares]
    study["importance"] = {
        "method": "fanova", "remark": "Over the completed trials; intervals are 90 % of 50 bootstrap forests.", "names": names, "shares": shares,
        "lows": [max(0, share - 0.04) for share in shares], "highs": [share + 0.05 for share in shares]}


def add_workers(study, workers=4):
    chance = random.Random(3)
    free, bars = [0.0] * workers, []
    for i, seconds in enumerate(study["trials"]["seconds"]):
        worker = free.index(min(free))
        state = "lost" if chance.random() < 0.02 else STATES[study["trials"]["state"][i]]
        bars.append([worker, round(free[worker], 3), round(free[worker] + seconds, 3), i, state])
        free[worker] += seconds + chance.uniform(0.1, 2)
    study["workers"] = {"names": [str(i + 1) for i in range(workers)], "bars": bars, "remark": "96 % of the workers' time was used", "cuts": [bars[len(bars) // 2][1]], "idle": [0.04] * workers}


def add_ranks(study, names):
    """Nodes with these names in each of the first trials; their numbers are those of lib/page/rank_data.hpp."""
    chance = random.Random(14)
    trials = study["trials"]["number"][:12]
    nodes = [[i, name, 40, chance.uniform(1, 3), 0.1, chance.uniform(0, 1), chance.uniform(0, 2), chance.uniform(1e5, 9e6), 5e6,
              chance.uniform(0, 3), 7] for i in range(len(trials)) for name in names]
    study["ranks"] = {"time": "measured", "trials": trials, "said": "", "nodes": nodes}


def add_placement(study, names, devices=2):
    """A graph of layers, each of which reads one or two before it, and a step on the devices one after the other."""
    chance = random.Random(15)
    count = len(names)
    nodes = [[name, "linear", chance.randrange(devices), 1e-4, 4096] for name in names]
    edges = sorted({(chance.randrange(max(0, i - 5), i), i) for i in range(1, count) for _ in range(2)})
    rows = [f"device {i}" for i in range(devices)] + ["0 → 1"]
    bars = [[node[2], i * 1e-4, (i + 1) * 1e-4, node[0], "forward" if i % 2 else "backward"] for i, node in enumerate(nodes)]
    bars.append([devices, 0, 2e-4, "output of " + names[0], "transfer"])
    orders = [{"name": "topo", "order": list(range(count))}, {"name": "as a step begins them", "order": list(range(count))[::-1]}]
    study["placement"] = {"text": "decided by greedy along topo", "devices": devices, "rows": rows, "idle": [0.5] * len(rows),
                          "bars": bars, "nodes": nodes, "edges": edges, "orders": orders, "chosen": 0}


def add_feasibility(study):
    chance = random.Random(4)
    study["trials"]["feasible"] = [0 if chance.random() < 0.15 else 1 for _ in study["trials"]["number"]]


def add_front(study):
    trials = study["trials"]
    signs = [-1 if objective["direction"] == "maximize" else 1 for objective in study["objectives"]]
    points = {i: [sign * column[i] for sign, column in zip(signs, trials["objectives"])]
              for i in trials["number"] if trials["state"][i] == COMPLETED}
    dominated = {i for i, p in points.items() for q in points.values() if q != p and all(b <= a for a, b in zip(p, q))}
    study["front"] = sorted(set(points) - dominated)


def ablation(name, components):
    study = search(name, 5 * (len(components) + 1), [{"name": "variant", "type": "categorical", "choices": ["baseline", *components]}], 5)
    chance = random.Random(6)
    rows = []
    for i, component in enumerate(components):
        mean, half = 0.05 / (i + 1) - 0.008, chance.uniform(0.004, 0.012)
        verdict = "helps" if mean > half else "hurts" if mean < -half else "unclear"
        rows.append({"component": component, "mean": mean, "low": mean - half, "high": mean + half, "group": verdict, "verdict": verdict})
    interactions = [{"row": a, "column": b, "value": chance.gauss(0, 0.01), "marked": chance.random() < 0.2}
                    for a in range(len(components)) for b in range(a)]
    study |= {"kind": "ablation", "ablation": {"metric": "val.accuracy", "rows": rows, "names": components, "interactions": interactions}}
    return study
