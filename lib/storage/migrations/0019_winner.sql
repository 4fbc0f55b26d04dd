-- SPDX-License-Identifier: Apache-2.0
-- Winners of races between the best trials of a search (docs/winner.md), in their order. The last one counts while the
-- study has as many completed trials as it had then.

CREATE TABLE dl_winner (
  number     INTEGER PRIMARY KEY,
  time       INTEGER NOT NULL,
  trial      INTEGER NOT NULL,
  race       TEXT NOT NULL,     -- study that ran it
  completed  INTEGER NOT NULL,  -- trials of this study, then
  contenders INTEGER NOT NULL,
  runs       INTEGER NOT NULL,  -- of the winner
  measured   REAL NOT NULL,     -- mean objective of those runs
  metric TEXT, value REAL, low REAL, high REAL, rests_on TEXT  -- estimate of its true value; NULL: nothing tells it
);
