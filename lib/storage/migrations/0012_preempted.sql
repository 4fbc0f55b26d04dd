-- SPDX-License-Identifier: Apache-2.0
-- A cause more, whose name is written with this step: `preempted`, of an attempt whose worker had to leave and saved it.

SELECT 1;
