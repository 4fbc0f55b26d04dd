-- SPDX-License-Identifier: Apache-2.0
-- Trials of several members (replicates, folds): a trial's objective is their mean.

ALTER TABLE dl_trial ADD COLUMN members INTEGER NOT NULL DEFAULT 1;  -- behind the objective
ALTER TABLE dl_trial ADD COLUMN standard_error REAL;                 -- of the mean; NULL: of one member
ALTER TABLE dl_trial ADD COLUMN low REAL;                            -- ends of its 95 % interval, Student's t
ALTER TABLE dl_trial ADD COLUMN high REAL;

CREATE TABLE dl_member (                 -- of trials of several members: what each has measured
  trial INTEGER NOT NULL, replicate INTEGER NOT NULL, fold INTEGER NOT NULL,
  objective      REAL NOT NULL,
  objective_step INTEGER NOT NULL,
  epochs         INTEGER NOT NULL,
  PRIMARY KEY (trial, replicate, fold)
) WITHOUT ROWID;
