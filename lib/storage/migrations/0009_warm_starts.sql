-- SPDX-License-Identifier: Apache-2.0
-- Trials that begin with weights of other studies: the kinds `started_from` and `averaged_from` of dl_edge, of which an
-- attempt has one for each donor, and where every tensor came from.

CREATE TABLE dl_edge_of_one AS SELECT * FROM dl_edge;
DROP TABLE dl_edge;
CREATE TABLE dl_edge (                   -- who came from whom
  trial INTEGER NOT NULL, replicate INTEGER NOT NULL, fold INTEGER NOT NULL, piece INTEGER NOT NULL,
  attempt      INTEGER NOT NULL,
  kind         TEXT NOT NULL,
  from_piece   INTEGER,
  from_attempt INTEGER,
  artifact     TEXT NOT NULL DEFAULT '', -- SHA-256
  from_trial   INTEGER,                  -- NULL: the trial itself
  from_study   TEXT,                     -- NULL: this study
  PRIMARY KEY (trial, replicate, fold, piece, attempt, kind, artifact)
) WITHOUT ROWID;
INSERT INTO dl_edge SELECT * FROM dl_edge_of_one;
DROP TABLE dl_edge_of_one;
CREATE INDEX dl_edge_from ON dl_edge (from_trial, from_study) WHERE from_trial IS NOT NULL;
CREATE INDEX dl_edge_artifact ON dl_edge (artifact) WHERE artifact <> '';

CREATE TABLE dl_start (                  -- of a member: where the first values of its tensors came from
  trial INTEGER NOT NULL, replicate INTEGER NOT NULL, fold INTEGER NOT NULL,
  number     INTEGER NOT NULL,           -- in the model's order; of an average one for each donor
  tensor     TEXT NOT NULL,
  rule       TEXT NOT NULL,              -- copied | averaged | sliced | shrunk | recalibrated | fresh
  artifact   TEXT,                       -- SHA-256 of the donor; NULL: fresh
  source     TEXT,                       -- its name there, or why it is fresh
  shape_from TEXT, shape_to TEXT,        -- JSON lists
  PRIMARY KEY (trial, replicate, fold, number)
) WITHOUT ROWID;
CREATE TABLE dl_start_note (             -- what was measured and decided on the way
  trial INTEGER NOT NULL, replicate INTEGER NOT NULL, fold INTEGER NOT NULL,
  number INTEGER NOT NULL,
  text   TEXT NOT NULL,
  PRIMARY KEY (trial, replicate, fold, number)
) WITHOUT ROWID;
