# SPDX-License-Identifier: Apache-2.0
"""One small training by each library, with its callback. A function takes (trial, hooks) and appends to the list `hooks` what
was recorded.

Data, weights and order of examples come from fixed seeds, so that a training which resumes ends as one that was not interrupted.
"""
import numpy

import recording
from dlrun import callbacks


def numbers():
    """(x [64, 4], y [64]) of float32: classes 0 and 1 by a plane with noise."""
    random = numpy.random.default_rng(7)
    x = random.normal(size=(64, 4)).astype("float32")
    return x, (x @ [1, -2, 0.5, 0] + random.normal(size=64) > 0).astype("float32")


def train_transformers(trial, hooks=None):
    import torch
    from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
    tokens = torch.tensor(numpy.random.default_rng(7).integers(1, 20, size=(32, 6)))
    rows = [{"input_ids": row, "attention_mask": torch.ones_like(row), "labels": row.sum() % 2} for row in tokens]
    torch.manual_seed(1)
    model = BertForSequenceClassification(BertConfig(vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=2,
                                                     intermediate_size=16))
    arguments = TrainingArguments(output_dir=str(trial.folder), num_train_epochs=trial.to_step, eval_strategy="epoch",
                                  save_strategy="epoch", save_total_limit=1, report_to=[], disable_tqdm=True, use_cpu=True,
                                  per_device_train_batch_size=8, learning_rate=0.02, logging_strategy="no", seed=trial.seed)
    reports = recording.record(callbacks.transformers(trial), recording.Transformers, hooks)
    trainer = Trainer(model, arguments, train_dataset=rows[:24], eval_dataset=rows[24:], callbacks=[reports])
    trainer.train(resume_from_checkpoint=reports.resume)
    trainer.evaluate()   # must not be counted as a step


def train_lightning(trial, hooks=None):
    import lightning.pytorch
    return _train_lightning(lightning.pytorch, trial, hooks)


def train_pytorch_lightning(trial, hooks=None):
    import pytorch_lightning
    return _train_lightning(pytorch_lightning, trial, hooks)


def _train_lightning(library, trial, hooks):
    import torch

    class Model(library.LightningModule):
        def __init__(self):
            super().__init__()
            torch.manual_seed(1)
            self.layer = torch.nn.Linear(4, 1)

        def loss(self, batch):
            return torch.nn.functional.binary_cross_entropy_with_logits(self.layer(batch[0])[:, 0], batch[1])

        def training_step(self, batch, _):
            loss = self.loss(batch)
            self.log("train_loss", loss, on_epoch=True, on_step=False)
            return loss

        def validation_step(self, batch, _):
            self.log("val_loss", self.loss(batch))

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters(), lr=0.05)

    x, y = map(torch.tensor, numbers())
    data = torch.utils.data.TensorDataset(x, y)
    batches = torch.utils.data.DataLoader(data, batch_size=16)
    reports = recording.record(callbacks.lightning(trial), recording.Lightning, hooks)
    assert isinstance(reports, library.Callback)
    trainer = library.Trainer(max_epochs=trial.to_step, accelerator="cpu", logger=False, enable_checkpointing=False,
                              enable_progress_bar=False, enable_model_summary=False, callbacks=[reports],
                              default_root_dir=trial.folder)
    trainer.fit(Model(), batches, batches, ckpt_path=reports.resume)


def train_keras(trial, hooks=None):
    import keras
    keras.utils.set_random_seed(1)
    x, y = numbers()
    reports = callbacks.keras(trial)
    if reports.resume:
        model = keras.models.load_model(reports.resume)
    else:
        model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1, activation="sigmoid")])
        model.compile(keras.optimizers.Adam(0.05), "binary_crossentropy", metrics=["accuracy"])
    recording.Keras.model = model
    model.fit(x, y, validation_data=(x[:16], y[:16]), initial_epoch=trial.from_step, epochs=trial.to_step, shuffle=False,
              verbose=0, callbacks=[recording.record(reports, recording.Keras, hooks)])


def train_xgboost(trial, hooks=None):
    import xgboost
    x, y = numbers()
    train, val = xgboost.DMatrix(x[:48], y[:48]), xgboost.DMatrix(x[48:], y[48:])
    reports = recording.record(callbacks.xgboost(trial, save_every=1), recording.Xgboost, hooks)
    xgboost.train({"objective": "binary:logistic", "max_depth": 2, "nthread": 1}, train, num_boost_round=len(trial.steps),
                  evals=[(train, "train"), (val, "val")], verbose_eval=False, xgb_model=reports.resume, callbacks=[reports])


def train_lightgbm(trial, hooks=None):
    import lightgbm
    x, y = numbers()
    train = lightgbm.Dataset(x[:48], y[:48], free_raw_data=False)
    callback = callbacks.lightgbm(trial, save_every=1)
    lightgbm.train({"objective": "binary", "min_data_in_leaf": 4, "num_threads": 1, "verbose": -1}, train,
                   num_boost_round=len(trial.steps), init_model=callback.resume, valid_names=["val"],
                   valid_sets=[lightgbm.Dataset(x[48:], y[48:], reference=train, free_raw_data=False)],
                   callbacks=[recording.record(callback, recording.Lightgbm, hooks)])


def train_sklearn(trial, hooks=None):
    from sklearn.linear_model import SGDClassifier
    x, y = numbers()
    model = SGDClassifier(loss="log_loss", random_state=1)
    callbacks.partial_fit(trial, model, x[:48], y[:48], lambda model: {"accuracy": model.score(x[48:], y[48:])}, classes=[0, 1],
                          save_every=1)


PACKAGES = {"transformers": ["transformers", "accelerate", "torch"], "lightning": ["lightning", "torch"],
            "pytorch_lightning": ["pytorch_lightning", "torch"], "keras": ["keras", "torch"], "xgboost": ["xgboost"],
            "lightgbm": ["lightgbm"], "sklearn": ["scikit-learn"]}
