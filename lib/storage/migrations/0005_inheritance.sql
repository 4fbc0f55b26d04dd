-- SPDX-License-Identifier: Apache-2.0
-- Trials that begin with the weights of another: the kind `inherited_from` of dl_edge.

ALTER TABLE dl_trial ADD COLUMN donor INTEGER;        -- whose weights it begins with; NULL: nobody's
ALTER TABLE dl_trial ADD COLUMN donor_piece INTEGER;  -- after which piece of the donor's
ALTER TABLE dl_edge ADD COLUMN from_trial INTEGER;    -- the donor; NULL: the trial itself
CREATE INDEX dl_trial_donor ON dl_trial (donor) WHERE donor IS NOT NULL;
