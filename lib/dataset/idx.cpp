// SPDX-License-Identifier: Apache-2.0
// op: idx. Images in MNIST's format: the training file gives the splits train and val, the test file is test.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "dataset/idx_file.hpp"
#include "dataset/idx_load.hpp"
#include "dataset/images/image_set.hpp"
#include "dataset/pixels.hpp"
#include "dataset/split_section.hpp"

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

/// Labels of the rows that are used, in their order.
std::vector<std::int64_t> used_labels(const Half& half) {
  std::vector<std::int64_t> labels;
  for (const std::int64_t row : half.rows) labels.push_back(half.labels.values()[row]);
  return labels;
}

void limit_rows(Half& half, const Json& limit, std::uint64_t seed) {
  if (limit.is_null() || limit.get<std::int64_t>() >= half.count()) {
    half.rows.resize(static_cast<std::size_t>(half.count()));
    std::iota(half.rows.begin(), half.rows.end(), 0);
  } else {
    half.rows = choose_rows(labels_of(half), limit.get<std::int64_t>(), seed);
  }
}

void check_halves(const Half& train, const Half& test, const Sources& sources) {
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

/// Appends the half's images.
void append_images(const Half& half, std::vector<std::uint8_t>& pixels) {
  for (const std::int64_t row : half.rows)
    pixels.insert(pixels.end(), half.image(row), half.image(row) + half.pixels());
}

/// Both halves of the section's files, each with its rows.
struct Halves {
  Half train;
  Half test;
};

Halves read_halves(const Json& data, const Sources& sources, std::uint64_t seed) {
  Halves halves{read_half(sources[0], sources[1]), read_half(sources[2], sources[3])};
  check_halves(halves.train, halves.test, sources);
  limit_rows(halves.train, data["limit"], seed);
  limit_rows(halves.test, data["limit_test"], seed);
  return halves;
}

Schema describe(const Halves& halves, const Json& data, const Sources& sources) {
  const auto& [train, test] = halves;
  Schema schema;
  schema.inputs = {{"x", {1, train.images.sizes[1], train.images.sizes[2]}}};
  schema.classes = count_classes(train, sources[1]);
  check_labels(test, schema.classes, sources[3]);
  for (std::int64_t k = 0; k < schema.classes; ++k) schema.class_names.push_back(std::to_string(k));
  schema.sha256 =
      content_hash(data, sources, {train.images.sha256, train.labels.sha256, test.images.sha256, test.labels.sha256});
  return schema;
}

/// Data set without its images.
Dataset begin(const Halves& halves, const Json& data, const Sources& sources, std::uint64_t seed) {
  Dataset dataset;
  dataset.schema = describe(halves, data, sources);
  std::vector<std::uint8_t> labels;
  for (const Half* half : {&halves.train, &halves.test}) {
    for (const std::int64_t row : half->rows) labels.push_back(half->labels.values()[row]);
  }
  dataset.targets = Array::of(std::move(labels));
  const auto open = std::int64_t(halves.train.rows.size()), test = std::int64_t(halves.test.rows.size());
  finish_splits(dataset, draw_division(data, {.open = open, .test = test, .labels = used_labels(halves.train)}, seed));
  return dataset;
}

}  // namespace

namespace {

std::vector<std::int64_t> checked_labels(const std::string& file, std::int64_t count, std::int64_t classes) {
  const IdxFile labels = read_idx(file, 1, "data");
  if (labels.sizes[0] != count)
    throw DataError("data", fmt::format("'{}' has {} labels, but there are {} images", file, labels.sizes[0], count));
  std::vector<std::int64_t> result(labels.values(), labels.values() + count);
  for (const std::int64_t label : result) {
    if (label >= classes)
      throw DataError("data", fmt::format("'{}' has the label {}, but the model {} classes", file, label, classes));
  }
  return result;
}

}  // namespace

Fresh fresh_idx(const Json& data, const Sources& sources, const FreshOptions& options, std::uint64_t seed) {
  const Dataset trained = load_idx(data, sources, seed);
  const IdxFile images = read_idx(options.files.at("images"), 3, "data");
  const std::int64_t count = images.sizes[0];
  ImageSet set{.channels = 1, .height = images.sizes[1], .width = images.sizes[2]};
  set.pixels.assign(images.values(), images.values() + count * set.height * set.width);
  set.labels.assign(std::size_t(count), 0);
  Fresh fresh{.dataset = finish_new_images(std::move(set), trained, data)};
  if (options.needs_targets) {
    fresh.dataset.targets = Array::of(checked_labels(options.files.at("labels"), count, trained.schema.classes));
  } else {
    set_unknown_targets(fresh.dataset, count);
  }
  use_all_rows(fresh.dataset);
  return fresh;
}

Dataset load_idx(const Json& data, const Sources& sources, std::uint64_t seed) {
  const Halves halves = read_halves(data, sources, split_seed(data, seed));
  Dataset dataset = begin(halves, data, sources, seed);
  std::vector<std::uint8_t> pixels;
  pixels.reserve(std::size_t(dataset.targets.examples * halves.train.pixels()));
  append_images(halves.train, pixels);
  append_images(halves.test, pixels);
  dataset.inputs = {Array::of(std::move(pixels), halves.train.pixels())};
  scale_pixels(dataset.inputs[0], 1, dataset.train, data);
  return dataset;
}

}  // namespace dlrun::dataset
