// SPDX-License-Identifier: Apache-2.0
// Every metric of trials of kind `train`: its name, what data it fits, which way is better. The check of a study, the
// objective's direction and the training read this one table; the formulas are in lib/train/metrics.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "options/key.hpp"

namespace dlrun::recipe {

enum class MetricFit {
  classes,      ///< one label an example, or one a position
  two_classes,  ///< labels of two classes; class 1 counts as positive
  labels,       ///< one label an example
  numbers       ///< numbers as targets
};

/// How a split's value is told apart into one number for each example.
enum class ByExample {
  own,        ///< a mean over labels or examples, of which each has its own
  jackknife,  ///< the example's influence: what the value is without it
  none        ///< a single example decides
};

struct MetricKind {
  std::string name;
  MetricFit fit;
  bool maximize;
  std::string text;
  ByExample by_example = ByExample::jackknife;
};

/// Metrics that `metrics:` may name, those of plugins last; the loss is always measured.
const std::vector<MetricKind>& metric_kinds();
/// nullptr where there is none.
const MetricKind* find_metric(const std::string& name);
std::vector<std::string> metric_names();

/// Why a metric does not fit the data: "is for numbers, but the data has classes"; empty where it does.
/// @param classes  0: numbers as targets    @param is_sequence  a label for each position
std::string refusal(const MetricKind& kind, std::int64_t classes, bool is_sequence);

options::Key metrics_key();             ///< the key `metrics`
options::Key metrics_of_outputs_key();  ///< the same for a model with named outputs: a list for each

/// The names of `metrics:`. A section that is null gets the metric usual for the data.
/// @throws Error(usage) for a name that is not known, or one that does not fit the data
std::vector<std::string> read_metrics(const Json& section, std::int64_t classes, bool is_sequence);

/// Whether more of a metric is better, by its full name, "val.accuracy"; "val.loss" and unknown names are minimised.
bool is_maximized(const std::string& metric);

/// The same of metrics that plugins measure alone; readers without the plugin cannot know it.
bool is_maximized_by_plugin(const std::string& metric);

/// How a metric of any split, by its full name, "val.mae", is told apart; of a loss each example has its own.
/// @param metric  of metric_kinds(), or a loss
ByExample by_example(const std::string& metric);

/// Whether a metric, by its full name, is of the validation split and gives each of its examples a number.
bool has_example_values(const std::string& metric);

}  // namespace dlrun::recipe
