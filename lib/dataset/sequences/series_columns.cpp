// SPDX-License-Identifier: Apache-2.0
#include "dataset/sequences/series_columns.hpp"

#include <fstream>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dataset/arrays/archive.hpp"
#include "dataset/arrays/npy.hpp"
#include "dataset/bytes.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::int64_t kMostColumns = 100000;

/// Rows and columns of an array [rows] or [rows, columns].
struct Size {
  std::int64_t rows = 0, columns = 1;

  explicit Size(const RawTensor& raw) {
    std::int64_t count = 0;
    const bool is_good = (raw.shape.size() == 1 || raw.shape.size() == 2) && count_of(raw.shape, count) && count > 0;
    if (!is_good)
      throw DataError("path", fmt::format("{} has the shape [{}]", raw.name, fmt::join(raw.shape, ", ")),
                      "a series is [rows] or [rows, columns]");
    rows = raw.shape[0];
    columns = raw.shape.size() == 2 ? raw.shape[1] : 1;
    if (columns > kMostColumns)
      throw DataError("path", fmt::format("{} has {} columns", raw.name, columns), "a row is one moment in time");
  }
};

/// Takes an array apart; its columns are called by `name_of(number)`.
template <class NameOf>
void add_columns(SeriesColumns& columns, const RawTensor& raw, const NameOf& name_of) {
  const Size size(raw);
  const std::vector<double> numbers = to_doubles(raw);
  for (std::int64_t c = 0; c < size.columns; ++c) {
    std::vector<double> column;
    column.reserve(std::size_t(size.rows));
    for (std::int64_t row = 0; row < size.rows; ++row) column.push_back(numbers[std::size_t(row * size.columns + c)]);
    columns.add_column(name_of(c), std::move(column));
  }
}

void add_file(SeriesColumns& columns, const RawTensor& raw, const Json& names) {
  const std::int64_t count = Size(raw).columns;
  if (!names.is_null() && std::int64_t(names.size()) != count)
    throw DataError("columns", fmt::format("there are {} names, but {} has {} columns", names.size(), raw.name, count),
                    "one name for each");
  std::set<std::string> seen;
  for (const Json& name : names.is_array() ? names : Json::array()) {
    if (!name.is_string() || !seen.insert(name.get<std::string>()).second)
      throw DataError("columns", fmt::format("{} is no name of its own", quoted(name)), "different texts");
  }
  add_columns(columns, raw, [&](std::int64_t c) {
    return names.is_null() ? fmt::format("c{}", c) : names[std::size_t(c)].get<std::string>();
  });
}

/// Every array of an archive is a column, or several: "heat.0", "heat.1".
void add_archive(SeriesColumns& columns, const Archive& archive) {
  std::int64_t rows = -1;
  std::string first;
  for (const auto& [name, read] : archive.tensors) {
    const RawTensor raw = read("path");
    const Size size(raw);
    if (rows >= 0 && size.rows != rows)
      throw DataError("path", fmt::format("{} has {} rows, but {} has {}", raw.name, size.rows, first, rows),
                      "all arrays of a series have the same", archive.file);
    rows = size.rows;
    first = raw.name;
    add_columns(columns, raw,
                [&, name = name](std::int64_t c) { return size.columns == 1 ? name : fmt::format("{}.{}", name, c); });
  }
  if (columns.values.empty())
    throw DataError("path", fmt::format("'{}' has no arrays", archive.file), "", archive.file);
}

}  // namespace

SeriesKind series_kind(const std::filesystem::path& file) {
  require_file(file);
  std::string bytes(6, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), std::streamsize(bytes.size()));
  if (bytes == "\x93NUMPY") return SeriesKind::array;
  return bytes.starts_with("PK\x03\x04") ? SeriesKind::archive : SeriesKind::table;
}

SeriesColumns array_columns(const std::filesystem::path& file, const Json& names) {
  const Mapped mapped = map_file(file, "path");
  SeriesColumns columns;
  columns.sheet.file = file.string();
  columns.sha256 = mapped.sha256;
  add_file(columns, read_npy(mapped.bytes, mapped.size, fmt::format("'{}'", file.string()), "path"), names);
  return columns;
}

SeriesColumns archive_columns(const std::filesystem::path& file) {
  const Archive archive = open_npz(file);
  SeriesColumns columns;
  columns.sheet.file = file.string();
  columns.sha256 = archive.sha256;
  add_archive(columns, archive);
  return columns;
}

}  // namespace dlrun::dataset
