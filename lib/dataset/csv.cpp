// SPDX-License-Identifier: Apache-2.0
// op: csv. A table becomes float32 inputs and labels or values.
#include <cmath>

#include <fmt/format.h>

#include "dataset/bytes.hpp"
#include "dataset/csv_load.hpp"
#include "dataset/encode.hpp"
#include "dataset/frame.hpp"
#include "dataset/split_section.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::size_t kMostBytes = std::size_t(4) << 30;

std::vector<float> values_of(const Frame& frame) {
  std::vector<float> values;
  for (std::size_t row = 0; row < frame.rows; ++row) {
    for (const Column& target : frame.targets) {
      values.push_back(static_cast<float>(target.numbers[row]));
      if (std::isfinite(values.back())) continue;
      throw DataError("target", fmt::format("the target '{}' has a number in line {} that float32 cannot hold",
                                            target.name, frame.lines[row]));
    }
  }
  return values;
}

}  // namespace

Dataset load_csv(const Json& data, const Sources& sources, std::uint64_t seed) {
  const std::string file = sources[0].file.string();
  const Content content = read_content(sources[0].file, kMostBytes);
  Frame frame = read_frame(data, content.bytes, file);
  Dataset dataset;
  dataset.schema.sha256 = content_hash(data, sources, {content.sha256});
  dataset.schema.targets = frame.classes.empty() ? static_cast<std::int64_t>(frame.targets.size()) : 1;
  dataset.targets =
      frame.classes.empty() ? Array::of(values_of(frame), dataset.schema.targets) : Array::of(frame.labels);
  dataset.schema.classes = static_cast<std::int64_t>(frame.classes.size());
  dataset.schema.class_names = frame.classes;
  const auto rows = static_cast<std::int64_t>(frame.rows);
  finish_splits(dataset, draw_split(data, {rows, frame.labels, frame.split_cells, frame.lines}, seed));
  Encoded encoded = encode(frame, dataset.train, data, file);
  const auto width = static_cast<std::int64_t>(encoded.names.size());
  dataset.schema.inputs = {{"x", {width}}};
  dataset.inputs = {Array::of(std::move(encoded.inputs), width)};
  dataset.schema.features = std::move(encoded.names);
  dataset.schema.columns = std::move(encoded.columns);
  return dataset;
}

}  // namespace dlrun::dataset
