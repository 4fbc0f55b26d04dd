// SPDX-License-Identifier: Apache-2.0
#include "train/metrics/plugin_metric.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <dlrun/plugin/metric.hpp>
#include <memory>

#include "nn/guarded.hpp"
#include "plugin/found.hpp"

namespace dlrun::train {

namespace {

using MakeMetric = plugin::Metric* (*)();

template <class Number>
at::Tensor tensor_of(const std::vector<Number>& values, at::ScalarType type) {
  return at::from_blob(const_cast<Number*>(values.data()), {std::int64_t(values.size())}, type).clone();
}

}  // namespace

void KeptExamples::add_example(const float* row, std::int64_t width, std::int64_t label) {
  width_ = width;
  outputs_.insert(outputs_.end(), row, row + width);
  labels_.push_back(label);
}

void KeptExamples::add_example(const float* output, const float* target, std::int64_t width) {
  width_ = width;
  outputs_.insert(outputs_.end(), output, output + width);
  targets_.insert(targets_.end(), target, target + width);
}

void KeptExamples::add(const KeptExamples& other) {
  if (other.width_ > 0) width_ = other.width_;
  outputs_.insert(outputs_.end(), other.outputs_.begin(), other.outputs_.end());
  labels_.insert(labels_.end(), other.labels_.begin(), other.labels_.end());
  targets_.insert(targets_.end(), other.targets_.begin(), other.targets_.end());
}

std::optional<double> KeptExamples::value(const std::string& name) const {
  const plugin::Found* found = plugin::find(plugin::Kind::metric, name);
  if (found == nullptr) return std::nullopt;
  const auto make = reinterpret_cast<MakeMetric>(plugin::open_symbol(*found));
  const std::int64_t width = std::max<std::int64_t>(1, width_);
  const at::Tensor outputs = tensor_of(outputs_, at::kFloat).reshape({-1, width});
  const at::Tensor targets =
      targets_.empty() ? tensor_of(labels_, at::kLong) : tensor_of(targets_, at::kFloat).reshape({-1, width});
  return nn::guarded(name, [&] { return std::unique_ptr<plugin::Metric>(make())->value(outputs, targets); });
}

void KeptExamples::restore(const Json& json) {
  json.at(0).get_to(width_);
  json.at(1).get_to(outputs_);
  json.at(2).get_to(labels_);
  json.at(3).get_to(targets_);
}

bool is_of_plugin(const std::string& metric) { return plugin::find(plugin::Kind::metric, metric) != nullptr; }

}  // namespace dlrun::train
