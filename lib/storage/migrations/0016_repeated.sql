-- SPDX-License-Identifier: Apache-2.0
-- Epochs that a program did again in an attempt, because it had been ended and left no checkpoint of them; their values are
-- those of the earlier attempts. NULL: none.

ALTER TABLE dl_attempt ADD COLUMN repeated INTEGER;
