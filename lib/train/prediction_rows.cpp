// SPDX-License-Identifier: Apache-2.0
#include "train/prediction_rows.hpp"

#include <fmt/format.h>

#include "train/metrics/calibration.hpp"
#include "train/metrics/hits.hpp"
#include "util/error.hpp"

namespace dlrun::train {

namespace {

/// RFC 4180: quoted where a comma, a quote or a line end would break the row.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string numbered(std::int64_t width, std::int64_t i) { return width == 1 ? "value" : fmt::format("value_{}", i); }

/// Names of the values of a target: the table's columns where it has several.
std::vector<std::string> value_names(std::int64_t width, const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  const bool are_named = width > 1 && std::int64_t(columns.size()) == width;
  for (std::int64_t i = 0; i < width; ++i)
    names.push_back(are_named ? "value_" + columns[std::size_t(i)] : numbered(width, i));
  return names;
}

std::size_t target_number(const dataset::Schema& data, const std::string& target) {
  const dataset::Target* found = dataset::find_target(data, target);
  return found == nullptr ? 0 : std::size_t(found - data.several.data());
}

}  // namespace

PredictionRows::PredictionRows(const std::vector<OutputConfig>& outputs, const dataset::Schema& trained,
                               const dataset::Fresh& facts)
    : id_name_(facts.id_name), ids_(facts.ids), numbers_(facts.dataset.test) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].is_auxiliary) continue;
    const dataset::Schema seen = dataset::seen_by(trained, outputs[i].target);
    if (!seen.target_shape.empty())
      throw Error(ErrorKind::usage, "the model has a label at each position, which a table has no room for",
                  "`dlrun eval` measures it; `dlrun export --weights` hands it on");
    Part part{i, outputs[i].name.empty() ? "" : outputs[i].name + ".", seen.class_names, {}, {}, {}};
    const std::size_t target = target_number(trained, outputs[i].target);
    const std::vector<std::string> none;
    if (seen.classes == 0)
      part.values = value_names(seen.targets, target < facts.value_names.size() ? facts.value_names[target] : none);
    if (target < facts.value_scale.size()) {
      part.scale = facts.value_scale[target].scale;
      part.shift = facts.value_scale[target].shift;
    }
    parts_.push_back(std::move(part));
  }
}

std::string PredictionRows::header() const {
  std::string text = cell(id_name_);
  for (const Part& part : parts_) {
    if (!part.classes.empty()) text += "," + cell(part.prefix + "class");
    for (const std::string& name : part.classes) text += "," + cell(part.prefix + "p_" + name);
    for (const std::string& name : part.values) text += "," + cell(part.prefix + name);
  }
  return text + '\n';
}

std::string PredictionRows::lines(const std::vector<at::Tensor>& outputs) {
  const std::int64_t count = outputs.at(parts_.front().output).size(0);
  std::string text;
  for (std::int64_t row = 0; row < count; ++row, ++next_) add_row(outputs, row, text);
  return text;
}

void PredictionRows::add_row(const std::vector<at::Tensor>& outputs, std::int64_t row, std::string& text) const {
  text += ids_.empty() ? fmt::format("{}", numbers_[next_]) : cell(ids_[next_]);
  std::vector<double> p;
  for (const Part& part : parts_) {
    const at::Tensor& output = outputs[part.output];
    const std::int64_t width = output.size(1);
    const float* numbers = output.const_data_ptr<float>() + row * width;
    if (!part.classes.empty()) {
      text += "," + cell(part.classes[std::size_t(predicted(numbers, width))]);
      probabilities(numbers, width, p);
      for (const double share : p) text += fmt::format(",{}", share);
    }
    for (std::size_t i = 0; i < part.values.size(); ++i) {
      const bool is_own = part.scale.empty();
      if (is_own) text += fmt::format(",{}", numbers[i]);
      if (!is_own) text += fmt::format(",{}", float(double(numbers[i]) * part.scale[i] + part.shift[i]));
    }
  }
  text += '\n';
}

}  // namespace dlrun::train
