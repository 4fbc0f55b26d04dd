// SPDX-License-Identifier: Apache-2.0
#include "train/example_losses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dlrun::train {

namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

/// In place of the unknown ones.
void fill_unknown(std::vector<float>& values) {
  double sum = 0;
  std::int64_t known = 0;
  for (const float value : values) {
    if (std::isnan(value)) continue;
    sum += double(value);
    ++known;
  }
  for (float& value : values) {
    if (std::isnan(value)) value = known > 0 ? float(sum / double(known)) : 0;
  }
}

}  // namespace

ExampleLosses::ExampleLosses(std::int64_t examples)
    : fresh_(std::size_t(examples), kUnknown),
      count_(std::size_t(examples)),
      mean_(std::size_t(examples)),
      squares_(std::size_t(examples)) {}

Json ExampleLosses::noted() const {
  Json examples = Json::array(), losses = Json::array();
  for (std::size_t i = 0; i < fresh_.size(); ++i) {
    if (std::isnan(fresh_[i])) continue;
    examples.push_back(i);
    losses.push_back(fresh_[i]);
  }
  return {examples, losses};
}

void ExampleLosses::note_all(const Json& noted) {
  const Json &examples = noted.at(0), &losses = noted.at(1);
  for (std::size_t i = 0; i < examples.size(); ++i)
    fresh_.at(examples.at(i).get<std::size_t>()) = losses.at(i).get<float>();
}

void ExampleLosses::end_epoch(bool is_last) {
  for (std::size_t i = 0; i < fresh_.size(); ++i) {
    if (std::isnan(fresh_[i])) continue;
    if (is_last) count_[i] = mean_[i] = squares_[i] = 0;
    count_[i] += 1;
    const float before = fresh_[i] - mean_[i];
    mean_[i] += before / count_[i];
    squares_[i] += before * (fresh_[i] - mean_[i]);
  }
  std::fill(fresh_.begin(), fresh_.end(), kUnknown);
}

void ExampleLosses::begin_window() {
  for (std::vector<float>* sums : {&count_, &mean_, &squares_}) std::fill(sums->begin(), sums->end(), 0.0f);
}

std::vector<float> ExampleLosses::importance(const std::string& aggregate) const {
  const float epochs = count_.empty() ? 0 : *std::max_element(count_.begin(), count_.end());
  const bool is_variance = aggregate == "var" && epochs > 1;
  std::vector<float> values(count_.size(), kUnknown);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_variance && count_[i] > 1) values[i] = squares_[i] / (count_[i] - 1);
    if (!is_variance && count_[i] > 0) values[i] = mean_[i];
  }
  fill_unknown(values);
  return values;
}

std::vector<std::pair<std::string, std::span<float>>> ExampleLosses::tensors() {
  return {{"count", count_}, {"mean", mean_}, {"squares", squares_}};
}

}  // namespace dlrun::train
