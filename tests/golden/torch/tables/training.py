# SPDX-License-Identifier: Apache-2.0
"""Reference values for lib/train in the spec's own keys: optimisers, schedules and losses by PyTorch, metrics by
scikit-learn (which the environment needs beside torch).

Writes optimizers.json, schedules.json, losses.json and metrics.json into tests/golden/torch; tests/unit/train/*_golden_test.cpp read them. LAMB,
LARS and Lion, which PyTorch does not have, follow their papers in float64 numpy.
"""
import importlib.util
import json
import math
import pathlib

import numpy
import torch

FOLDER = pathlib.Path(__file__).resolve().parents[1]
SIZES = [(3, 4), (5,)]  # two tensors; LAMB and LARS look at each
STEPS = 20


def write(name, value):
    text = json.dumps(value, separators=(",", ":"))
    for bracket in ('{"config"', '{"section"', '{"classes"'):
        text = text.replace(bracket, "\n" + bracket)
    (FOLDER / name).write_text(text + "\n")


def flat(tensors):
    return [float(v) for t in tensors for v in t.detach().reshape(-1)]


# --- optimisers ------------------------------------------------------------------------------------------------------

OPTIMIZERS = [
    {"op": "sgd", "lr": 0.1},
    {"op": "sgd", "lr": 0.1, "momentum": 0.9, "weight_decay": 0.01},
    {"op": "sgd", "lr": 0.1, "momentum": 0.9, "dampening": 0.3},
    {"op": "sgd", "lr": 0.1, "momentum": 0.8, "nesterov": True, "weight_decay": 0.05},
    {"op": "adam", "lr": 0.01},
    {"op": "adam", "lr": 0.01, "betas": [0.8, 0.95], "weight_decay": 0.1, "amsgrad": True},
    {"op": "adamw", "lr": 0.01},
    {"op": "adamw", "lr": 0.01, "betas": [0.8, 0.9], "weight_decay": 0.1, "amsgrad": True},
    {"op": "nadam", "lr": 0.01},
    {"op": "nadam", "lr": 0.01, "momentum_decay": 0.01, "weight_decay": 0.1},
    {"op": "nadam", "lr": 0.01, "decoupled": True, "weight_decay": 0.1},
    {"op": "radam", "lr": 0.01},
    {"op": "radam", "lr": 0.01, "betas": [0.9, 0.9], "weight_decay": 0.1},
    {"op": "radam", "lr": 0.01, "betas": [0.9, 0.5], "decoupled": True, "weight_decay": 0.1},
    {"op": "adamax", "lr": 0.01},
    {"op": "adamax", "lr": 0.01, "betas": [0.8, 0.9], "weight_decay": 0.1},
    {"op": "rmsprop", "lr": 0.01},
    {"op": "rmsprop", "lr": 0.01, "alpha": 0.9, "momentum": 0.8, "weight_decay": 0.1},
    {"op": "rmsprop", "lr": 0.01, "centered": True},
    {"op": "adagrad", "lr": 0.1},
    {"op": "adagrad", "lr": 0.1, "lr_decay": 0.05, "initial_accumulator_value": 0.2, "weight_decay": 0.1},
    {"op": "adadelta"},
    {"op": "adadelta", "lr": 0.5, "rho": 0.8, "weight_decay": 0.1},
    {"op": "lamb", "lr": 0.01},
    {"op": "lamb", "lr": 0.01, "betas": [0.8, 0.9], "weight_decay": 0.1},
    {"op": "lars", "lr": 1.0},
    {"op": "lars", "lr": 1.0, "momentum": 0.8, "trust": 0.01, "weight_decay": 0.1},
    {"op": "lion", "lr": 0.01},
    {"op": "lion", "lr": 0.01, "betas": [0.8, 0.9], "weight_decay": 0.1},
    {"op": "adam", "lr": 0.01, "eps": 0.3},
    {"op": "adamw", "lr": 0.01, "eps": 0.3, "amsgrad": True},
    {"op": "nadam", "lr": 0.01, "eps": 0.3},
    {"op": "radam", "lr": 0.01, "betas": [0.9, 0.9], "eps": 0.3},
    {"op": "adamax", "lr": 0.01, "eps": 0.3},
    {"op": "rmsprop", "lr": 0.01, "momentum": 0.9, "centered": True, "eps": 0.3},
    {"op": "adagrad", "lr": 0.1, "eps": 0.3},
    {"op": "adadelta", "eps": 0.3},
    {"op": "lamb", "lr": 0.01, "eps": 0.3},
    {"op": "lars", "lr": 1.0, "eps": 0.3},
]
CLASSES = {"sgd": "SGD", "adam": "Adam", "adamw": "AdamW", "nadam": "NAdam", "radam": "RAdam", "adamax": "Adamax",
           "rmsprop": "RMSprop", "adagrad": "Adagrad", "adadelta": "Adadelta"}


