// SPDX-License-Identifier: Apache-2.0
// A table as a data set.
#pragma once
#include <functional>
#include <string_view>

#include "dataset/encode.hpp"
#include "dataset/formats.hpp"
#include "dataset/frame.hpp"

namespace dlrun::dataset {

/// Options of formats whose numbers are scaled as a table's: `scale`, `standardise`.
options::Table scale_options();
/// The files of `path`, `val` and `test`, as many as are named.
Sources find_tables(const Json& data, const Locations& where);

/// A section whose files are tables.
struct TableFiles {
  Json section;  ///< normalised section with all keys of csv
  /// A file's text to its cells. @param before  rows of the tables before, whose columns it is to have; nullptr: none
  std::function<Sheet(const Source& source, std::string_view text, const Frame* before)> read;
};
TableFiles csv_files(const Json& data);

/// How the numbers of each target were standardised; none: they are the file's, as classes are.
using TargetFits = std::vector<std::vector<FittedColumn>>;

/// A section's tables, and the measures of their training rows.
struct CsvTables {
  Frame frame;
  Dataset dataset;  ///< data set but for its inputs
  std::vector<FittedColumn> fitted;
  TargetFits targets;
};
/// @param data  section that is hashed, and has `split` and `replace`
CsvTables read_tables(const Json& data, const Sources& sources, std::uint64_t seed, const TableFiles& files);
/// The data set with its inputs.
Dataset with_inputs(CsvTables read);

void set_csv_targets(Dataset& dataset, const Frame& frame, const TargetFits& fits);
void set_csv_inputs(Dataset& dataset, const Frame& frame, const std::vector<FittedColumn>& fitted);

/// Format::measured: the columns with their fits.
Json measured_columns(const CsvTables& read, const Json& section);

/// New rows for a model that was trained on a table.
class FreshTable {
 public:
  /// @param section  as of TableFiles
  FreshTable(CsvTables trained, Json section, FreshOptions options);

  /// Columns as training knew them, and their first cells.
  const Frame& columns() const { return first_; }
  const std::vector<FittedColumn>& fitted() const { return fitted_; }
  /// @throws DataError: a class or a category that training never saw.
  Fresh encoded(const Sheet& sheet) const;

 private:
  Schema schema_;
  std::vector<FittedColumn> fitted_;
  TargetFits targets_;
  Frame first_;
  Json section_;
  FreshOptions options_;
};

/// Format::load, Format::measured and Format::fresh of csv.
Dataset load_csv(const Json& data, const Sources& sources, std::uint64_t seed);
Json measured_csv(const Json& data, const Sources& sources, std::uint64_t seed);
std::unique_ptr<FreshStream> fresh_csv(const Json& data, const Sources& sources, const FreshOptions& options,
                                       std::uint64_t seed);

}  // namespace dlrun::dataset
