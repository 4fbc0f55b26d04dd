-- SPDX-License-Identifier: Apache-2.0
-- What attempts took of their machine's energy, as far as it can be read (docs/energy.md). No row: it was not measured.

CREATE TABLE dl_energy (                 -- of an attempt
  trial INTEGER NOT NULL, replicate INTEGER NOT NULL, fold INTEGER NOT NULL, piece INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  source  TEXT NOT NULL,                 -- cpu | dram | gpu
  joules  REAL,                          -- NULL: a counter failed meanwhile
  PRIMARY KEY (trial, replicate, fold, piece, attempt, source)
) WITHOUT ROWID;
CREATE TABLE dl_energy_rest (            -- of a driver's run, while no attempt ran
  epoch  INTEGER NOT NULL,
  what   TEXT NOT NULL,                  -- idle | test
  source TEXT NOT NULL,
  joules REAL,
  PRIMARY KEY (epoch, what, source)
) WITHOUT ROWID;
