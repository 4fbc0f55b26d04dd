// SPDX-License-Identifier: Apache-2.0
// load(), inspect() and located(): from a section to its files, its loader and its cache.
#include "dataset/dataset.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dataset/batch_section.hpp"
#include "dataset/cache.hpp"
#include "dataset/content.hpp"
#include "dataset/formats.hpp"
#include "dataset/locate.hpp"
#include "util/sha256.hpp"

namespace dlrun::dataset {

namespace {

/// The place of a key such as "inputs.x".
Json::json_pointer pointer_of(std::string key) {
  std::replace(key.begin(), key.end(), '.', '/');
  return Json::json_pointer("/" + key);
}

void check_classes(const Schema& schema, const Array& labels, const std::vector<std::int64_t>& rows) {
  if (schema.classes == 0 || !schema.target_shape.empty()) return;
  std::vector<std::int64_t> all(schema.classes), train(schema.classes);
  for (std::int64_t row = 0; row < labels.examples; ++row) ++all[labels.index(row)];
  for (const std::int64_t row : rows) ++train[labels.index(row)];
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (train[k] > 0 || all[k] == 0) continue;
    throw DataError(
        "split",
        fmt::format("class '{}' has no example in the training split ({} in all)", schema.class_names[k], all[k]),
        "give `train` a larger share, leave `stratify` on, or remove the class");
  }
}

}  // namespace

std::string content_hash(const Json& data, const Sources& sources, const std::vector<std::string>& file_hashes) {
  Json section = without_batches(data);
  section.erase("path");
  if (section.value("standardise_targets", Json()).is_null()) section.erase("standardise_targets");  // came later
  for (const Source& source : sources) {
    if (section.contains(pointer_of(source.key))) section[pointer_of(source.key)] = nullptr;
  }
  return Sha256::hex_of(to_text({section, file_hashes}));
}

std::uint64_t split_seed(const Json& data, std::uint64_t seed) {
  const Json own = data["split"].value("seed", Json());
  return own.is_null() ? seed : own.get<std::uint64_t>();
}

void finish_splits(Dataset& dataset, Rows rows) {
  dataset.train = std::move(rows.train);
  dataset.val = std::move(rows.val);
  dataset.test = std::move(rows.test);
  dataset.val_clusters = std::move(rows.clusters);
  dataset.schema.train = static_cast<std::int64_t>(dataset.train.size());
  dataset.schema.val = static_cast<std::int64_t>(dataset.val.size());
  dataset.schema.test = static_cast<std::int64_t>(dataset.test.size());
  if (dataset.train.empty()) throw DataError("split", "the training split is empty", "give `train` a larger share");
  if (dataset.several.empty()) check_classes(dataset.schema, dataset.targets, dataset.train);
  for (std::size_t i = 0; i < dataset.several.size(); ++i)
    check_classes(seen_by(dataset.schema, dataset.schema.several[i].name), dataset.several[i], dataset.train);
}

Json located(const Json& data, const Locations& where) {
  const Json full = normalised(data);
  Json result = data;
  for (const Source& source : format_of(full).find(full, where)) result[pointer_of(source.key)] = source.file.string();
  return result;
}

std::vector<std::string> path_keys(const Json& data) {
  std::vector<std::string> keys;
  for (const options::Variant& kind : data_kinds()) {
    if (!data.is_object() || data.value("op", Json()) != kind.name) continue;
    for (const options::Key& option : kind.table) {
      if (option.is_file) keys.push_back(option.name);
    }
  }
  return keys;
}

Json without_paths(Json data) {
  for (const std::string& key : path_keys(data)) data.erase(key);
  return data;
}

Schema inspect(const Json& data, const Locations& where, std::uint64_t seed) {
  const Json full = normalised(data);
  const Format& format = format_of(full);
  const Sources sources = format.find(full, where);
  Json section = without_batches(full);
  if (!format.reader.empty()) section["plugin"] = format.reader;
  const SchemaCache cache(section, sources, seed);
  const std::optional<Schema> known = needs_values(full) ? std::nullopt : cache.find();
  if (known) {
    check_batches(full, *known);
    return *known;
  }
  const Dataset dataset = format.load(full, sources, seed);
  cache.keep(dataset.schema);
  check_batches(full, dataset.schema);
  check_values(full, dataset);
  return dataset.schema;
}

Schema read_schema(const Json& data, const Locations& where, std::uint64_t seed) {
  return load(data, where, seed).schema;
}

std::vector<std::filesystem::path> files_of(const Json& data, const Locations& where) {
  const Json full = normalised(data);
  std::vector<std::filesystem::path> files;
  for (const Source& source : format_of(full).find(full, where)) {
    if (source.parts.empty()) files.push_back(source.file);
    files.insert(files.end(), source.parts.begin(), source.parts.end());
  }
  return files;
}

Dataset load(const Json& data, const Locations& where, std::uint64_t seed) {
  const Json full = normalised(data);
  const Format& format = format_of(full);
  Dataset dataset = format.load(full, format.find(full, where), seed);
  check_batches(full, dataset.schema);
  check_values(full, dataset);
  return dataset;
}

}  // namespace dlrun::dataset
