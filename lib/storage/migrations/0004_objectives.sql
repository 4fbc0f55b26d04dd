-- SPDX-License-Identifier: Apache-2.0
-- Several objectives, and bounds that make a trial feasible.

ALTER TABLE dl_trial ADD COLUMN violation REAL;  -- of the bounds, summed; NULL: there are none, or nothing is measured

CREATE TABLE dl_objective (              -- in their order; the first is also dl_study.metric
  objective INTEGER PRIMARY KEY,         -- from 0
  metric    TEXT NOT NULL,
  maximize  INTEGER NOT NULL,
  reference REAL                         -- of the hypervolume; NULL: the worst seen
);
INSERT INTO dl_objective SELECT 0, metric, maximize, NULL FROM dl_study;

CREATE TABLE dl_value (                  -- of the objectives after the first, which is dl_trial.objective
  trial     INTEGER NOT NULL,
  objective INTEGER NOT NULL,
  value     REAL NOT NULL,
  PRIMARY KEY (trial, objective)
) WITHOUT ROWID;
