-- SPDX-License-Identifier: Apache-2.0
-- Executor that started a driver's workers. All NULL: nothing was started, or an earlier dlrun recorded nothing.

ALTER TABLE dl_environment ADD COLUMN executor TEXT;          -- local | slurm | name of a plugin
ALTER TABLE dl_environment ADD COLUMN executor_version TEXT;  -- of a plugin
ALTER TABLE dl_environment ADD COLUMN executor_sha256 TEXT;   -- of a plugin's file
