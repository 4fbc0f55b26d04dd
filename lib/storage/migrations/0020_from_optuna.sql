-- SPDX-License-Identifier: Apache-2.0
-- A study that Optuna carried out (docs/optuna.md): all that its storage held, as it was, beside the trials as dlrun has them. The
-- views of Optuna's names show these rows then. Other studies have none.

CREATE TABLE dl_optuna_study (id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL);  -- its name there
CREATE TABLE dl_optuna_direction (objective INTEGER PRIMARY KEY, direction TEXT NOT NULL);
CREATE TABLE dl_optuna_attribute (       -- ids of trials in keys of the dashboard are numbers here
  trial INTEGER NOT NULL,                -- -1: the study's
  is_system INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT,                            -- JSON
  place INTEGER NOT NULL,                -- in the order of all
  PRIMARY KEY (trial, is_system, name)
) WITHOUT ROWID;
CREATE TABLE dl_optuna_trial (trial INTEGER PRIMARY KEY, state TEXT NOT NULL, started TEXT, completed TEXT);
CREATE TABLE dl_optuna_param (
  trial INTEGER NOT NULL,
  place INTEGER NOT NULL,                -- from 0, in the order in which they were suggested
  name TEXT NOT NULL,
  value REAL,
  distribution TEXT NOT NULL,            -- JSON
  PRIMARY KEY (trial, place)
) WITHOUT ROWID;
CREATE TABLE dl_optuna_value (
  trial INTEGER NOT NULL, objective INTEGER NOT NULL,
  value REAL, kind TEXT NOT NULL,
  PRIMARY KEY (trial, objective)
) WITHOUT ROWID;
CREATE TABLE dl_optuna_step (
  trial INTEGER NOT NULL, step INTEGER NOT NULL,
  value REAL, kind TEXT NOT NULL,
  PRIMARY KEY (trial, step)
) WITHOUT ROWID;