def rate(config, step):
    """The second half of the steps is taken at half the rate, as with a schedule. `step` counts from 0."""
    return config.get("lr", 1.0) * (1 if step < STEPS // 2 else 0.5)


def by_torch(config, start, pushes):
    settings = {key: value for key, value in config.items() if key not in ("op", "decoupled")}
    if config.get("decoupled"):
        settings["decoupled_weight_decay"] = True
    tensors = [torch.tensor(t, dtype=torch.float32, requires_grad=True) for t in start]
    optimizer = getattr(torch.optim, CLASSES[config["op"]])(tensors, foreach=False, **settings)
    for step in range(STEPS):
        for tensor, push in zip(tensors, pushes[step]):
            tensor.grad = 0.5 * tensor.detach() + torch.tensor(push, dtype=torch.float32)
        optimizer.param_groups[0]["lr"] = rate(config, step)
        optimizer.step()
    return flat(tensors)


def lamb(p, g, s, t, c):
    """You et al., ICLR 2020, Algorithm 2."""
    b1, b2 = c.get("betas", (0.9, 0.999))
    s["m"] = b1 * s.get("m", 0) + (1 - b1) * g
    s["v"] = b2 * s.get("v", 0) + (1 - b2) * g * g
    r = s["m"] / (1 - b1**t) / (numpy.sqrt(s["v"] / (1 - b2**t)) + c.get("eps", 1e-6))
    u = r + c.get("weight_decay", 0.01) * p
    return p - c["lr"] * numpy.linalg.norm(p) / numpy.linalg.norm(u) * u


def lars(p, g, s, t, c):
    """You, Gitman, Ginsburg, arXiv:1708.03888, Algorithm 1."""
    decay = c.get("weight_decay", 0)
    norm = numpy.linalg.norm(g) + decay * numpy.linalg.norm(p) + c.get("eps", 0)
    trust = c.get("trust", 0.001) * numpy.linalg.norm(p) / norm
    s["v"] = c.get("momentum", 0.9) * s.get("v", 0) + c["lr"] * trust * (g + decay * p)
    return p - s["v"]


def lion(p, g, s, t, c):
    """Chen et al., NeurIPS 2023, Algorithm 2."""
    b1, b2 = c.get("betas", (0.9, 0.99))
    m = s.get("m", numpy.zeros_like(p))
    update = numpy.sign(b1 * m + (1 - b1) * g)
    s["m"] = b2 * m + (1 - b2) * g
    return p - c["lr"] * (update + c.get("weight_decay", 0) * p)


def by_paper(config, start, pushes):
    step_of = {"lamb": lamb, "lars": lars, "lion": lion}[config["op"]]
    tensors, states = [numpy.array(t) for t in start], [{} for _ in start]
    for step in range(STEPS):
        tensors = [step_of(p, 0.5 * p + push, s, step + 1, config | {"lr": rate(config, step)})
                   for p, push, s in zip(tensors, pushes[step], states)]
    return [float(v) for t in tensors for v in t.reshape(-1)]


def optimizers():
    generator = torch.Generator().manual_seed(5)
    draw = lambda: [torch.randn(size, generator=generator).numpy().astype("float32").astype("float64") for size in SIZES]
    start, pushes = draw(), [draw() for _ in range(STEPS)]
    numbers = lambda tensors: [float(v) for t in tensors for v in t.reshape(-1)]
    cases = []
    for config in OPTIMIZERS:
        run = by_torch if config["op"] in CLASSES else by_paper
        cases.append({"config": config, "end": run(config, start, pushes)})
    write("optimizers.json", {"sizes": [math.prod(size) for size in SIZES], "start": numbers(start),
                              "pushes": [numbers(push) for push in pushes], "cases": cases})


# --- schedules -------------------------------------------------------------------------------------------------------

LR, EPOCHS, STEPS_PER_EPOCH = 0.4, 12, 3
TOTAL = EPOCHS * STEPS_PER_EPOCH
S = torch.optim.lr_scheduler


def optimizer():
    return torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=LR, momentum=0.9)


