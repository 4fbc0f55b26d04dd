# SPDX-License-Identifier: Apache-2.0
"""Boosts trees that tell who survived the Titanic; every fifth passenger is for validation."""
from pathlib import Path

import dlrun
import lightgbm
import pandas
from dlrun import callbacks

TABLE = Path(__file__).parent / "../titanic/data/titanic.csv"
INPUTS = ["pclass", "sex", "age", "sibsp", "parch", "fare", "embarked", "deck"]


def datasets():
    """Training and validation, as LightGBM's data sets; missing values stay missing, texts become categories."""
    table = pandas.read_csv(TABLE)
    x = table[INPUTS].astype({name: "category" for name in ("sex", "embarked", "deck")})
    is_val = table.index % 5 == 0
    train = lightgbm.Dataset(x[~is_val], table.survived[~is_val])
    return train, lightgbm.Dataset(x[is_val], table.survived[is_val], reference=train)


def train(trial):
    data, val = datasets()
    settings = {"objective": "binary", "metric": ["binary_logloss", "auc"], "num_threads": 1, "verbose": -1, "seed": 1,
                **trial.params}
    lightgbm.train(settings, data, num_boost_round=trial.to_step, valid_sets=[val], valid_names=["val"],
                   callbacks=[callbacks.lightgbm(trial)])


if __name__ == "__main__":
    train(dlrun.trial(steps=81, learning_rate=0.1))
