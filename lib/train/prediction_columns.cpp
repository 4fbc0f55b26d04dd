// SPDX-License-Identifier: Apache-2.0
#include "train/prediction_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "train/metrics/calibration.hpp"
#include "train/metrics/hits.hpp"
#include "util/error.hpp"

namespace dlrun::train {

namespace {

std::string numbered(std::int64_t width, std::int64_t i) { return width == 1 ? "value" : fmt::format("value_{}", i); }

/// Names of the values of a target: the table's columns where it has several.
std::vector<std::string> value_names(std::int64_t width, const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  const bool are_named = width > 1 && std::int64_t(columns.size()) == width;
  for (std::int64_t i = 0; i < width; ++i)
    names.push_back(are_named ? "value_" + columns[std::size_t(i)] : numbered(width, i));
  return names;
}

/// A single logit is that of the second class.
std::vector<std::string> class_columns(const std::vector<std::string>& classes, std::int64_t width, bool wants_logits) {
  if (wants_logits && width == 1) return {"logit"};
  std::vector<std::string> names;
  for (const std::string& name : classes) names.push_back((wants_logits ? "logit_" : "p_") + name);
  return names;
}

std::size_t target_number(const dataset::Schema& data, const std::string& target) {
  const dataset::Target* found = dataset::find_target(data, target);
  return found == nullptr ? 0 : std::size_t(found - data.several.data());
}

const float* row_of(const at::Tensor& outputs, std::int64_t row) {
  return outputs.const_data_ptr<float>() + row * outputs.size(1);
}

}  // namespace

void PredictionColumns::read(const at::Tensor& outputs, std::int64_t row, std::vector<double>& into) const {
  const float* numbers = row_of(outputs, row);
  if (is_double()) return probabilities(numbers, outputs.size(1), into);
  into.assign(numbers, numbers + names.size());
  for (std::size_t i = 0; i < scale.size(); ++i) into[i] = double(float(into[i] * scale[i] + shift[i]));
}

const std::string* PredictionColumns::class_of(const at::Tensor& outputs, std::int64_t row) const {
  const float* numbers = row_of(outputs, row);
  const std::int64_t width = outputs.size(1);
  return has_nan(numbers, width) ? nullptr : &classes[std::size_t(predicted(numbers, width))];
}

std::vector<PredictionColumns> prediction_columns(const std::vector<OutputConfig>& outputs,
                                                  const dataset::Schema& trained, const dataset::Fresh& facts,
                                                  const std::vector<at::Tensor>& predictions, bool wants_logits) {
  std::vector<PredictionColumns> all;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].is_auxiliary) continue;
    const dataset::Schema seen = dataset::seen_by(trained, outputs[i].target);
    if (!seen.target_shape.empty())
      throw Error(ErrorKind::usage, "the model has a label at each position, which a row has no room for",
                  "`dlrun eval` measures it; `dlrun export --safetensors` hands it on");
    PredictionColumns columns{i, outputs[i].name.empty() ? "" : outputs[i].name + ".", "values", seen.class_names};
    const std::size_t target = target_number(trained, outputs[i].target);
    if (seen.classes > 0) {
      columns.kind = wants_logits ? "logits" : "probabilities";
      columns.names = class_columns(seen.class_names, predictions[i].size(1), wants_logits);
    } else {
      columns.names = value_names(
          seen.targets, target < facts.value_names.size() ? facts.value_names[target] : std::vector<std::string>());
      columns.scale = seen.unit.scale;
      columns.shift = seen.unit.shift;
    }
    all.push_back(std::move(columns));
  }
  const bool has_classes = std::any_of(all.begin(), all.end(), [](const auto& c) { return c.kind != "values"; });
  if (wants_logits && !has_classes)
    throw Error(ErrorKind::usage, "--outputs logits has no effect: the model predicts numbers, no classes",
                "remove it");
  return all;
}

}  // namespace dlrun::train
