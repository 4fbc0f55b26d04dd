-- SPDX-License-Identifier: Apache-2.0
-- Programs of trials as a driver found them when it started: the files that the command or function names, and the git work
-- tree that they lie in.

CREATE TABLE dl_program_file (
  epoch  INTEGER NOT NULL,               -- of dl_environment
  path   TEXT NOT NULL,                  -- as the command names it, relative to the program's folder
  sha256 TEXT NOT NULL,
  PRIMARY KEY (epoch, path)
) WITHOUT ROWID;

ALTER TABLE dl_environment ADD COLUMN program_revision TEXT;  -- commit of that work tree; NULL: none
ALTER TABLE dl_environment ADD COLUMN program_changes TEXT;   -- SHA-256 of the artifact with the changes since; NULL: none
