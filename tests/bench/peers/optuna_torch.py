# SPDX-License-Identifier: Apache-2.0
"""One of two processes that share an Optuna study in a journal file and train a small net on the digits with PyTorch.

optuna_torch.py JOURNAL DIGITS.csv.gz TRIALS EPOCHS WIDTH. Same space, net, batches and split sizes as the dlrun study beside it.
"""
import gzip
import sys

import numpy
import optuna
import torch
from torch import nn

torch.set_num_threads(1)
optuna.logging.set_verbosity(optuna.logging.ERROR)
journal, path, trials, epochs, width = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])

with gzip.open(path, "rt") as file:
    rows = torch.tensor(numpy.loadtxt(file, delimiter=","), dtype=torch.float32)
order = torch.randperm(len(rows), generator=torch.Generator().manual_seed(7))
inputs, labels = rows[order, :-1] / 16, rows[order, -1].long()
cut = int(0.7 * len(rows))
end = int(0.85 * len(rows))


def accuracy(net):
    net.eval()
    with torch.no_grad():
        return (net(inputs[cut:end]).argmax(1) == labels[cut:end]).float().mean().item()


def objective(trial):
    lr = trial.suggest_float("lr", 1e-3, 1e-1, log=True)
    momentum = trial.suggest_float("momentum", 0.0, 0.95)
    net = nn.Sequential(nn.Linear(64, width), nn.ReLU(), nn.Linear(width, 10))
    optimizer = torch.optim.SGD(net.parameters(), lr=lr, momentum=momentum)
    loss = nn.CrossEntropyLoss()
    value = 0.0
    for epoch in range(epochs):
        net.train()
        for batch in torch.randperm(cut).split(32):
            optimizer.zero_grad()
            loss(net(inputs[batch]), labels[batch]).backward()
            optimizer.step()
        value = accuracy(net)
        trial.report(value, epoch)
    return value


backend = optuna.storages.journal.JournalFileBackend(journal)
study = optuna.create_study(
    study_name="digits", storage=optuna.storages.JournalStorage(backend), direction="maximize", load_if_exists=True,
    sampler=optuna.samplers.RandomSampler())
study.optimize(objective, callbacks=[optuna.study.MaxTrialsCallback(trials, states=None)], n_trials=trials)
