-- SPDX-License-Identifier: Apache-2.0
-- Causes more, whose names are written with this step: what no setting of a trial asked for (`machine`, `crowded`,
-- `artifact`).

SELECT 1;