def rates(make, per):
    """The rate of every step, the scheduler stepped after each batch or each epoch."""
    o = optimizer()
    scheduler, result, momenta = make(o), [], []
    for step in range(TOTAL):
        result.append(o.param_groups[0]["lr"])
        momenta.append(o.param_groups[0]["momentum"])
        o.step()
        if per == "step" and step + 1 < TOTAL or per == "epoch" and (step + 1) % STEPS_PER_EPOCH == 0:
            scheduler.step()
    return result, momenta


def warm(make, epochs, **linear):
    """LinearLR for the warm-up, then the schedule, both by steps."""
    n = epochs * STEPS_PER_EPOCH
    return lambda o: S.SequentialLR(o, [S.LinearLR(o, total_iters=n - 1, **linear), make(o)], [n])


def plateau(section, **settings):
    values = [1.0, 0.8, 0.7999, 0.81, 0.79, 0.9, 0.9, 0.9, 0.6, 0.61, 0.62, 0.63]
    if settings.get("mode") == "max":
        values = [1 - value for value in values]
    o = optimizer()
    scheduler, result = S.ReduceLROnPlateau(o, **settings), []
    for epoch in range(EPOCHS):
        result += [o.param_groups[0]["lr"]] * STEPS_PER_EPOCH
        scheduler.step(values[epoch])
    return {"section": section, "watched": values, "lr": result}


