# SPDX-License-Identifier: Apache-2.0
"""Boosts trees that tell who survived the Titanic; every fifth passenger is for validation."""
from pathlib import Path

import lightgbm
import pandas

TABLE = Path(__file__).parent / "../titanic/data/titanic.csv"
INPUTS = ["pclass", "sex", "age", "sibsp", "parch", "fare", "embarked", "deck"]


def datasets():
    """Training and validation, as LightGBM's data sets; missing values stay missing, texts become categories."""
    table = pandas.read_csv(TABLE)
    x = table[INPUTS].astype({name: "category" for name in ("sex", "embarked", "deck")})
    is_val = table.index % 5 == 0
    train = lightgbm.Dataset(x[~is_val], table.survived[~is_val])
    return train, lightgbm.Dataset(x[is_val], table.survived[is_val], reference=train)


def train(learning_rate=0.1, num_leaves=31, min_data_in_leaf=20, feature_fraction=1.0, lambda_l2=0.0):
    data, val = datasets()
    settings = {"objective": "binary", "metric": ["binary_logloss", "auc"], "num_threads": 1, "verbose": -1, "seed": 1,
                "learning_rate": learning_rate, "num_leaves": num_leaves, "min_data_in_leaf": min_data_in_leaf,
                "feature_fraction": feature_fraction, "lambda_l2": lambda_l2}
    lightgbm.train(settings, data, num_boost_round=81, valid_sets=[val], valid_names=["val"],
                   callbacks=[lightgbm.log_evaluation(10)])


if __name__ == "__main__":
    train()
