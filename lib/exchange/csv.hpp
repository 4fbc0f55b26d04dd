// SPDX-License-Identifier: Apache-2.0
// Studies as CSV files, for spreadsheets and data frames.
#pragma once
#include "exchange/exported.hpp"

namespace dlrun::exchange {

/// Writes DIR/STUDY/trials.csv (a row for each trial with its parameters and last metrics), metrics.csv, attempts.csv
/// and the other tables of a study, row by row.
/// @throws Error(usage) the folder; Error(store); Error(outside).
Exported export_csv(const ExportRequest& request);

}  // namespace dlrun::exchange
