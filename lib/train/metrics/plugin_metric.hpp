// SPDX-License-Identifier: Apache-2.0
// Metrics of plugins, which need all predictions and targets of a split at once.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun::train {

/// Predictions and targets of a split, example by example.
class KeptExamples {
 public:
  /// @param row  outputs of one label
  void add_example(const float* row, std::int64_t width, std::int64_t label);
  /// One example: `width` outputs and targets.
  void add_example(const float* output, const float* target, std::int64_t width);
  /// Takes in another's examples, after its own.
  void add(const KeptExamples& other);
  /// The value of a plugin's metric; nothing where no plugin has the name. @throws Error(usage) naming the plugin
  std::optional<double> value(const std::string& name) const;

  Json to_json() const { return {width_, outputs_, labels_, targets_}; }
  void restore(const Json& json);

 private:
  std::int64_t width_ = 0;
  std::vector<float> outputs_;  ///< [N, width]
  std::vector<std::int64_t> labels_;
  std::vector<float> targets_;  ///< [N, width]
};

/// Whether a plugin has the metric.
bool is_of_plugin(const std::string& metric);

}  // namespace dlrun::train
