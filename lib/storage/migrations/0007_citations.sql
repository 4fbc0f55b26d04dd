-- SPDX-License-Identifier: Apache-2.0
-- Pieces that were not run, for another study of the store had the same work: the kind `cited_from` of dl_edge.

ALTER TABLE dl_edge ADD COLUMN from_study TEXT;  -- whose trial from_trial is; NULL: of this study
