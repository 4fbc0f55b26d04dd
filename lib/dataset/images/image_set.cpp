// SPDX-License-Identifier: Apache-2.0
#include "dataset/images/image_set.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "dataset/images/channels.hpp"
#include "dataset/pixels.hpp"
#include "dataset/replace.hpp"
#include "dataset/split_section.hpp"

namespace dlrun::dataset {

options::Table limit_options() {
  return {integer("limit", "use at most this many of the training file's examples").from(2),
          integer("limit_test", "use at most this many of the test file's").from(1)};
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

namespace {

void check_size(const ImageSet& images, const Schema& trained) {
  const std::vector<std::int64_t> found{images.channels, images.height, images.width}, &wanted = trained.input();
  if (found == wanted) return;
  throw DataError("data",
                  fmt::format("the new images are [{}], but the model was trained on [{}]", fmt::join(found, ", "),
                              fmt::join(wanted, ", ")),
                  "channels, height, width: resize them, or train with `size`");
}

void refuse_permuted(const Json& data) {
  const Json given = data.value("replace", Json()), wanted = given.is_object() ? given : Json::object();
  for (const auto& [name, how] : wanted.items()) {
    if (replacement("channel", name, how) == Replacement::permute)
      throw DataError("replace." + name,
                      fmt::format("the trial was trained with channel {} permuted, so new images cannot have it", name),
                      "use a trial that was trained on the data as it is");
  }
}

}  // namespace

Dataset finish_new_images(ImageSet images, const Dataset& trained, const Json& data) {
  refuse_permuted(data);
  keep_channels(images, data);
  check_size(images, trained.schema);
  Dataset dataset;
  dataset.schema = trained.schema;
  const std::int64_t width = images.channels * images.height * images.width;
  dataset.inputs = {images.mapped
                        ? Array{Element::u8, images.mapped, std::int64_t(images.labels.size()), width, width, {}, {}}
                        : Array::of(std::move(images.pixels), width)};
  dataset.inputs[0].scale = trained.inputs[0].scale;
  dataset.inputs[0].shift = trained.inputs[0].shift;
  return dataset;
}

}  // namespace dlrun::dataset
