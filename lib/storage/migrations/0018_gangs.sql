-- SPDX-License-Identifier: Apache-2.0
-- Costs of trials whose ranks train together, by epoch and rank (docs/parallel.md). Telemetry, as energy is.

CREATE TABLE dl_gang_node (
  trial INTEGER NOT NULL, replicate INTEGER NOT NULL, fold INTEGER NOT NULL, step INTEGER NOT NULL,
  attempt      INTEGER NOT NULL,         -- that trained the epoch
  is_server    INTEGER NOT NULL,
  number       INTEGER NOT NULL,         -- among the ranks, or the servers
  piece        INTEGER NOT NULL,
  is_virtual   INTEGER NOT NULL,         -- seconds are of the virtual cluster, else measured
  gradients    INTEGER NOT NULL,
  computing REAL NOT NULL, applying REAL NOT NULL, transferring REAL NOT NULL, waiting REAL NOT NULL,  -- seconds
  sent REAL NOT NULL, received REAL NOT NULL,  -- bytes
  updates      INTEGER NOT NULL,         -- whose staleness is known
  staleness    REAL,                     -- mean over them; NULL: there are none
  most_stale   INTEGER,
  PRIMARY KEY (trial, replicate, fold, step, attempt, is_server, number)
) WITHOUT ROWID;
