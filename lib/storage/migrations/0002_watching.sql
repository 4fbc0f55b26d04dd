-- SPDX-License-Identifier: Apache-2.0
-- What a worker computes with (told once its trainer is there; NULL: it trains nothing), and curves by optimiser step.

ALTER TABLE dl_worker ADD COLUMN libtorch TEXT;     -- version
ALTER TABLE dl_worker ADD COLUMN device TEXT;       -- "cpu: Intel(R) Xeon(R) Processor"
ALTER TABLE dl_worker ADD COLUMN threads INTEGER;   -- inside one trial
ALTER TABLE dl_worker ADD COLUMN cores TEXT;        -- it is pinned to: "0-1"; NULL: to none
ALTER TABLE dl_worker ADD COLUMN numerics TEXT;     -- the class within which bits are equal

CREATE TABLE dl_step (                   -- what `log:` of a trial asks for; telemetry: no decision looks at it
  trial INTEGER NOT NULL, replicate INTEGER NOT NULL, fold INTEGER NOT NULL,
  step      INTEGER NOT NULL,            -- optimiser steps taken, of the member
  metric    INTEGER NOT NULL,            -- dl_metric_name
  value     REAL,                        -- NULL: not finite, kind says which
  kind      TEXT,                        -- nan | inf | -inf
  attempt   INTEGER NOT NULL,            -- the newest that passed the step
  PRIMARY KEY (trial, replicate, fold, step, metric)
) WITHOUT ROWID;
