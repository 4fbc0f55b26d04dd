-- SPDX-License-Identifier: Apache-2.0
-- Causes more, whose names are written with this step: what no setting of a trial asked for (`machine`, `crowded`,
-- `artifact`). Pieces that were run again for an artifact that was missing or damaged.

CREATE TABLE dl_repair (
  id INTEGER PRIMARY KEY,
  trial INTEGER NOT NULL, replicate INTEGER NOT NULL, fold INTEGER NOT NULL, piece INTEGER NOT NULL,
  attempt INTEGER NOT NULL,              -- whose artifacts were made again
  epoch   INTEGER NOT NULL,              -- of the driver
  epochs  INTEGER NOT NULL,
  seconds REAL NOT NULL,
  time    INTEGER NOT NULL
);
