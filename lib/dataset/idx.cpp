// SPDX-License-Identifier: Apache-2.0
// op: idx. Images in MNIST's format: the training file gives the splits train and val, the test file is test.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "dataset/formats.hpp"
#include "dataset/idx_file.hpp"

namespace dlrun::dataset {

namespace {

/// Images and labels of one half, and which of them are used.
struct Half {
  IdxFile images;
  IdxFile labels;
  std::vector<std::int64_t> rows;

  std::int64_t count() const { return images.sizes[0]; }
  std::int64_t pixels() const { return images.sizes[1] * images.sizes[2]; }
  const unsigned char* image(std::int64_t row) const { return images.values() + row * pixels(); }
};

Half read_half(const Source& images, const Source& labels) {
  Half half{read_idx(images.file, 3, images.key), read_idx(labels.file, 1, labels.key), {}};
  if (half.labels.sizes[0] != half.count()) {
    throw DataError(labels.key,
                    fmt::format("'{}' has {} images, but '{}' {} labels", images.file.string(), half.count(),
                                labels.file.string(), half.labels.sizes[0]),
                    "the two files do not belong together");
  }
  return half;
}

std::vector<std::int64_t> labels_of(const Half& half) {
  return {half.labels.values(), half.labels.values() + half.count()};
}

/// Labels of the rows, in their order; all 0 where nothing is to be stratified.
std::vector<std::int64_t> strata_of(const Half& half, const Json& data) {
  std::vector<std::int64_t> strata;
  for (const std::int64_t row : half.rows) strata.push_back(half.labels.values()[row]);
  if (!data["split"]["stratify"].get<bool>()) std::fill(strata.begin(), strata.end(), 0);
  return strata;
}

void limit_rows(Half& half, const Json& limit, std::uint64_t seed) {
  if (limit.is_null() || limit.get<std::int64_t>() >= half.count()) {
    half.rows.resize(static_cast<std::size_t>(half.count()));
    std::iota(half.rows.begin(), half.rows.end(), 0);
  } else {
    half.rows = choose_rows(labels_of(half), limit.get<std::int64_t>(), seed);
  }
}

void check_halves(const Half& train, const Half& test, const std::vector<Source>& sources) {
  if (train.images.sizes[1] == test.images.sizes[1] && train.images.sizes[2] == test.images.sizes[2]) return;
  throw DataError("test_images", fmt::format("'{}' has images of {}x{}, but '{}' of {}x{}", sources[0].file.string(),
                                             train.images.sizes[1], train.images.sizes[2], sources[2].file.string(),
                                             test.images.sizes[1], test.images.sizes[2]));
}

/// One more than the greatest label of the training file. Labels that begin at 1 leave class 0 empty; more gaps are a
/// damaged file, or numbers that are no classes.
std::int64_t count_classes(const Half& train, const Source& labels) {
  const std::vector<std::int64_t> known = labels_of(train);
  const std::int64_t classes = *std::max_element(known.begin(), known.end()) + 1;
  const auto different = static_cast<std::int64_t>(std::set<std::int64_t>(known.begin(), known.end()).size());
  if (different >= std::max<std::int64_t>(2, classes - 1)) return classes;
  throw DataError(
      labels.key,
      fmt::format("'{}' has labels up to {}, but only {} different ones", labels.file.string(), classes - 1, different),
      "labels must be class numbers, each of them used");
}

void check_labels(const Half& test, std::int64_t classes, const Source& labels) {
  const std::vector<std::int64_t> asked = labels_of(test);
  const auto unknown = std::find_if(asked.begin(), asked.end(), [&](std::int64_t label) { return label >= classes; });
  if (unknown == asked.end()) return;
  throw DataError(labels.key,
                  fmt::format("label {} of example {} is outside of the training file's 0 to {}", *unknown,
                              unknown - asked.begin(), classes - 1),
                  {}, fmt::format("{}, byte {}", labels.file.string(), 8 + (unknown - asked.begin())));
}

/// How often each byte is in the images of the rows.
std::array<double, 256> shares_of_bytes(const Half& half, const std::vector<std::int64_t>& rows) {
  std::array<std::int64_t, 256> count{};
  for (const std::int64_t row : rows) {
    for (std::int64_t i = 0; i < half.pixels(); ++i) ++count[half.image(row)[i]];
  }
  const double total = static_cast<double>(rows.size()) * static_cast<double>(half.pixels());
  std::array<double, 256> shares{};
  for (int byte = 0; byte < 256; ++byte) shares[byte] = static_cast<double>(count[byte]) / total;
  return shares;
}

/// A byte to its float: divided by `scale`, then to mean 0 and deviation 1 over the training images where asked.
std::array<float, 256> pixel_table(const Half& train, const std::vector<std::int64_t>& rows, const Json& data) {
  std::array<double, 256> value{};
  for (int byte = 0; byte < 256; ++byte) value[byte] = byte / data["scale"].get<double>();
  double mean = 0, squares = 1;
  if (data["standardise"].get<bool>()) {
    const std::array<double, 256> share = shares_of_bytes(train, rows);
    for (int byte = 0; byte < 256; ++byte) mean += value[byte] * share[byte];
    squares = 0;
    for (int byte = 0; byte < 256; ++byte) squares += (value[byte] - mean) * (value[byte] - mean) * share[byte];
  }
  const double deviation = squares > 0 ? std::sqrt(squares) : 1;
  std::array<float, 256> table{};
  for (int byte = 0; byte < 256; ++byte) table[byte] = static_cast<float>((value[byte] - mean) / deviation);
  return table;
}

/// Writes the half's images to `out`; where it ends.
float* write_images(const Half& half, const std::array<float, 256>& table, float* out) {
  for (const std::int64_t row : half.rows) {
    const unsigned char* image = half.image(row);
    out = std::transform(image, image + half.pixels(), out, [&](unsigned char byte) { return table[byte]; });
  }
  return out;
}

/// Row numbers of the data set: first what is used of the training file, then the test file.
Rows draw_split(const Half& train, const Half& test, const Json& data, std::uint64_t seed) {
  const double val = data["split"]["val"].get<double>();
  Rows rows = split_rows(strata_of(train, data), {1 - val, val, 0}, seed);
  rows.test.resize(test.rows.size());
  std::iota(rows.test.begin(), rows.test.end(), static_cast<std::int64_t>(train.rows.size()));
  return rows;
}

/// Both halves of the section's files, each with its rows.
struct Halves {
  Half train;
  Half test;
};

Halves read_halves(const Json& data, const std::vector<Source>& sources, std::uint64_t seed) {
  Halves halves{read_half(sources[0], sources[1]), read_half(sources[2], sources[3])};
  check_halves(halves.train, halves.test, sources);
  limit_rows(halves.train, data["limit"], seed);
  limit_rows(halves.test, data["limit_test"], seed);
  return halves;
}

Schema describe(const Halves& halves, const Json& data, const std::vector<Source>& sources) {
  const auto& [train, test] = halves;
  Schema schema;
  schema.input = {1, train.images.sizes[1], train.images.sizes[2]};
  schema.classes = count_classes(train, sources[1]);
  check_labels(test, schema.classes, sources[3]);
  for (std::int64_t k = 0; k < schema.classes; ++k) schema.class_names.push_back(std::to_string(k));
  schema.sha256 =
      content_hash(data, {train.images.sha256, train.labels.sha256, test.images.sha256, test.labels.sha256});
  return schema;
}

/// Everything but the images.
Dataset begin(const Halves& halves, const Json& data, const std::vector<Source>& sources, std::uint64_t seed) {
  Dataset dataset;
  dataset.schema = describe(halves, data, sources);
  for (const Half* half : {&halves.train, &halves.test}) {
    for (const std::int64_t row : half->rows) dataset.labels.push_back(half->labels.values()[row]);
  }
  finish_splits(dataset, draw_split(halves.train, halves.test, data, seed));
  return dataset;
}

}  // namespace

Schema inspect_idx(const Json& data, const std::vector<Source>& sources, std::uint64_t study_seed) {
  const std::uint64_t seed = split_seed(data, study_seed);
  return begin(read_halves(data, sources, seed), data, sources, seed).schema;
}

Dataset load_idx(const Json& data, const std::vector<Source>& sources, std::uint64_t study_seed) {
  const std::uint64_t seed = split_seed(data, study_seed);
  const Halves halves = read_halves(data, sources, seed);
  Dataset dataset = begin(halves, data, sources, seed);
  std::vector<std::int64_t> measured;  // the training rows, by their number in the file
  for (const std::int64_t row : dataset.train) measured.push_back(halves.train.rows[row]);
  const std::array<float, 256> table = pixel_table(halves.train, measured, data);
  dataset.inputs.resize(dataset.labels.size() * static_cast<std::size_t>(halves.train.pixels()));
  write_images(halves.test, table, write_images(halves.train, table, dataset.inputs.data()));
  return dataset;
}

}  // namespace dlrun::dataset
