-- SPDX-License-Identifier: Apache-2.0
-- The version of the arithmetic that a driver decides with (util/arithmetic.hpp). NULL: a driver from before, which used
-- the C library's functions; that is version 0.

ALTER TABLE dl_environment ADD COLUMN arithmetic INTEGER;
