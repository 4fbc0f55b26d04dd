-- SPDX-License-Identifier: Apache-2.0
-- The tables of a study. A released migration is never edited; what people ask is in views.sql and docs/store.md.
-- Times are milliseconds since 1970, UTC. States, causes and kinds are numbers of the format (dl_word names them).
-- A member is named by (trial, replicate, fold), a piece by a number more, an attempt by another.

CREATE TABLE dl_study (
  id          INTEGER PRIMARY KEY CHECK (id = 1),
  name        TEXT NOT NULL,
  hash        TEXT NOT NULL,             -- SHA-256 of the normalised spec
  spec_text   TEXT NOT NULL,             -- as written
  spec        TEXT NOT NULL,             -- normalised, JSON
  seed,                                  -- integer, or text above 2^63
  slack       INTEGER NOT NULL,          -- L of the logical clock, ticks
  metric      TEXT NOT NULL,
  maximize    INTEGER NOT NULL,
  created     TEXT NOT NULL,             -- UTC, ISO 8601
  started     INTEGER,                   -- the last time a driver took it up
  finished    INTEGER,
  state       TEXT NOT NULL,             -- running | finished | stopped | interrupted
  reason      TEXT NOT NULL
);

CREATE TABLE dl_writer (                 -- one row per opening for writing; the newest epoch may commit
  epoch   INTEGER PRIMARY KEY,
  host    TEXT NOT NULL,
  pid     INTEGER NOT NULL,
  started INTEGER NOT NULL
);

CREATE TABLE dl_environment (            -- one row per driver start
  epoch        INTEGER PRIMARY KEY,
  version      TEXT, host TEXT, os TEXT, device TEXT, compiler TEXT, libtorch TEXT,
  git_revision TEXT, git_dirty INTEGER, data_sha256 TEXT, command TEXT, cores INTEGER
);

CREATE TABLE dl_parameter (
  parameter INTEGER PRIMARY KEY,         -- index in the space
  name      TEXT NOT NULL UNIQUE,
  place     TEXT NOT NULL,               -- what `at:` says
  type      TEXT NOT NULL,               -- float | int | categorical | ordinal | constant
  low       REAL, high REAL, step REAL,
  log       INTEGER NOT NULL,
  choices   TEXT                         -- JSON list
);
CREATE TABLE dl_choice (                 -- one row per choice, as SQL sees it
  parameter INTEGER NOT NULL,
  choice    INTEGER NOT NULL,
  value,
  PRIMARY KEY (parameter, choice)
) WITHOUT ROWID;

CREATE TABLE dl_log (                    -- events and decisions in the order they were committed, chained by SHA-256
  seq  INTEGER PRIMARY KEY,              -- from 1, without gaps
  kind INTEGER NOT NULL,                 -- storage/codec.hpp
  time INTEGER NOT NULL,
  body TEXT NOT NULL,                    -- canonical JSON
  hash BLOB NOT NULL                     -- of the row before, seq, kind, time, body
);

CREATE TABLE dl_trial (
  trial          INTEGER PRIMARY KEY,
  state          INTEGER NOT NULL,
  objective      REAL,
  objective_step INTEGER NOT NULL DEFAULT 0,
  epochs         INTEGER NOT NULL DEFAULT 0,
  cause          INTEGER NOT NULL DEFAULT 0,
  attempts       INTEGER NOT NULL DEFAULT 0,
  worker         INTEGER,                -- of the newest attempt
  seconds        REAL NOT NULL DEFAULT 0,
  started        INTEGER,
  finished       INTEGER,
  message        TEXT
);

CREATE TABLE dl_param (                  -- active parameters only; categorical, ordinal, constant: index of the choice
  trial     INTEGER NOT NULL,
  parameter INTEGER NOT NULL,
  value     NOT NULL,
  PRIMARY KEY (trial, parameter)
) WITHOUT ROWID;

