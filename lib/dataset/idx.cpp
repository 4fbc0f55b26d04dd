// SPDX-License-Identifier: Apache-2.0
// op: idx. Images in MNIST's format: the training file gives the splits train and val, the test file is test.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

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

std::int64_t count_classes(const Half& train, const Half& test, const Source& test_labels) {
  const std::vector<std::int64_t> known = labels_of(train), asked = labels_of(test);
  const std::int64_t classes = *std::max_element(known.begin(), known.end()) + 1;
  const auto unknown = std::find_if(asked.begin(), asked.end(), [&](std::int64_t label) { return label >= classes; });
  if (unknown == asked.end()) return classes;
  throw DataError(test_labels.key,
                  fmt::format("label {} of example {} is outside of the training file's 0 to {}", *unknown,
                              unknown - asked.begin(), classes - 1),
                  {}, fmt::format("{}, byte {}", test_labels.file.string(), 8 + (unknown - asked.begin())));
}

/// A byte to its float: divided by `scale`, then to mean 0 and deviation 1 over the training images where asked.
std::array<float, 256> pixel_table(const Half& train, const std::vector<std::int64_t>& rows, const Json& data) {
  std::array<double, 256> value{};
  for (int byte = 0; byte < 256; ++byte) value[byte] = byte / data["scale"].get<double>();
  double mean = 0, deviation = 1;
  if (data["standardise"].get<bool>()) {
    std::array<std::int64_t, 256> count{};
    for (const std::int64_t row : rows) {
      for (std::int64_t i = 0; i < train.pixels(); ++i) ++count[train.image(row)[i]];
    }
    const double total = static_cast<double>(rows.size()) * static_cast<double>(train.pixels());
    double squares = 0;
    for (int byte = 0; byte < 256; ++byte) mean += value[byte] * static_cast<double>(count[byte]) / total;
    for (int byte = 0; byte < 256; ++byte)
      squares += (value[byte] - mean) * (value[byte] - mean) * static_cast<double>(count[byte]) / total;
    deviation = squares > 0 ? std::sqrt(squares) : 1;
  }
  std::array<float, 256> table{};
  for (int byte = 0; byte < 256; ++byte) table[byte] = static_cast<float>((value[byte] - mean) / deviation);
  return table;
}

void append(const Half& half, const std::array<float, 256>& table, Dataset& dataset) {
  for (const std::int64_t row : half.rows) {
    dataset.labels.push_back(half.labels.values()[row]);
    const unsigned char* image = half.image(row);
    std::transform(image, image + half.pixels(), std::back_inserter(dataset.inputs),
                   [&](unsigned char byte) { return table[byte]; });
  }
}

/// Row numbers of the data set: first what is used of the training file, then the test file.
Rows draw_split(const Half& train, const Half& test, const Json& data, std::uint64_t seed) {
  const double val = data["split"]["val"].get<double>();
  Rows rows = split_rows(strata_of(train, data), {1 - val, val, 0}, seed);
  rows.test.resize(test.rows.size());
  std::iota(rows.test.begin(), rows.test.end(), static_cast<std::int64_t>(train.rows.size()));
  return rows;
}

}  // namespace

Dataset load_idx(const Json& data, const std::vector<Source>& sources, std::uint64_t study_seed) {
  const std::uint64_t seed = split_seed(data, study_seed);
  Half train = read_half(sources[0], sources[1]);
  Half test = read_half(sources[2], sources[3]);
  check_halves(train, test, sources);
  limit_rows(train, data["limit"], seed);
  limit_rows(test, data["limit_test"], seed);
  Dataset dataset;
  dataset.schema.input = {1, train.images.sizes[1], train.images.sizes[2]};
  dataset.schema.classes = count_classes(train, test, sources[3]);
  for (std::int64_t k = 0; k < dataset.schema.classes; ++k) dataset.schema.class_names.push_back(std::to_string(k));
  dataset.schema.sha256 =
      content_hash(data, {train.images.sha256, train.labels.sha256, test.images.sha256, test.labels.sha256});
  const Rows rows = draw_split(train, test, data, seed);
  std::vector<std::int64_t> train_rows;
  for (const std::int64_t row : rows.train) train_rows.push_back(train.rows[row]);
  const std::array<float, 256> table = pixel_table(train, train_rows, data);
  dataset.inputs.reserve((train.rows.size() + test.rows.size()) * static_cast<std::size_t>(train.pixels()));
  append(train, table, dataset);
  append(test, table, dataset);
  finish_splits(dataset, rows);
  return dataset;
}

}  // namespace dlrun::dataset
