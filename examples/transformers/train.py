# SPDX-License-Identifier: Apache-2.0
"""Trains a small Llama on the characters of The Devil's Dictionary. Weights begin at random; nothing is downloaded."""
import gzip
from pathlib import Path

import dlrun
from dlrun import callbacks
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments, set_seed

TEXT = Path(__file__).parent / "../text/data/devils-dictionary.txt.gz"
LENGTH = 64   # characters of a window


def windows():
    """[{"input_ids": [LENGTH], "labels": [LENGTH]}, …] of codes below 128; the model shifts the labels itself."""
    codes = [min(ord(c), 127) for c in gzip.open(TEXT, "rt").read()]
    rows = [codes[n:n + LENGTH] for n in range(0, len(codes) - LENGTH, LENGTH)]
    return [{"input_ids": row, "labels": row} for row in rows]


def train(trial, lr, layers, warmup, decay):
    set_seed(1)
    rows = windows()
    model = LlamaForCausalLM(LlamaConfig(
        vocab_size=128, hidden_size=48, intermediate_size=96, num_hidden_layers=layers, num_attention_heads=4))
    arguments = TrainingArguments(
        output_dir=trial.folder, num_train_epochs=trial.to_step,
        learning_rate=lr, warmup_steps=warmup, weight_decay=decay, per_device_train_batch_size=16,
        per_device_eval_batch_size=128, eval_strategy="epoch", save_strategy="epoch", save_total_limit=1,
        report_to=[], disable_tqdm=True)
    reports = callbacks.transformers(trial)
    trainer = Trainer(model, arguments, train_dataset=rows[500:1500], eval_dataset=rows[:500], callbacks=[reports])
    trainer.train(resume_from_checkpoint=reports.resume)


def objective(trial):
    train(trial, **trial.params)


if __name__ == "__main__":
    objective(dlrun.trial(steps=9, lr=1e-3, layers=2, warmup=10, decay=0.0))