CREATE TABLE dl_decision (               -- what dl_log has as JSON, for queries
  number    INTEGER PRIMARY KEY,
  kind      INTEGER NOT NULL,
  lane      INTEGER NOT NULL,
  at        INTEGER NOT NULL,            -- ticks of the logical clock
  end       INTEGER NOT NULL,
  trial     INTEGER, replicate INTEGER, fold INTEGER, piece INTEGER,
  from_step INTEGER NOT NULL,
  to_step   INTEGER NOT NULL,
  reason    TEXT
);

CREATE TABLE dl_attempt (                -- one execution of a piece
  trial INTEGER NOT NULL, replicate INTEGER NOT NULL, fold INTEGER NOT NULL, piece INTEGER NOT NULL,
  attempt  INTEGER NOT NULL,
  state    INTEGER NOT NULL,
  cause    INTEGER NOT NULL DEFAULT 0,
  epoch    INTEGER NOT NULL,             -- of the driver that started it
  worker   INTEGER,
  started  INTEGER,
  finished INTEGER,
  seconds  REAL,
  peak_rss INTEGER,
  message  TEXT,
  log_tail TEXT,
  PRIMARY KEY (trial, replicate, fold, piece, attempt)
) WITHOUT ROWID;

CREATE TABLE dl_metric_name (metric INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE dl_metric (                 -- the first committed value of a (member, step, metric)
  trial INTEGER NOT NULL, replicate INTEGER NOT NULL, fold INTEGER NOT NULL,
  step      INTEGER NOT NULL,
  metric    INTEGER NOT NULL,
  value     REAL,                        -- NULL: not finite, kind says which
  kind      TEXT,                        -- nan | inf | -inf
  attempt   INTEGER NOT NULL,
  committed INTEGER NOT NULL,            -- 0: telemetry, may still be lost
  PRIMARY KEY (trial, replicate, fold, step, metric)
) WITHOUT ROWID;
CREATE TABLE dl_divergence (             -- a later attempt that measured something else
  id INTEGER PRIMARY KEY,
  trial INTEGER NOT NULL, replicate INTEGER NOT NULL, fold INTEGER NOT NULL,
  step INTEGER NOT NULL, metric INTEGER NOT NULL,
  attempt INTEGER NOT NULL, first TEXT NOT NULL, later TEXT NOT NULL, time INTEGER NOT NULL
);

CREATE TABLE dl_artifact (
  trial INTEGER NOT NULL, replicate INTEGER NOT NULL, fold INTEGER NOT NULL, piece INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  role    TEXT NOT NULL,                 -- last | best | output
  step    INTEGER NOT NULL,
  sha256  TEXT NOT NULL,
  bytes   INTEGER NOT NULL,
  deleted INTEGER,                       -- when the keep policy dropped it
  PRIMARY KEY (trial, replicate, fold, piece, attempt, role, step)
) WITHOUT ROWID;

CREATE TABLE dl_edge (                   -- who came from whom
  trial INTEGER NOT NULL, replicate INTEGER NOT NULL, fold INTEGER NOT NULL, piece INTEGER NOT NULL,
  attempt      INTEGER NOT NULL,
  kind         TEXT NOT NULL,            -- continued_from | resumed_from | retried_after
  from_piece   INTEGER,                  -- of the same member
  from_attempt INTEGER,
  artifact     TEXT NOT NULL DEFAULT '', -- SHA-256
  PRIMARY KEY (trial, replicate, fold, piece, attempt, kind)
) WITHOUT ROWID;

CREATE TABLE dl_worker (
  epoch INTEGER NOT NULL, worker INTEGER NOT NULL,
  pid INTEGER, host TEXT, state TEXT, started INTEGER, changed INTEGER,
  PRIMARY KEY (epoch, worker)
) WITHOUT ROWID;

CREATE TABLE dl_note (id INTEGER PRIMARY KEY, trial INTEGER, time INTEGER NOT NULL, text TEXT NOT NULL);
CREATE TABLE dl_tag (trial INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (trial, tag)) WITHOUT ROWID;  -- -1: the study

CREATE TABLE dl_word (family TEXT NOT NULL, number INTEGER NOT NULL, word TEXT NOT NULL,
                      PRIMARY KEY (family, number)) WITHOUT ROWID;