def schedules():
    n = STEPS_PER_EPOCH
    table = [
        ({"op": "constant"}, lambda o: S.ConstantLR(o, factor=1.0), "epoch"),
        ({"op": "step", "every": 3, "gamma": 0.5}, lambda o: S.StepLR(o, 3, 0.5), "epoch"),
        ({"op": "multi_step", "milestones": [2, 5, 6], "gamma": 0.3}, lambda o: S.MultiStepLR(o, [2, 5, 6], 0.3),
         "epoch"),
        ({"op": "exponential", "gamma": 0.8}, lambda o: S.ExponentialLR(o, 0.8), "epoch"),
        ({"op": "linear", "start": 1.0, "end": 0.1}, lambda o: S.LinearLR(o, 1.0, 0.1, TOTAL), "step"),
        ({"op": "linear", "start": 0.2, "end": 1.0}, lambda o: S.LinearLR(o, 0.2, 1.0, TOTAL), "step"),
        ({"op": "polynomial", "power": 2.5}, lambda o: S.PolynomialLR(o, TOTAL, 2.5), "step"),
        ({"op": "cosine", "min_lr": 0.01}, lambda o: S.CosineAnnealingLR(o, TOTAL, 0.01), "step"),
        ({"op": "cosine_restarts", "period": 2, "mult": 2, "min_lr": 0.01},
         lambda o: S.CosineAnnealingWarmRestarts(o, 2 * n, 2, 0.01), "step"),
        ({"op": "cosine_restarts", "period": 5}, lambda o: S.CosineAnnealingWarmRestarts(o, 5 * n), "step"),
        ({"op": "one_cycle"}, lambda o: S.OneCycleLR(o, LR, total_steps=TOTAL, cycle_momentum=False), "step"),
        ({"op": "one_cycle", "pct_start": 0.4, "anneal": "linear", "div_factor": 10, "final_div_factor": 100,
          "cycle_momentum": True, "base_momentum": 0.8, "max_momentum": 0.9},
         lambda o: S.OneCycleLR(o, LR, total_steps=TOTAL, pct_start=0.4, anneal_strategy="linear", div_factor=10,
                                final_div_factor=100, base_momentum=0.8, max_momentum=0.9), "step"),
        ({"op": "constant", "warmup": 3}, warm(lambda o: S.ConstantLR(o, 1.0), 3, start_factor=1 / 9), "step"),
        ({"op": "cosine", "warmup": 2}, warm(lambda o: S.CosineAnnealingLR(o, TOTAL - 2 * n), 2, start_factor=1 / 6),
         "step"),
        ({"op": "constant", "warmup": 4, "warmup_shape": "constant", "warmup_from": 0.25},
         lambda o: S.ConstantLR(o, 0.25, 4 * n), "step"),
        ({"op": "linear", "start": 1.0, "end": 0.1, "warmup": 2},
         warm(lambda o: S.LinearLR(o, 1.0, 0.1, TOTAL - 2 * n), 2, start_factor=1 / 6), "step"),
        ({"op": "cosine_restarts", "period": 5, "warmup": 2},
         warm(lambda o: S.CosineAnnealingWarmRestarts(o, 5 * n), 2, start_factor=1 / 6), "step"),
        ({"op": "sequence", "parts": [{"op": "linear", "start": 0.1, "end": 1.0, "epochs": 2},
                                      {"op": "constant", "epochs": 3}, {"op": "cosine"}]},
         lambda o: S.SequentialLR(o, [S.LinearLR(o, 0.1, 1.0, 2 * n), S.ConstantLR(o, 1.0),
                                      S.CosineAnnealingLR(o, 7 * n)], [2 * n, 5 * n]), "step"),
    ]
    cases = []
    for section, make, per in table:
        lr, momentum = rates(make, per)
        case = {"section": section, "lr": lr}
        if section.get("cycle_momentum"):
            case["momentum"] = momentum
        cases.append(case)
    cases.append(plateau({"op": "plateau", "metric": "val.loss", "factor": 0.5, "patience": 1, "cooldown": 1},
                         factor=0.5, patience=1, cooldown=1))
    cases.append(plateau({"op": "plateau", "metric": "val.loss", "factor": 0.5, "patience": 0, "threshold": 0.05,
                          "threshold_mode": "abs", "min_lr": 0.08},
                         factor=0.5, patience=0, threshold=0.05, threshold_mode="abs", min_lr=0.08))
    cases.append(plateau({"op": "plateau", "metric": "val.accuracy", "factor": 0.1, "patience": 2},
                         mode="max", factor=0.1, patience=2))
    cases.append(plateau({"op": "plateau", "metric": "val.loss", "factor": 0.5, "patience": 0, "threshold": 0.1},
                         factor=0.5, patience=0, threshold=0.1))
    cases.append(plateau({"op": "plateau", "metric": "val.accuracy", "factor": 0.5, "patience": 0, "threshold": 0.1,
                          "threshold_mode": "abs", "cooldown": 2},
                         mode="max", factor=0.5, patience=0, threshold=0.1, threshold_mode="abs", cooldown=2))
    write("schedules.json", {"lr": LR, "epochs": EPOCHS, "steps_per_epoch": STEPS_PER_EPOCH, "cases": cases})


# --- losses ----------------------------------------------------------------------------------------------------------

F = torch.nn.functional
ROWS, C = 7, 4
WEIGHTS = [0.5, 1.0, 2.0, 1.5]


def focal(y, t, gamma, weight=None):
    log_p = F.log_softmax(y, -1).gather(1, t[:, None])[:, 0]
    w = 1 if weight is None else weight[t]
    return (-w * (1 - log_p.exp()) ** gamma * log_p).mean()


def hinge(y, t, margin, p):
    return F.relu(margin - (2 * F.one_hot(t, C) - 1) * y).pow(p).mean()


def on_flat(loss):
    """[B, L, C] as PyTorch wants it."""
    return lambda y, t: loss(y.reshape(-1, y.shape[-1]), t.reshape(-1))


def loss_case(section, loss, y, t):
    y = y.clone().requires_grad_()
    value = loss(y, t)
    value.backward()
    return {"section": section, "output": y.tolist(), "targets": t.tolist(), "value": float(value),
            "grad": y.grad.tolist()}


