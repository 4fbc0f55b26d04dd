// SPDX-License-Identifier: Apache-2.0
#include "recipe/metric_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "options/value.hpp"
#include "plugin/found.hpp"
#include "plugin/taken.hpp"
#include "util/error.hpp"

namespace dlrun::recipe {

using enum MetricFit;
using enum ByExample;

namespace {

std::vector<MetricKind> make_kinds() {
  return {{"accuracy", classes, true, "share of right labels", own},
          {"top_2", classes, true, "share of labels among the 2 greatest outputs", own},
          {"top_3", classes, true, "share of labels among the 3 greatest outputs", own},
          {"top_5", classes, true, "share of labels among the 5 greatest outputs", own},
          {"top_10", classes, true, "share of labels among the 10 greatest outputs", own},
          {"balanced_accuracy", classes, true, "mean recall of the classes that occur"},
          {"f1", two_classes, true, "harmonic mean of precision and recall of class 1"},
          {"precision", two_classes, true, "share of class 1 among what is taken for it"},
          {"recall", two_classes, true, "share of class 1 that is found"},
          {"f1_macro", classes, true, "mean over the classes"},
          {"f1_weighted", classes, true, "mean over the classes by their frequency"},
          {"f1_micro", classes, true, "over all labels together", own},
          {"precision_macro", classes, true, "mean over the classes"},
          {"precision_weighted", classes, true, "mean over the classes by their frequency"},
          {"recall_macro", classes, true, "mean over the classes"},
          {"recall_weighted", classes, true, "mean over the classes by their frequency"},
          {"kappa", classes, true, "Cohen's: agreement beyond chance"},
          {"mcc", classes, true, "Matthews' correlation coefficient"},
          {"auc", labels, true, "area under the ROC curve; of more than two classes the mean, one against the rest"},
          {"log_loss", classes, false, "mean negative log-probability of the label", own},
          {"perplexity", classes, false, "exponential of log_loss"},
          {"brier", classes, false, "mean squared error of the probabilities", own},
          {"ece", classes, false, "expected calibration error, 15 bins"},
          {"mae", numbers, false, "mean absolute error", own},
          {"mse", numbers, false, "mean squared error", own},
          {"rmse", numbers, false, "root of the mean squared error"},
          {"r2", numbers, true, "share of the variance that is explained, mean over the targets"},
          {"explained_variance", numbers, true, "as r2, but a constant error does not count"},
          {"mape", numbers, false, "mean absolute error relative to the target", own},
          {"max_error", numbers, false, "the greatest absolute error", none}};
}

MetricFit fit_named(const std::string& name) {
  return name == "classes" ? classes : name == "two_classes" ? two_classes : name == "labels" ? labels : numbers;
}

/// A plugin needs the whole split, so that leaving out examples one by one would cost too much: an example has a number
/// where it says that its value is a mean. Objects that were built before the key have none.
MetricKind metric_of(const plugin::Manifest& manifest) {
  return {manifest.name, fit_named(manifest.whole.at("fits")), manifest.whole.at("direction") == "maximize",
          manifest.about, manifest.whole.value("mean", false) ? own : none};
}

}  // namespace

const std::vector<MetricKind>& metric_kinds() {
  static const std::vector<MetricKind> kinds = [] {
    std::vector<MetricKind> all = make_kinds();
    for (const plugin::Found* found : plugin::all_of(plugin::Kind::metric)) all.push_back(metric_of(*found->manifest));
    return all;
  }();
  return kinds;
}

const MetricKind* find_metric(const std::string& name) {
  const std::vector<MetricKind>& kinds = metric_kinds();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const MetricKind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const MetricKind& kind : metric_kinds()) names.push_back(kind.name);
  return names;
}

std::string refusal(const MetricKind& kind, std::int64_t classes, bool is_sequence) {
  const bool is_for_classes = kind.fit != numbers;
  if (is_for_classes && classes == 0) return "is for classes, but the data has numbers as targets";
  if (!is_for_classes && classes > 0) return "is for numbers, but the data has classes";
  if (kind.fit == two_classes && classes != 2) {
    const std::string reason = "is for two classes, but the data has " + std::to_string(classes);
    return plugin::is_built_in(plugin::Kind::metric, kind.name) ? reason + "; of more there is " + kind.name + "_macro"
                                                                : reason;
  }
  if (kind.name.starts_with("top_") && plugin::is_built_in(plugin::Kind::metric, kind.name) &&
      std::stoll(kind.name.substr(4)) >= classes) {
    return "is always 1 with " + std::to_string(classes) + " classes";
  }
  if (kind.fit == labels && is_sequence) return "is for one label an example, but the data has one for each position";
  return {};
}

options::Key metrics_key() {
  return list("metrics", "what is measured beside the loss", options::choice("", "a metric", metric_names()))
      .or_else("[accuracy] for classes, [mae] for numbers");
}

options::Key metrics_of_outputs_key() {
  options::Key one = metrics_key();
  one.name = "";
  return map_of("metrics", "what is measured beside the losses, of every output", std::move(one))
      .or_else("[accuracy] for classes, [mae] for numbers");
}

std::vector<std::string> read_metrics(const Json& section, std::int64_t classes, bool is_sequence) {
  if (section.is_null()) return {classes > 0 ? "accuracy" : "mae"};
  std::vector<std::string> names;
  read_value(section, list("", "", options::text("", "a metric")).one(), "metrics", names);
  for (const std::string& name : names) {
    const MetricKind* kind = find_metric(name);
    if (kind == nullptr) options::refuse_name("metrics", name, metric_names());
    const std::string reason = refusal(*kind, classes, is_sequence);
    if (!reason.empty()) throw Error(ErrorKind::usage, fmt::format("metrics: '{}' {}", name, reason));
  }
  return names;
}

bool is_maximized(const std::string& metric) {
  const MetricKind* kind = find_metric(metric.substr(metric.rfind('.') + 1));
  return kind != nullptr && kind->maximize;
}

bool is_maximized_by_plugin(const std::string& metric) {
  const MetricKind* kind = find_metric(metric.substr(metric.rfind('.') + 1));
  return kind != nullptr && kind->maximize && !plugin::is_built_in(plugin::Kind::metric, kind->name);
}

ByExample by_example(const std::string& metric) {
  const MetricKind* kind = find_metric(metric.substr(metric.rfind('.') + 1));
  return kind == nullptr ? own : kind->by_example;
}

bool has_example_values(const std::string& metric) {
  const std::string name = metric.substr(metric.rfind('.') + 1);
  return metric.starts_with("val.") && (name == "loss" || find_metric(name) != nullptr) && by_example(metric) != none;
}

}  // namespace dlrun::recipe
