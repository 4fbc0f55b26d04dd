# SPDX-License-Identifier: Apache-2.0
"""How a table says what a case is.

A case is (about, tensors): `about` is what the test needs to build the same thing, `tensors` are float32 or int64
under names that the test knows. For layers and models (layer(), model()):
  in/NAME     inputs, with the batch          state/NAME  tensors of the model before the pass
  out, up     output in training, and the gradient that comes back to it
  grad/NAME   gradients of the tensors        gradin/NAME gradients of the inputs that hold numbers
  after/NAME  buffers after the pass          eval        output of an evaluation pass after
                                                          that, where it is not the same
"""
import zlib

import torch

BATCH = 2


def seeded(name):
    return torch.Generator().manual_seed(zlib.crc32(name.encode()))


def disturb(module, source):
    """Weights that begin at 1 or 0 hide mistakes."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter += 0.3 * torch.randn(parameter.shape, generator=source)


def make_input(written, source, batch):
    """[sizes…] draws numbers; {"shape": […], "vocabulary": n} draws indices; a tensor (with the batch) is taken."""
    if isinstance(written, torch.Tensor):
        return written
    if isinstance(written, dict):
        return torch.randint(0, written["vocabulary"], (batch, *written["shape"]), generator=source)
    return torch.randn(batch, *written, generator=source)


def about_input(written, tensor):
    vocabulary = written["vocabulary"] if isinstance(written, dict) else 0
    if isinstance(written, torch.Tensor) and tensor.dtype == torch.int64:
        vocabulary = int(tensor.max()) + 1
    return {"shape": list(tensor.shape[1:]), "vocabulary": vocabulary}


def passes(name, call, module, inputs, prefix, batch):
    """All tensors of a case: a training pass forward and back, then one of evaluation."""
    source = seeded(name)
    disturb(module, source)
    given = {key: make_input(value, source, batch) for key, value in inputs.items()}
    tensors = {f"in/{key}": value.clone() for key, value in given.items()}
    tensors |= {f"state/{prefix}{key}": value.clone() for key, value in module.state_dict().items()}
    leaves = {key: value.clone().requires_grad_(value.is_floating_point()) for key, value in given.items()}
    module.train()
    out = call(module, *leaves.values())
    up = torch.randn(out.shape, generator=source)
    if out.requires_grad:
        out.backward(up)
    tensors |= {"out": out, "up": up}
    tensors |= {f"grad/{prefix}{key}": p.grad for key, p in module.named_parameters() if p.grad is not None}
    tensors |= {f"gradin/{key}": x.grad for key, x in leaves.items() if x.grad is not None}
    tensors |= {f"after/{prefix}{key}": b.clone() for key, b in module.named_buffers() if key in module.state_dict()}
    module.eval()
    with torch.no_grad():
        tensors["eval"] = call(module, *given.values())
    if torch.equal(tensors["eval"], out):
        del tensors["eval"]
    about = {"name": name, "inputs": {key: about_input(inputs[key], given[key]) for key in inputs}}
    return about, tensors


def model(name, nodes, make, inputs, call=None, batch=BATCH):
    """Several nodes. `make` returns a module whose state_dict has dlrun's names. A group's inputs are by name."""
    torch.manual_seed(zlib.crc32(name.encode()))
    about, tensors = passes(name, call or (lambda m, *x: m(*x)), make(), inputs, "", batch)
    return about | {"nodes": nodes}, tensors


def title(node, inputs):
    shapes = [about_input(x, make_input(x, seeded(""), 1))["shape"] for x in inputs]
    return f"{node['op']} " + " ".join(f"{key}={value}" for key, value in node.items() if key != "op") + f" of {shapes}"


def layer(node, make, *inputs, batch=BATCH):
    """One node of one kind, named n, which reads x, x2, … in this order.
    @param make  a function without arguments that makes a module whose tensors are called as dlrun's, or, for kinds
                 without tensors, the function of the inputs itself"""
    name = title(node, inputs)
    torch.manual_seed(zlib.crc32(name.encode()))
    is_module = make.__code__.co_argcount == 0
    module = make() if is_module else torch.nn.Module()
    call = (lambda m, *x: m(*x)) if is_module else (lambda _, *x: make(*x))
    keys = ["x"] + [f"x{i}" for i in range(2, len(inputs) + 1)]
    about, tensors = passes(name, call, module, dict(zip(keys, inputs)), "n.", batch)
    return about | {"nodes": [{"name": "n", "from": keys, **node}]}, tensors