def losses():
    source = torch.Generator().manual_seed(9)
    y, t = torch.randn(ROWS, C, generator=source) * 2, torch.randint(0, C, (ROWS,), generator=source)
    pair, z = torch.randint(0, 2, (ROWS,), generator=source), torch.randn(ROWS, 1, generator=source)
    many, labels = torch.randn(3, 5, C, generator=source), torch.randint(0, C, (3, 5), generator=source)
    labels[0, 3:] = -100
    labels[2, 0] = -100
    numbers = torch.randn(ROWS, 2, generator=source)
    out, counts = torch.randn(ROWS, 2, generator=source), torch.randint(0, 5, (ROWS, 2), generator=source).float()
    four = torch.randn(ROWS, 4, generator=source)
    w = torch.tensor(WEIGHTS)
    table = [
        ({"op": "cross_entropy"}, F.cross_entropy, y, t),
        ({"op": "cross_entropy", "label_smoothing": 0.1}, lambda a, b: F.cross_entropy(a, b, label_smoothing=0.1), y, t),
        ({"op": "cross_entropy", "class_weights": WEIGHTS}, lambda a, b: F.cross_entropy(a, b, w), y, t),
        ({"op": "cross_entropy", "class_weights": WEIGHTS, "label_smoothing": 0.2},
         lambda a, b: F.cross_entropy(a, b, w, label_smoothing=0.2), y, t),
        ({"op": "cross_entropy"}, on_flat(F.cross_entropy), many, labels),
        ({"op": "cross_entropy", "class_weights": WEIGHTS, "label_smoothing": 0.2},
         on_flat(lambda a, b: F.cross_entropy(a, b, w, label_smoothing=0.2)), many, labels),
        ({"op": "focal"}, lambda a, b: focal(a, b, 2), y, t),
        ({"op": "focal", "gamma": 0.5, "class_weights": WEIGHTS}, lambda a, b: focal(a, b, 0.5, w), y, t),
        ({"op": "nll"}, F.nll_loss, F.log_softmax(y, 1), t),
        ({"op": "nll", "class_weights": WEIGHTS}, lambda a, b: F.nll_loss(a, b, w), F.log_softmax(y, 1), t),
        ({"op": "multi_margin"}, F.multi_margin_loss, y, t),
        ({"op": "multi_margin", "margin": 0.5, "p": 2}, lambda a, b: F.multi_margin_loss(a, b, p=2, margin=0.5), y, t),
        ({"op": "binary_cross_entropy"},
         lambda a, b: F.binary_cross_entropy_with_logits(a, F.one_hot(b, C).float()), y, t),
        ({"op": "binary_cross_entropy", "pos_weight": 3.0},
         lambda a, b: F.binary_cross_entropy_with_logits(a[:, 0], b.float(), pos_weight=torch.tensor(3.0)), z, pair),
        ({"op": "hinge"}, lambda a, b: hinge(a, b, 1, 1), y, t),
        ({"op": "hinge", "margin": 0.5, "p": 2}, lambda a, b: hinge(a, b, 0.5, 2), y, t),
        ({"op": "mse"}, F.mse_loss, out, numbers),
        ({"op": "mae"}, F.l1_loss, out, numbers),
        ({"op": "huber", "delta": 0.7}, lambda a, b: F.huber_loss(a, b, delta=0.7), out, numbers),
        ({"op": "smooth_l1", "beta": 0.5}, lambda a, b: F.smooth_l1_loss(a, b, beta=0.5), out, numbers),
        ({"op": "log_cosh"}, lambda a, b: torch.log(torch.cosh(a - b)).mean(), out, numbers),
        ({"op": "quantile", "quantile": 0.8}, lambda a, b: torch.maximum(0.8 * (b - a), -0.2 * (b - a)).mean(), out,
         numbers),
        ({"op": "poisson_nll"}, F.poisson_nll_loss, out, counts),
        ({"op": "poisson_nll", "log_input": False}, lambda a, b: F.poisson_nll_loss(a, b, log_input=False),
         out.abs() + 0.5, counts),
        ({"op": "gaussian_nll"}, lambda a, b: F.gaussian_nll_loss(a[:, :2], b, a[:, 2:].exp()), four, numbers),
        ({"op": "sum", "parts": [{"op": "mse", "weight": 0.7}, {"op": "mae", "weight": 0.3}]},
         lambda a, b: 0.7 * F.mse_loss(a, b) + 0.3 * F.l1_loss(a, b), out, numbers),
    ]
    shares = F.softmax(torch.randn(ROWS, C, generator=source), 1)
    shares[0] = torch.tensor([0.0, 1.0, 0.0, 0.0])
    log_q = F.log_softmax(y, 1)
    table += [({"op": "kl_div"}, lambda a, b: F.kl_div(a, b, reduction="batchmean"), log_q, shares),
              ({"op": "kl_div", "log_target": True},
               lambda a, b: F.kl_div(a, b, reduction="batchmean", log_target=True), log_q, (shares + 1e-3).log())]
    write("losses.json", {"cases": [loss_case(*row) for row in table]})


