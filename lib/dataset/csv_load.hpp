// SPDX-License-Identifier: Apache-2.0
// A table as a data set.
#pragma once
#include "dataset/encode.hpp"
#include "dataset/formats.hpp"
#include "dataset/frame.hpp"

namespace dlrun::dataset {

Dataset load_csv(const Json& data, const Sources& sources, std::uint64_t seed);

/// A section's tables, and the measures of their training rows.
struct CsvTables {
  Frame frame;
  Dataset dataset;  ///< data set but for its inputs
  std::vector<FittedColumn> fitted;
};
CsvTables read_csv_tables(const Json& data, const Sources& sources, std::uint64_t seed);

void set_csv_targets(Dataset& dataset, const Frame& frame);
void set_csv_inputs(Dataset& dataset, const Frame& frame, const std::vector<FittedColumn>& fitted);

/// Format::measured: the columns with their fits.
Json measured_csv(const Json& data, const Sources& sources, std::uint64_t seed);

/// Format::fresh of a table.
std::unique_ptr<FreshStream> fresh_csv(const Json& data, const Sources& sources, const FreshOptions& options,
                                       std::uint64_t seed);

}  // namespace dlrun::dataset
