-- SPDX-License-Identifier: Apache-2.0
-- Trials that began where another one of the study had trained the same epochs: the kind `shared_from` of dl_edge.

ALTER TABLE dl_edge ADD COLUMN epochs INTEGER;  -- shared_from: after so many epochs of from_trial; else NULL