# --- metrics ---------------------------------------------------------------------------------------------------------


def ece(p, t, bins=15):
    confidence, right = p.max(1), p.argmax(1) == t
    total = 0
    for b in range(bins):
        inside = (confidence > b / bins) & (confidence <= (b + 1) / bins)
        if inside.any():
            total += abs(right[inside].mean() - confidence[inside].mean()) * inside.mean()
    return total


def class_metrics(y, t):
    import sklearn.metrics as m
    p = torch.softmax(torch.tensor(y, dtype=torch.float64), 1).numpy()
    q, classes = y.argmax(1), list(range(y.shape[1]))
    values = {"accuracy": m.accuracy_score(t, q), "balanced_accuracy": m.balanced_accuracy_score(t, q),
              "kappa": m.cohen_kappa_score(t, q), "mcc": m.matthews_corrcoef(t, q), "ece": ece(p, t),
              "log_loss": m.log_loss(t, p, labels=classes), "perplexity": math.exp(m.log_loss(t, p, labels=classes)),
              "brier": m.brier_score_loss(t, p, labels=classes), "f1_micro": m.f1_score(t, q, average="micro")}
    for mean in ("macro", "weighted"):
        values |= {f"f1_{mean}": m.f1_score(t, q, average=mean, zero_division=0),
                   f"precision_{mean}": m.precision_score(t, q, average=mean, zero_division=0),
                   f"recall_{mean}": m.recall_score(t, q, average=mean, zero_division=0)}
    if y.shape[1] == 2:
        values |= {"f1": m.f1_score(t, q), "precision": m.precision_score(t, q), "recall": m.recall_score(t, q),
                   "auc": m.roc_auc_score(t, p[:, 1].astype("float32"))}
    else:
        values |= {f"top_{k}": m.top_k_accuracy_score(t, y, k=k, labels=classes) for k in (2, 3)}
        values["auc"] = numpy.mean([m.roc_auc_score(t == c, p[:, c].astype("float32")) for c in classes])
    return {"classes": y.shape[1], "output": y.tolist(), "targets": t.tolist(),
            "values": {name: float(value) for name, value in values.items()}}


def number_metrics(y, t):
    import sklearn.metrics as m
    values = {"mae": m.mean_absolute_error(t, y), "mse": m.mean_squared_error(t, y),
              "rmse": math.sqrt(m.mean_squared_error(t, y)), "r2": m.r2_score(t, y),
              "explained_variance": m.explained_variance_score(t, y),
              "mape": m.mean_absolute_percentage_error(t, y), "max_error": float(abs(t - y).max())}
    return {"classes": 0, "output": y.tolist(), "targets": t.tolist(),
            "values": {name: float(value) for name, value in values.items()}}


def metrics():
    source = numpy.random.default_rng(3)

    def logits(n, classes, t, digits):
        y = source.normal(size=(n, classes)) + 1.2 * numpy.eye(classes)[t]
        return numpy.round(y, digits).astype("float32").astype("float64")

    two, five = source.integers(0, 2, 60), source.integers(0, 5, 80)
    ties = source.integers(0, 2, 50)
    flat = logits(50, 2, ties, 0)
    flat[:, 0] = 0  # equal outputs score equal to the last bit
    numbers = source.normal(size=(40, 2)).astype("float32").astype("float64")
    far = numpy.round(2000 + source.normal(size=(40, 1)), 3).astype("float32").astype("float64")
    near = lambda t, noise: (t + noise * source.normal(size=t.shape)).astype("float32").astype("float64")
    write("metrics.json", {"cases": [class_metrics(logits(60, 2, two, 3), two),
                                     class_metrics(logits(80, 5, five, 3), five), class_metrics(flat, ties),
                                     number_metrics(near(numbers, 0.3), numbers), number_metrics(near(far, 0.5), far)]})


def write_files():
    optimizers()
    schedules()
    losses()
    if importlib.util.find_spec("sklearn"):
        metrics()
    else:
        print("metrics.json stays as it is: this Python has no scikit-learn")


if __name__ == "__main__":
    write_files()
