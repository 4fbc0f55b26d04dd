#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes bbob_values.inc: values of BBOB's functions by the package `ioh` (pip install ioh==0.4.2 numpy)."""
import ioh
import numpy as np

random = np.random.default_rng(7)
print("// SPDX-License-Identifier: Apache-2.0")
print("// {function, instance, value, coordinates} by the package `ioh` 0.4.2; made by bbob_values.py.")
for function in range(1, 25):
    for instance, dimensions in ((1, 2), (2, 5), (7, 10), (15, 3)):
        x = np.round(random.uniform(-5, 5, dimensions), 3)
        if instance == 15:
            x[0] = 5.5   # beyond the domain, where some functions have a penalty
        value = float(ioh.get_problem(function, instance, dimensions)(list(x)))
        print("{%d, %d, %r, {%s}}," % (function, instance, value, ", ".join(repr(float(v)) for v in x)))
