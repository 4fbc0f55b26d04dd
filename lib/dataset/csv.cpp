// SPDX-License-Identifier: Apache-2.0
// op: csv. A table becomes float32 inputs and labels or values.
#include <cmath>

#include <fmt/format.h>

#include "dataset/bytes.hpp"
#include "dataset/encode.hpp"
#include "dataset/formats.hpp"
#include "dataset/frame.hpp"

namespace dlrun::dataset {

namespace {

constexpr std::size_t kMostBytes = std::size_t(4) << 30;

Shares shares_of(const Json& split) {
  const Shares shares{split["train"].get<double>(), split["val"].get<double>(), split["test"].get<double>()};
  const double total = shares.train + shares.val + shares.test;
  if (std::abs(total - 1) < 1e-6) return shares;
  throw DataError("split",
                  fmt::format("the shares {} + {} + {} make {:.6g}", shares.train, shares.val, shares.test, total),
                  "together they must be 1");
}

Rows draw_split(const Frame& frame, const Json& data, std::uint64_t seed) {
  const bool is_stratified = !frame.labels.empty() && data["split"]["stratify"].get<bool>();
  const std::vector<std::int64_t> strata = is_stratified ? frame.labels : std::vector<std::int64_t>(frame.rows, 0);
  return split_rows(strata, shares_of(data["split"]), split_seed(data, seed));
}

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

Dataset load_csv(const Json& data, const std::vector<Source>& sources, std::uint64_t seed) {
  const std::string file = sources[0].file.string();
  const Content content = read_content(sources[0].file, kMostBytes);
  Frame frame = read_frame(data, content.bytes, file);
  Dataset dataset;
  dataset.schema.sha256 = content_hash(data, {content.sha256});
  dataset.values = values_of(frame);
  dataset.schema.targets = frame.classes.empty() ? static_cast<std::int64_t>(frame.targets.size()) : 1;
  dataset.schema.classes = static_cast<std::int64_t>(frame.classes.size());
  dataset.schema.class_names = frame.classes;
  dataset.labels = frame.labels;
  finish_splits(dataset, draw_split(frame, data, seed));
  Encoded encoded = encode(frame, dataset.train, data, file);
  dataset.schema.input = {static_cast<std::int64_t>(encoded.names.size())};
  dataset.schema.features = std::move(encoded.names);
  dataset.schema.columns = std::move(encoded.columns);
  dataset.inputs = std::move(encoded.inputs);
  return dataset;
}

}  // namespace dlrun::dataset
