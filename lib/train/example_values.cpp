// SPDX-License-Identifier: Apache-2.0
#include "train/example_values.hpp"

#include <algorithm>

namespace dlrun::train {

namespace {

/// Adds the numbers of the k-th mean.
void add_mean(const std::vector<std::vector<Term>>& terms, std::size_t k, std::vector<double>& numbers) {
  double weight = 0, sum = 0;
  for (const std::vector<Term>& example : terms) {
    weight += example[k].weight;
    sum += example[k].weight * example[k].value;
  }
  if (weight == 0) return;
  const double mean = sum / weight, count = double(terms.size());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto& [factor, value, own] = terms[i][k];
    const double share = count * own / weight;
    numbers[i] += factor * (share == 1 ? value : mean + share * (value - mean));
  }
}

}  // namespace

std::vector<float> ExampleValues::values() const {
  std::vector<double> numbers(terms_.size());
  const std::size_t means = terms_.empty() ? 0 : terms_.front().size();
  for (std::size_t k = 0; k < means; ++k) add_mean(terms_, k, numbers);
  return {numbers.begin(), numbers.end()};
}

std::vector<OutputConfig> outputs_for(const std::string& metric, std::vector<OutputConfig> outputs) {
  const std::size_t point = metric.rfind('.');
  const std::string owner = point == std::string::npos ? "" : metric.substr(0, point);
  const std::string name = metric.substr(owner.empty() ? 0 : point + 1);
  for (OutputConfig& output : outputs) {
    output.metrics.clear();
    if (output.name == owner && name != "loss") output.metrics.push_back(name);
  }
  return outputs;
}

}  // namespace dlrun::train
