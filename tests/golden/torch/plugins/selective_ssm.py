#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes selective_ssm.json: a selective state space block by NumPy alone, from the formulas of Gu and Dao (2023).

  selective_ssm.py >selective_ssm.json

Loops over batch, position and channel instead of tensor operations; gradients are complex-step derivatives, which are
exact to the last digits of a double and know nothing of a backward pass.
"""
import json

import numpy as np

B, L, D, EXPAND, STATE, CONV, RANK = 2, 5, 3, 2, 2, 3, 1
INNER = EXPAND * D
SHAPES = {"in_proj.weight": (2 * INNER, D), "conv.weight": (INNER, 1, CONV), "conv.bias": (INNER,),
          "x_proj.weight": (RANK + 2 * STATE, INNER), "dt_proj.weight": (INNER, RANK), "dt_proj.bias": (INNER,),
          "A_log": (INNER, STATE), "D": (INNER,), "out_proj.weight": (D, INNER)}


def silu(v):
    return v / (1 + np.exp(-v))


def block(u, p):
    out = np.zeros((B, L, D), complex)
    for b in range(B):
        h = np.zeros((INNER, STATE), complex)
        x_in = [p["in_proj.weight"][:INNER] @ u[b, t] for t in range(L)]
        z = [p["in_proj.weight"][INNER:] @ u[b, t] for t in range(L)]
        for t in range(L):
            x = p["conv.bias"].astype(complex)
            for k in range(CONV):
                if t - (CONV - 1) + k >= 0:
                    x = x + p["conv.weight"][:, 0, k] * x_in[t - (CONV - 1) + k]
            x = silu(x)
            chosen = p["x_proj.weight"] @ x
            low, to_state, from_state = chosen[:RANK], chosen[RANK:RANK + STATE], chosen[RANK + STATE:]
            dt = np.log(1 + np.exp(p["dt_proj.weight"] @ low + p["dt_proj.bias"]))
            y = np.zeros(INNER, complex)
            for c in range(INNER):
                for n in range(STATE):
                    h[c, n] = np.exp(-dt[c] * np.exp(p["A_log"][c, n])) * h[c, n] + dt[c] * to_state[n] * x[c]
                    y[c] += from_state[n] * h[c, n]
            out[b, t] = p["out_proj.weight"] @ ((y + p["D"] * x) * silu(z[t]))
    return out


def gradient(value, name, values, weights):
    step, grads = 1e-30, np.zeros(value.shape)
    for at in np.ndindex(*value.shape):
        moved = dict(values)
        moved[name] = value.astype(complex)
        moved[name][at] += 1j * step
        grads[at] = (block(moved["u"], moved) * weights).sum().imag / step
    return grads


def main():
    random = np.random.default_rng(7)
    values = {name: random.uniform(-1, 1, shape).astype(np.float32).astype(float) for name, shape in SHAPES.items()}
    values["u"] = random.uniform(-1, 1, (B, L, D)).astype(np.float32).astype(float)
    weights = random.uniform(-1, 1, (B, L, D)).astype(np.float32).astype(float)
    answer = {"values": {name: value.ravel().tolist() for name, value in values.items()},
              "weights": weights.ravel().tolist(), "output": block(values["u"], values).real.ravel().tolist(),
              "grads": {name: gradient(value, name, values, weights).ravel().tolist() for name, value in values.items()}}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
