# SPDX-License-Identifier: Apache-2.0
"""Callbacks for other libraries make the calls that they made with the real ones (goldens/, written by record.py).

No library is needed: its hooks are called as they were recorded.
"""
import json
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "python")]
import recording  # noqa: E402
from dlrun import callbacks  # noqa: E402
from recording import RecordingTrial  # noqa: E402

CALLBACKS = {
    "transformers": (recording.Transformers, lambda trial: callbacks.TransformersReports(trial)),
    "lightning": (recording.Lightning, lambda trial: callbacks.LightningReports(trial, 1)),
    "pytorch_lightning": (recording.Lightning, lambda trial: callbacks.LightningReports(trial, 1)),
    "keras": (recording.Keras, lambda trial: callbacks.KerasReports(trial, 1)),
    "xgboost": (recording.Xgboost, lambda trial: callbacks.XgboostReports(trial, 1)),
    "lightgbm": (recording.Lightgbm, lambda trial: callbacks.LightgbmReports(trial, 1, lambda *_: StopIteration())),
}


class Estimator:
    """Stands for one of scikit-learn; counts its calls."""
    steps = 0

    def partial_fit(self, x, y, classes=None):
        self.steps += 1


class InFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="dlrun-callbacks-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)


class Goldens(InFolder):
    """Each callback does now as it did with its library."""

    def golden(self, library):
        return json.loads((HERE / "goldens" / f"{library}.json").read_text())["runs"]

    def test_hooks_lead_to_the_recorded_calls(self):
        for library, (kind, make) in CALLBACKS.items():
            for name, run in self.golden(library).items():
                with self.subTest(library, run=name):
                    trial = RecordingTrial(self.folder, **run["trial"])
                    hooks = recording.replay(make(trial), kind, run["hooks"], self.folder)
                    self.assertEqual(hooks, run["hooks"])
                    self.assertEqual(trial.calls, run["calls"])

    def test_an_estimator_is_trained_step_by_step(self):
        for name, run in self.golden("sklearn").items():
            with self.subTest(name):
                trial = RecordingTrial(self.folder, **run["trial"])
                measured = iter([call[2] for call in run["calls"] if call[0] == "report"])
                model = callbacks.partial_fit(trial, Estimator(), [], [], lambda _: next(measured), classes=[0, 1], save_every=1)
                self.assertEqual(trial.calls, run["calls"])
                self.assertEqual(model.steps, len(run["calls"]) // 2)


class Details(InFolder):
    def test_the_two_newest_checkpoints_stay(self):
        trial = RecordingTrial(self.folder)
        callbacks.partial_fit(trial, Estimator(), [], [], lambda _: {"loss": 1}, save_every=1)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["step-3.pickle", "step-4.pickle"])

    def test_the_newest_checkpoint_with_each_metric_stays(self):
        measured = iter([{"loss": 1, **({"val": 1} if step % 4 == 0 else {})} for step in range(1, 8)])
        trial = RecordingTrial(self.folder, to_step=7)
        callbacks.partial_fit(trial, Estimator(), [], [], lambda _: next(measured), save_every=1)
        self.assertEqual(sorted(path.stem for path in self.folder.iterdir()), ["step-4", "step-6", "step-7"])

    def test_an_estimator_goes_on_from_its_checkpoint(self):
        trial = RecordingTrial(self.folder, to_step=2)
        callbacks.partial_fit(trial, Estimator(), [], [], lambda _: {}, save_every=1)
        trial = RecordingTrial(self.folder, from_step=2, resume=self.folder / "step-2.pickle")
        self.assertEqual(callbacks.partial_fit(trial, Estimator(), [], [], lambda _: {}).steps, 4)

    def test_a_folder_of_trainer_is_packed_and_unpacked(self):
        (self.folder / "checkpoint-9").mkdir()
        (self.folder / "checkpoint-9" / "weights").write_text("w")
        callbacks._pack(self.folder / "checkpoint-9", self.folder / "artifact")
        other = self.folder / "other"
        other.mkdir()
        trial = RecordingTrial(other, from_step=2, resume=self.folder / "artifact")
        folder = Path(callbacks.TransformersReports(trial).resume)
        self.assertEqual((folder, (folder / "weights").read_text()), (other / "checkpoint-9", "w"))

    def test_trainer_may_save_without_evaluating_and_evaluate_without_saving(self):
        trial = RecordingTrial(self.folder)
        reports = callbacks.TransformersReports(trial)
        control = SimpleNamespace(should_save=False, should_training_stop=False)
        args = SimpleNamespace(output_dir=self.folder)
        reports.on_evaluate(args, SimpleNamespace(global_step=0), control, {"eval_loss": 9})   # eval_on_start
        reports.on_save(args, SimpleNamespace(global_step=2), control)
        reports.on_evaluate(args, SimpleNamespace(global_step=3), control, {"eval_loss": 1})
        self.assertEqual(trial.calls, [["report", 1, {"eval_loss": 1.0}]])

    def test_an_evaluation_before_a_training_that_resumes_is_no_step(self):
        trial = RecordingTrial(self.folder, from_step=2)
        reports = callbacks.TransformersReports(trial, eval_sets=2)
        control = SimpleNamespace(should_save=False, should_training_stop=False)
        reports.on_train_begin(None, SimpleNamespace(global_step=20), control)
        for step, name in ((20, "eval_a_loss"), (20, "eval_b_loss"), (30, "eval_a_loss"), (30, "eval_b_loss")):
            reports.on_evaluate(None, SimpleNamespace(global_step=step), control, {name: step})
        self.assertEqual(trial.calls, [["report", 3, {"eval_a_loss": 30.0, "eval_b_loss": 30.0}]])

    def test_a_step_of_trainer_is_over_when_each_set_was_evaluated(self):
        trial = RecordingTrial(self.folder)
        reports = callbacks.TransformersReports(trial, eval_sets=2)
        control = SimpleNamespace(should_save=False, should_training_stop=False)
        for step, name in ((3, "eval_a_loss"), (3, "eval_b_loss"), (6, "eval_a_loss"), (6, "eval_b_loss"), (6, "test_loss")):
            reports.on_evaluate(None, SimpleNamespace(global_step=step), control, {name: step})
        self.assertEqual(trial.calls, [["report", n, {"eval_a_loss": 3.0 * n, "eval_b_loss": 3.0 * n}] for n in (1, 2)])

    def test_epochs_without_validation_are_no_steps_where_there_is_some(self):
        trial = RecordingTrial(self.folder)
        reports = callbacks.LightningReports(trial, 0)
        trainer = SimpleNamespace(sanity_checking=False, enable_validation=True, callback_metrics={"val_loss": 1})
        trainer.save_checkpoint = None
        reports.on_train_epoch_end(trainer, None)
        reports.on_validation_end(trainer, None)
        reports.on_train_epoch_end(trainer, None)
        self.assertEqual(trial.calls, [["report", 1, {"val_loss": 1.0}]])

    def test_values_that_are_no_numbers_are_left_out(self):
        self.assertEqual(callbacks._numbers({"a": 1, "b": None, "c": "x", "d": [1, 2]}), {"a": 1.0})

    def test_without_a_checkpoint_there_is_none_to_resume(self):
        for library, (_, make) in CALLBACKS.items():
            with self.subTest(library):
                self.assertIsNone(make(RecordingTrial(self.folder)).resume)


if __name__ == "__main__":
    unittest.main()
