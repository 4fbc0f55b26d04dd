// SPDX-License-Identifier: Apache-2.0
// Tables of Optuna's storage in an SQLite file, schema 12, revision v3.2.0.a: that of Optuna 3.2 to 5.0. A file with
// another schema is refused by Optuna. tests/e2e/optuna_test.py compares them with those that Optuna makes.
#pragma once

namespace dlrun::optuna {

/// Statements that make the tables and their indexes in an empty file, and the rows that say their version.
extern const char* const kTables;

}  // namespace dlrun::optuna
