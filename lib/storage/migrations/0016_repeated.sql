-- SPDX-License-Identifier: Apache-2.0
-- An event more, whose name is written with this step: `lane_added`, of a trial that was asked for while all lanes were
-- busy.
--
-- Epochs that a program did again in an attempt, because it had been ended and left no checkpoint of them; their values are
-- those of the earlier attempts. NULL: none.

ALTER TABLE dl_attempt ADD COLUMN repeated INTEGER;
