-- SPDX-License-Identifier: Apache-2.0
-- What a study was at each time: version 0 is what it began with and the root of the log's chain; each later one belongs
-- to the row `amended` of the log, which holds its digest. dl_study has the newest.

CREATE TABLE dl_spec (
  version   INTEGER PRIMARY KEY,
  seq       INTEGER NOT NULL UNIQUE,     -- row of dl_log; 0: the root
  hash      TEXT NOT NULL,               -- SHA-256 of the normalised spec
  spec_text TEXT NOT NULL,               -- as written
  spec      TEXT NOT NULL,               -- normalised, JSON
  slack     INTEGER NOT NULL,            -- L of the logical clock, ticks
  changes   TEXT,                        -- JSON list of lines, for people; NULL: the first
  defaults  TEXT                         -- JSON by name: what earlier trials had of new parameters
);
INSERT INTO dl_spec SELECT 0, 0, hash, spec_text, spec, slack, NULL, NULL FROM dl_study;
