# SPDX-License-Identifier: Apache-2.0
"""Callbacks that report a training of another library to dlrun, and end it when its trial is pruned.

    import dlrun
    from dlrun import callbacks

    trial = dlrun.trial(lr=0.001)
    reports = callbacks.keras(trial)
    model = keras.models.load_model(reports.resume) if reports.resume else build(**trial.params)
    model.fit(x, y, initial_epoch=trial.from_step, epochs=trial.to_step, callbacks=[reports], ...)

One step is an epoch, a boosting round or an evaluation; each function says which. Steps count from 1 over the whole trial:
a trial that resumes continues with `trial.from_step + 1`. Metrics keep the names that the library gives them.

`save_every=N` leaves a checkpoint after each N-th step; 0: none. `resume` of a callback is the path of the checkpoint to
continue from, in the library's own format, or None. All training is in one process. Nothing but Python's standard library
and the library in question is needed, and this file may be copied.
"""
import os
import pickle
import sys
import tarfile
from pathlib import Path

__all__ = ["keras", "lightgbm", "lightning", "partial_fit", "transformers", "xgboost"]


def transformers(trial, eval_sets=1):
    """A callback of Hugging Face's Trainer. One step is one evaluation during train(), by `eval_strategy`.

    eval_sets   how many sets `eval_dataset` has, if it is a dict: a step is over when each was evaluated
    Checkpoints are those that Trainer saves at an evaluation (`save_strategy` the same as `eval_strategy`); pass
    `trainer.train(resume_from_checkpoint=reports.resume)`.
    """
    from transformers import TrainerCallback
    return _kind(TransformersReports, TrainerCallback)(trial, eval_sets)


def lightning(trial, save_every=1):
    """A callback of PyTorch Lightning's Trainer. One step is one epoch; if there is validation, one that validated.

    Pass `trainer.fit(model, ckpt_path=reports.resume)` and `max_epochs=trial.to_step`.
    """
    if "pytorch_lightning" in sys.modules and "lightning.pytorch" not in sys.modules:
        from pytorch_lightning import Callback
    else:
        from lightning.pytorch import Callback
    return _kind(LightningReports, Callback)(trial, save_every)


def keras(trial, save_every=1):
    """A callback of Keras 3. One step is one epoch; the example above shows how to resume."""
    from keras.callbacks import Callback
    return _kind(KerasReports, Callback)(trial, save_every)


def xgboost(trial, save_every=0):
    """A callback of xgboost.train() and XGBoost's estimators. One step is one boosting round.

    Metrics are named DATA.METRIC by the names in `evals`. Pass `xgb_model=reports.resume` and
    `num_boost_round=len(trial.steps)`.
    """
    from xgboost.callback import TrainingCallback
    return _kind(XgboostReports, TrainingCallback)(trial, save_every)


def lightgbm(trial, save_every=0):
    """A callback of lightgbm.train() and LightGBM's estimators. One step is one boosting round.

    Metrics are named DATA.METRIC by `valid_names`. Pass `init_model=reports.resume` and
    `num_boost_round=len(trial.steps)`.
    """
    from lightgbm.callback import EarlyStopException
    return LightgbmReports(trial, save_every, EarlyStopException)


def partial_fit(trial, model, x, y, measure, *, classes=None, save_every=0):
    """Trains a scikit-learn estimator; one step is one call of its partial_fit(). Returns the estimator.

    x, y      the training examples, all of them in each step
    measure   a function: estimator -> {metric: value}
    classes   all labels, for classifiers: y may lack some
    A trial that resumes continues with the estimator of its checkpoint, in place of `model`.
    """
    steps = _Steps(trial, save_every, ".pickle")
    if steps.resume:
        with open(steps.resume, "rb") as file:
            model = pickle.load(file)
    more = {} if classes is None else {"classes": classes}
    for _ in trial.steps:
        model.partial_fit(x, y, **more)
        if not steps.end(measure(model), lambda path: _pickle(model, path)):
            break
    return model


class TransformersReports:
    """See transformers(). A checkpoint has to be told before its step is reported, and Trainer saves after it evaluates:
    if it is about to save, the report waits for that."""

    def __init__(self, trial, eval_sets=1):
        super().__init__()
        self.steps = _Steps(trial, 1, ".tar")
        self.eval_sets = eval_sets
        self.newest, self.evaluated = 0, eval_sets   # optimiser step of the last evaluation, and sets evaluated there
        self.measured, self.awaits_save = {}, False

    @property
    def resume(self):
        """The folder of the checkpoint to continue from, unpacked; or None."""
        if not self.steps.resume:
            return None
        with tarfile.open(self.steps.resume) as archive:
            name = archive.next().name
            archive.extractall(self.steps.trial.folder)
        return os.path.join(self.steps.trial.folder, name)

    def on_train_begin(self, args, state, control, **more):
        """An evaluation may follow before the first step (`eval_on_start`): if training resumes, that of its checkpoint again."""
        self.newest, self.evaluated = state.global_step, self.eval_sets

    def on_evaluate(self, args, state, control, metrics=None, **more):
        if state.global_step != self.newest:
            self.newest, self.evaluated, self.measured = state.global_step, 0, {}
        self.evaluated += 1
        self.measured |= {name: value for name, value in (metrics or {}).items() if not _is_time(name)}
        if self.evaluated != self.eval_sets:   # more: before training, or by the user after it
            return
        self.awaits_save = control.should_save
        if not self.awaits_save:
            self._report(control)

    def on_save(self, args, state, control, **more):
        if self.awaits_save:
            self.awaits_save = False
            folder = os.path.join(args.output_dir, f"checkpoint-{state.global_step}")
            self._report(control, lambda path: _pack(folder, path))

    def _report(self, control, save=None):
        if not self.steps.end(self.measured, save):
            control.should_training_stop = True


