#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a model must beat: tomorrow as today, and a linear regression on the last two weeks (ridge 1; needs numpy).

baseline.py FILE: fits on the first 70 % of the days, prints the root mean squared error on the last 15 %, in degrees.
"""
import csv
import sys

import numpy as np

WINDOW = 14


def main():
    rows = list(csv.DictReader(open(sys.argv[1])))
    series = np.array([[float(r[c]) for c in ("temp_max", "temp_min", "precipitation", "wind")] for r in rows])
    days = len(series)
    first_test = days * 85 // 100
    end_train = days * 70 // 100
    scaled = (series - series[:end_train].mean(0)) / series[:end_train].std(0)
    windows = np.array([scaled[i - WINDOW:i].ravel() for i in range(WINDOW, days)])
    targets = series[WINDOW:, 0]
    ones = np.ones((len(windows), 1))
    inputs = np.hstack([windows, ones])
    train = slice(0, end_train - WINDOW)
    test = slice(first_test - WINDOW, None)
    a, b = inputs[train], targets[train]
    penalty = np.eye(a.shape[1])
    penalty[-1, -1] = 0
    weights = np.linalg.solve(a.T @ a + penalty, a.T @ b)
    linear = inputs[test] @ weights - targets[test]
    same = series[first_test - 1:-1, 0] - targets[test]
    for name, error in (("as today", same), ("linear regression", linear)):
        print(f"{name}: RMSE {np.sqrt(np.mean(error ** 2)):.3f}, MAE {np.mean(np.abs(error)):.3f} degrees Celsius")


main()
