// SPDX-License-Identifier: Apache-2.0
// op: svmlight. Sparse text as a table of numbers: targets, splits and scales are those of csv.
#include "dataset/bytes.hpp"
#include "dataset/csv_load.hpp"
#include "dataset/svmlight_reader.hpp"

namespace dlrun::dataset {

namespace {

options::Variant svmlight_kind() {
  options::Variant kind{
      "svmlight",
      "lines of target index:value …, as of SVMlight and LIBSVM, gzipped or not; rows are dense, absent indices 0",
      {text("path", "the file; gzip is seen by its first bytes").must().file(),
       text("val", "a second file: the validation split").file(), text("test", "another: the test split").file(),
       integer("features", "columns; a larger index is an error. Default: up to the largest index of `path`")
           .from(1)
           .to(double(kMostCells)),
       boolean("zero_based", "is 0 the first index, not 1? auto: yes where `path` has it").or_word("auto").with("auto"),
       choice("task", "auto: classification where targets are at most 20 different whole numbers",
              {"auto", "classification", "regression"})
           .with("auto")}};
  for (options::Key& option : scale_options()) kind.table.push_back(std::move(option));
  return kind;
}

/// The section with the keys of a csv section whose columns are all numbers without gaps.
Json section_as_table(const Json& data) {
  Json section = data;
  section.update({{"target", Json::array({"target"})},
                  {"features", "all"},
                  {"drop", Json::array()},
                  {"categorical", Json::array()},
                  {"missing", Json::array()},
                  {"most_categories", 2},
                  {"impute", 0},
                  {"impute_category", "own"},
                  {"indicator", false},
                  {"unseen", nullptr}});
  section["split"].update({{"column", nullptr}, {"group", nullptr}, {"time", nullptr}});
  return section;
}

IndexRange indices_of(const Json& data) {
  IndexRange range;
  if (!data["features"].is_null()) range.count = data["features"].get<std::int64_t>();
  if (data["zero_based"].is_boolean()) range.first = data["zero_based"].get<bool>() ? 0 : 1;
  return range;
}

/// The indices of tables that were read.
IndexRange indices_of(const Frame& frame) {
  return {std::int64_t(frame.names.size()) - 1, frame.names[1] == "0" ? 0 : 1};
}

TableFiles svmlight_files(const Json& data) {
  return {section_as_table(data), [data](const Source& source, std::string_view text, const Frame* before) {
            return read_svmlight(text, source.file.string(), source.key,
                                 before == nullptr ? indices_of(data) : indices_of(*before));
          }};
}

CsvTables read_svmlight_tables(const Json& data, const Sources& sources, std::uint64_t seed) {
  return read_tables(data, sources, seed, svmlight_files(data));
}

Dataset load_svmlight(const Json& data, const Sources& sources, std::uint64_t seed) {
  return with_inputs(read_svmlight_tables(data, sources, seed));
}

Json measured_svmlight(const Json& data, const Sources& sources, std::uint64_t seed) {
  return measured_columns(read_svmlight_tables(data, sources, seed), section_as_table(data));
}

Fresh fresh_svmlight(const Json& data, const Sources& sources, const FreshOptions& options, std::uint64_t seed) {
  const FreshTable table(read_svmlight_tables(data, sources, seed), section_as_table(data), options);
  const std::string& file = options.files.at("path");
  const Content content = read_table_text(file, kMostTableBytes);
  return table.encoded(read_svmlight(content.bytes, file, "data", indices_of(table.columns())));
}

}  // namespace

Format svmlight_format() {
  const auto keys = [](const Json&) { return std::vector<FreshKey>{{"path", false, "a file of the same format"}}; };
  return {svmlight_kind(),  SplitBy::rows, find_tables, load_svmlight, keys, fresh_whole<fresh_svmlight>,
          measured_svmlight};
}

}  // namespace dlrun::dataset
