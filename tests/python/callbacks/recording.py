# SPDX-License-Identifier: Apache-2.0
"""A trial that records its calls, and a callback's hooks recorded from a real library or replayed from a golden file.

A recorded run is {"trial": {…}, "hooks": [[name, facts, stops], …], "calls": [[…], …]}: `facts` is all that the hook reads of
its arguments, `stops` whether the library is told to stop, and `calls` are those that the trial got.
"""
import copy
import os
from pathlib import Path
from types import SimpleNamespace


class RecordingTrial:
    """The part of dlrun's trial that callbacks use. It is pruned at step `stop_after`; 0: it is not."""

    def __init__(self, folder, from_step=0, to_step=4, stop_after=0, resume=None):
        self.folder, self.from_step, self.to_step, self.stop_after = Path(folder), from_step, to_step, stop_after
        self.resume = resume
        self.params, self.seed = {}, 1
        self.calls = []

    @property
    def steps(self):
        return range(self.from_step + 1, self.to_step + 1)

    def facts(self):
        return {"from_step": self.from_step, "to_step": self.to_step, "stop_after": self.stop_after}

    def checkpoint(self, path, step=None):
        assert os.path.isfile(path), f"{path} is no file"
        self.calls.append(["checkpoint", os.path.basename(path)])

    def report(self, step, values=None, **metrics):
        self.calls.append(["report", step, {**(values or {}), **metrics}])
        return step < self.to_step and step != self.stop_after


def record(callback, kind, hooks):
    """Appends each call of the callback's hooks to the list `hooks`; returns what to give to the library. None: nothing is recorded."""
    if hooks is None:
        return callback

    def wrapped(name, method):
        def hook(*arguments, **more):
            facts = copy.deepcopy(kind.facts(name, *arguments, **more))
            try:
                answer = method(*arguments, **more)
            except Exception:
                hooks.append([name, facts, True])
                raise
            hooks.append([name, facts, kind.stops(answer, *arguments)])
            return answer
        return hook

    if kind.hooks == ["__call__"]:
        function = wrapped("__call__", callback)
        function.order, function.before_iteration = callback.order, callback.before_iteration
        return function
    for name in kind.hooks:
        setattr(callback, name, wrapped(name, getattr(callback, name)))
    return callback


def replay(callback, kind, hooks, folder):
    """Calls the callback's hooks as they were recorded; returns [[name, facts, stops], …] as it turns out now."""
    done = []
    for name, facts, _ in hooks:
        arguments, more = kind.arguments(name, copy.deepcopy(facts), callback, folder)
        try:
            stops = kind.stops(getattr(callback, name)(*arguments, **more), *arguments)
        except StopIteration:   # stands for LightGBM's exception
            stops = True
        done.append([name, facts, stops])
    return done


def _write(path, *_):
    Path(path).write_text("a checkpoint")


class Transformers:
    hooks = ["on_evaluate", "on_save"]

    @staticmethod
    def facts(name, args, state, control, metrics=None, **_):
        facts = {"global_step": state.global_step, "should_save": control.should_save,
                 "should_training_stop": control.should_training_stop}
        return {**facts, "metrics": metrics} if name == "on_evaluate" else facts

    @staticmethod
    def stops(_, args, state, control):
        return control.should_training_stop

    @staticmethod
    def arguments(name, facts, _, folder):
        saved = Path(folder, f"checkpoint-{facts['global_step']}")
        saved.mkdir(exist_ok=True)
        _write(saved / "weights")
        state = SimpleNamespace(global_step=facts["global_step"])
        control = SimpleNamespace(**{name: facts[name] for name in ("should_save", "should_training_stop")})
        more = {"metrics": facts["metrics"]} if "metrics" in facts else {}
        return (SimpleNamespace(output_dir=folder), state, control), more


class Lightning:
    hooks = ["on_validation_end", "on_train_epoch_end"]

    @staticmethod
    def facts(name, trainer, module):
        if name == "on_validation_end":
            return {"sanity_checking": trainer.sanity_checking}
        metrics = {key: float(value) for key, value in trainer.callback_metrics.items()}
        return {"enable_validation": trainer.enable_validation, "callback_metrics": metrics}

    @staticmethod
    def stops(_, trainer, module):
        return trainer.should_stop

    @staticmethod
    def arguments(name, facts, *_):
        return (SimpleNamespace(**facts, should_stop=False, save_checkpoint=_write), None), {}


class Keras:
    hooks = ["on_epoch_end"]
    model = None   # of the running training

    @classmethod
    def facts(cls, name, epoch, logs=None):
        return {"epoch": epoch, "logs": {key: float(value) for key, value in logs.items()}}

    @classmethod
    def stops(cls, *_):
        return cls.model.stop_training

    @classmethod
    def arguments(cls, name, facts, callback, _):
        cls.model = callback.model = SimpleNamespace(stop_training=False, save=_write)
        return (facts["epoch"], facts["logs"]), {}


class Xgboost:
    hooks = ["after_iteration"]

    @staticmethod
    def facts(name, model, epoch, evals_log):
        return {"epoch": epoch, "evals_log": {data: dict(log) for data, log in evals_log.items()}}

    @staticmethod
    def stops(answer, *_):
        return answer

    @staticmethod
    def arguments(name, facts, *_):
        return (SimpleNamespace(save_model=_write), facts["epoch"], facts["evals_log"]), {}


class Lightgbm:
    hooks = ["__call__"]

    @staticmethod
    def facts(name, env):
        return {"iteration": env.iteration, "results": [list(result[:3]) for result in env.evaluation_result_list]}

    @staticmethod
    def stops(*_):
        return False

    @staticmethod
    def arguments(name, facts, *_):
        model = SimpleNamespace(save_model=_write)
        return (SimpleNamespace(model=model, iteration=facts["iteration"], evaluation_result_list=facts["results"]),), {}
