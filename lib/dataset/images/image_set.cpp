// SPDX-License-Identifier: Apache-2.0
#include "dataset/images/image_set.hpp"

#include <numeric>

#include "dataset/images/channels.hpp"
#include "dataset/pixels.hpp"
#include "dataset/split_section.hpp"

namespace dlrun::dataset {

std::vector<Option> limit_options() {
  return {{.name = "limit", .type = "int", .low = 2, .text = "use at most this many of the training file's examples"},
          {.name = "limit_test", .type = "int", .low = 1, .text = "use at most this many of the test file's"}};
}

std::vector<std::int64_t> limited(const std::vector<std::int64_t>& labels, const Json& limit, std::uint64_t seed) {
  if (!limit.is_null() && limit.get<std::int64_t>() < std::int64_t(labels.size()))
    return choose_rows(labels, limit.get<std::int64_t>(), seed);
  std::vector<std::int64_t> all(labels.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Dataset finish_images(ImageSet images, const Json& data, std::uint64_t seed) {
  keep_channels(images, data);
  Dataset dataset;
  dataset.schema.inputs = {{"x", {images.channels, images.height, images.width}}};
  dataset.schema.classes = std::int64_t(images.class_names.size());
  dataset.schema.class_names = std::move(images.class_names);
  dataset.schema.sha256 = std::move(images.sha256);
  const auto rows = std::int64_t(images.labels.size());
  Division division{.open = rows - images.val - images.test, .val = images.val, .test = images.test};
  division.labels.assign(images.labels.begin(), images.labels.begin() + division.open);
  dataset.targets = Array::of(images.labels);
  finish_splits(dataset, draw_division(data, division, seed));
  permute_channels(images, data, {dataset.train, dataset.val, dataset.test}, seed);
  const std::int64_t width = images.channels * images.height * images.width;
  dataset.inputs = {images.mapped ? Array{Element::u8, images.mapped, rows, width, width, {}, {}}
                                  : Array::of(std::move(images.pixels), width)};
  scale_pixels(dataset.inputs[0], images.channels, dataset.train, data);
  hold_channels(dataset.inputs[0], images.channels, data, dataset.train);
  return dataset;
}

}  // namespace dlrun::dataset
