// SPDX-License-Identifier: Apache-2.0
#include "dataset/fresh.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <numeric>
#include <utility>

#include "dataset/formats.hpp"
#include "util/hints.hpp"

namespace dlrun::dataset {

namespace {

std::vector<std::string> names_of(const std::vector<FreshKey>& keys) {
  std::vector<std::string> names;
  for (const FreshKey& key : keys) names.push_back(key.short_name.empty() ? key.name : key.short_name);
  return names;
}

/// Every file under a known key, none missing that is needed.
void check_files(const Json& data, const std::vector<FreshKey>& keys, const FreshOptions& options) {
  for (const auto& [name, file] : options.files) {
    const auto key = std::find_if(keys.begin(), keys.end(), [&, n = name](const FreshKey& k) { return k.name == n; });
    if (key == keys.end())
      throw DataError("data", fmt::format("data of op {} has no '{}'", quoted(data["op"]), name),
                      hint_for_name(name, names_of(keys)));
    if (key->is_target && !options.needs_targets)
      throw DataError("data", fmt::format("--data {}={} has no effect: predictions need no targets", name, file),
                      "remove it; `dlrun eval` measures with targets");
    if (!std::filesystem::exists(file)) throw DataError("data", fmt::format("there is no file '{}'", file));
  }
  for (const FreshKey& key : keys) {
    if (options.files.contains(key.name) || (key.is_target && !options.needs_targets)) continue;
    const std::string& name = key.short_name.empty() ? key.name : key.short_name;
    throw DataError("data", fmt::format("new data of op {} needs '{}': {}", quoted(data["op"]), name, key.text),
                    fmt::format("--data {}=FILE", name));
  }
}

/// Options that are about a table's columns.
void check_columns(const Json& data, const FreshOptions& options) {
  if (data["op"] == "csv" || (options.id.empty() && options.unseen.empty())) return;
  throw DataError("data",
                  fmt::format("{} has no effect: data of op {} has no columns to be named",
                              options.id.empty() ? "--unseen" : "--id", quoted(data["op"])),
                  "remove it");
}

Array unknown(std::int64_t classes, std::int64_t width, std::int64_t rows) {
  const auto count = std::size_t(rows * width);
  return classes > 0 ? Array::of(std::vector<std::int64_t>(count), width) : Array::of(std::vector<float>(count), width);
}

Array unknown(const Schema& seen, std::int64_t rows) {
  const std::vector<std::int64_t>& shape = seen.target_shape;
  const std::int64_t positions =
      std::accumulate(shape.begin(), shape.end(), std::int64_t(1), std::multiplies<std::int64_t>());
  return unknown(seen.classes, seen.classes > 0 ? positions : seen.targets, rows);
}

class OnePart final : public FreshStream {
 public:
  explicit OnePart(Fresh fresh) : fresh_(std::move(fresh)) {}
  std::optional<Fresh> next() override { return std::exchange(fresh_, std::nullopt); }

 private:
  std::optional<Fresh> fresh_;
};

}  // namespace

std::int64_t rows_of_part(std::int64_t bytes) {
  constexpr std::int64_t kMostBytes = std::int64_t(16) << 20, kMostRows = 16 * kFreshRows;
  return std::clamp(kMostBytes / bytes / kFreshRows * kFreshRows, kFreshRows, kMostRows);
}

std::unique_ptr<FreshStream> in_one_part(Fresh fresh) { return std::make_unique<OnePart>(std::move(fresh)); }

std::unique_ptr<FreshStream> open_fresh(const Json& data, const FreshOptions& options, std::uint64_t seed) {
  const Json full = normalised(data);
  const Format& format = format_of(full);
  check_files(full, format.fresh_keys(full), options);
  check_columns(full, options);
  return format.fresh(full, format.find(full, {}), options, seed);
}

std::vector<FreshKey> fresh_keys(const Json& data) {
  const Json full = normalised(data);
  return format_of(full).fresh_keys(full);
}

std::string fresh_key(const std::vector<FreshKey>& keys, const std::string& word) {
  for (const FreshKey& key : keys) {
    if (key.name == word || (!key.short_name.empty() && key.short_name == word)) return key.name;
  }
  return word;
}

void set_unknown_targets(Dataset& dataset, std::int64_t rows) {
  dataset.targets = unknown(dataset.schema, rows);
  dataset.several.clear();
  for (const Target& target : dataset.schema.several)
    dataset.several.push_back(unknown(seen_by(dataset.schema, target.name), rows));
}

void use_all_rows(Dataset& dataset) {
  dataset.train.clear();
  dataset.val.clear();
  dataset.test.resize(std::size_t(dataset.targets.examples));
  std::iota(dataset.test.begin(), dataset.test.end(), 0);
  dataset.schema.train = dataset.schema.val = 0;
  dataset.schema.test = dataset.targets.examples;
}

}  // namespace dlrun::dataset
