// SPDX-License-Identifier: Apache-2.0
// load(), inspect() and located(): from a section to its files, its loader and its cache.
#include "dataset/dataset.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dataset/cache.hpp"
#include "dataset/formats.hpp"
#include "dataset/locate.hpp"
#include "util/sha256.hpp"

namespace dlrun::dataset {

namespace {

constexpr const char* kPathKeys[] = {"path", "train_images", "train_labels", "test_images", "test_labels"};

Dataset load_sources(const Json& data, const std::vector<Source>& sources, std::uint64_t seed) {
  return data["op"] == "idx" ? load_idx(data, sources, seed) : load_csv(data, sources, seed);
}

void check_classes(const Dataset& dataset) {
  if (dataset.schema.classes == 0) return;
  std::vector<std::int64_t> all(dataset.schema.classes), train(dataset.schema.classes);
  for (const std::int64_t label : dataset.labels) ++all[label];
  for (const std::int64_t row : dataset.train) ++train[dataset.labels[row]];
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (train[k] > 0 || all[k] == 0) continue;
    throw DataError("split",
                    fmt::format("class '{}' has no example in the training split ({} in all)",
                                dataset.schema.class_names[k], all[k]),
                    "give `train` a larger share, leave `stratify` on, or remove the class");
  }
}

}  // namespace

std::string content_hash(const Json& data, const std::vector<std::string>& file_hashes) {
  Json section = data;
  for (const char* key : kPathKeys) section.erase(key);
  return Sha256::hex_of(to_text({section, file_hashes}));
}

std::uint64_t split_seed(const Json& data, std::uint64_t seed) {
  const Json& own = data["split"]["seed"];
  return own.is_null() ? seed : own.get<std::uint64_t>();
}

void finish_splits(Dataset& dataset, Rows rows) {
  dataset.train = std::move(rows.train);
  dataset.val = std::move(rows.val);
  dataset.test = std::move(rows.test);
  dataset.schema.train = static_cast<std::int64_t>(dataset.train.size());
  dataset.schema.val = static_cast<std::int64_t>(dataset.val.size());
  dataset.schema.test = static_cast<std::int64_t>(dataset.test.size());
  if (dataset.train.empty()) throw DataError("split", "the training split is empty", "give `train` a larger share");
  check_classes(dataset);
}

Json located(const Json& data, const Locations& where) {
  const Json full = normalised(data);
  Json result = data;
  for (const Source& source : find_sources(full, where)) result[source.key] = source.file.string();
  return result;
}

Schema inspect(const Json& data, const Locations& where, std::uint64_t seed) {
  const Json full = normalised(data);
  const std::vector<Source> sources = find_sources(full, where);
  const SchemaCache cache(full, sources, seed);
  if (std::optional<Schema> known = cache.find()) return *known;
  Schema schema = full["op"] == "idx" ? inspect_idx(full, sources, seed) : load_csv(full, sources, seed).schema;
  cache.keep(schema);
  return schema;
}

Dataset load(const Json& data, const Locations& where, std::uint64_t seed) {
  const Json full = normalised(data);
  return load_sources(full, find_sources(full, where), seed);
}

}  // namespace dlrun::dataset