class LightningReports:
    """See lightning()."""

    def __init__(self, trial, save_every):
        super().__init__()
        self.steps = _Steps(trial, save_every, ".ckpt")
        self.resume = self.steps.resume
        self.has_validated = False

    def on_validation_end(self, trainer, module):
        self.has_validated = not trainer.sanity_checking

    def on_train_epoch_end(self, trainer, module):
        if trainer.enable_validation and not self.has_validated:
            return
        self.has_validated = False
        if not self.steps.end(trainer.callback_metrics, trainer.save_checkpoint):
            trainer.should_stop = True


class KerasReports:
    """See keras()."""

    def __init__(self, trial, save_every):
        super().__init__()
        self.steps = _Steps(trial, save_every, ".keras")
        self.resume = self.steps.resume

    def on_epoch_end(self, epoch, logs=None):
        if not self.steps.end(logs or {}, self.model.save):
            self.model.stop_training = True


class XgboostReports:
    """See xgboost()."""

    def __init__(self, trial, save_every):
        super().__init__()
        self.steps = _Steps(trial, save_every, ".ubj")
        self.resume = self.steps.resume

    def after_iteration(self, model, epoch, evals_log):
        newest = {f"{data}.{metric}": values[-1] for data, log in evals_log.items() for metric, values in log.items()}
        is_over = not self.steps.end(newest, model.save_model)
        return is_over and not self.steps.is_last   # after the last round early stopping has to be heard too


class LightgbmReports:
    """See lightgbm()."""

    order = 25   # after record_evaluation (20) and before early_stopping (30), so that its last round is reported too
    before_iteration = False

    def __init__(self, trial, save_every, stop):
        self.steps = _Steps(trial, save_every, ".txt")
        self.resume = self.steps.resume
        self.stop = stop   # exception that ends lightgbm.train()

    def __call__(self, env):
        newest = {f"{result[0]}.{result[1]}": result[2] for result in env.evaluation_result_list}
        is_over = not self.steps.end(newest, env.model.save_model)
        if is_over and not self.steps.is_last:   # after the last round early stopping has to be heard too
            raise self.stop(env.iteration, env.evaluation_result_list)


class _Steps:
    """Counts and reports the steps of a trial, and leaves checkpoints of them."""

    kept = 2   # newest checkpoints of this process

    def __init__(self, trial, save_every, suffix):
        self.trial, self.save_every, self.suffix = trial, save_every, suffix
        self.step = trial.from_step
        self.files = {}   # step: path
        self.reported = {}   # metric: newest step that has it
        self.resume = _named(trial, suffix)

    @property
    def is_last(self):
        return self.step >= self.trial.to_step

    def end(self, metrics, save=None):
        """A step is over. Returns whether to continue.

        metrics   {name: number, or tensor or array of one element}; what is no number is left out
        save      a function: path of a file to write -> whatever; None: there is no checkpoint of this step
        """
        self.step += 1
        if save and self.save_every and self.step % self.save_every == 0:
            self._save(save)
        values = _numbers(metrics)
        self.reported.update(dict.fromkeys(values, self.step))
        return self.trial.report(self.step, values)

    def _save(self, save):
        path = os.path.join(self.trial.folder, f"step-{self.step}{self.suffix}")
        save(path)
        self.trial.checkpoint(path)
        self.files[self.step] = path
        for step in self._useless():
            os.remove(self.files.pop(step))

    def _useless(self):
        """Steps of old files. A trial can resume from a file if its step, or a later one, has the objective, which may be any of
        the metrics: the newest file that each metric allows stays."""
        steps = sorted(self.files)
        allowed = [[step for step in steps if step <= newest] for newest in self.reported.values()]
        return set(steps[:-self.kept]) - {those[-1] for those in allowed if those}


def _kind(hooks, base):
    """A class with these hooks that the library takes for its own kind of callback."""
    return type(hooks.__name__, (hooks, base), {})


def _named(trial, suffix):
    """The checkpoint to continue from, under a name with the suffix that the library knows its formats by; or None."""
    if not trial.resume or str(trial.resume).endswith(suffix):
        return trial.resume and str(trial.resume)
    link = Path(trial.folder) / f"resume{suffix}"
    link.unlink(missing_ok=True)
    link.symlink_to(os.path.abspath(trial.resume))
    return str(link)


def _numbers(metrics):
    found = {}
    for name, value in metrics.items():
        try:
            found[name] = float(value)
        except (TypeError, ValueError, RuntimeError):   # RuntimeError: a tensor of several elements
            pass
    return found


def _is_time(name):
    """Is it a value of Trainer's that differs from run to run, or the epoch?"""
    return name == "epoch" or name.endswith(("_runtime", "_per_second", "_preparation_time"))


def _pack(folder, path):
    with tarfile.open(path, "w") as archive:
        archive.add(folder, arcname=os.path.basename(folder))


def _pickle(model, path):
    with open(path, "wb") as file:
        pickle.dump(model, file)
