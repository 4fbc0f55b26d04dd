-- SPDX-License-Identifier: Apache-2.0
-- An event and a cause more, whose names are written with this step: `attempt_copied`, of an attempt that was far behind, and
-- `overtaken`, of one that ran beside another of its piece and was not home first.

SELECT 1;
