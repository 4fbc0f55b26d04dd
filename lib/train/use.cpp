// SPDX-License-Identifier: Apache-2.0
#include "train/use.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dataset/fresh.hpp"
#include "dataset/prepared.hpp"
#include "train/artifacts.hpp"
#include "train/device.hpp"
#include "train/piece.hpp"
#include "train/prediction_rows.hpp"
#include "train/runtime.hpp"
#include "train/torch_errors.hpp"
#include "trial/metric_kinds.hpp"
#include "util/error.hpp"
#include "util/value_form.hpp"

namespace dlrun::train {

namespace {

/// The trial with the weights of its checkpoint.
std::unique_ptr<Training> trained(const trial::WorkSetup& setup, const trial::PieceOrder& order) {
  std::unique_ptr<Training> training = make_training(setup, order, device_of(setup).device);
  const std::string what = "artifact " + order.resume;
  training->restore(SafeTensors(fetch(setup.artifacts, order.resume), what), what);
  return training;
}

/// The examples that are meant, and what owns them.
class Chosen {
 public:
  Chosen(const Training& training, const trial::PieceOrder& order, const trial::UseOptions& options) {
    options.split.empty() ? take_new(training, order, options) : take_split(training.data(), options.split);
    if (examples_.size() == 0) throw Error(ErrorKind::usage, fmt::format("the {} split is empty", options.split));
  }

  const data::Measured& examples() const { return examples_; }
  const dataset::Fresh& facts() const { return facts_; }

 private:
  void take_split(const data::Data& data, const std::string& split) {
    examples_ = split == "train" ? data::Measured(data, data.train_rows()) : split == "val" ? data.val() : data.test();
  }

  void take_new(const Training& training, const trial::PieceOrder& order, const trial::UseOptions& options) {
    const Json& section = training.config().data;
    facts_ = dataset::load_fresh(
        section,
        {options.files.get<std::map<std::string, std::string>>(), !options.predicts, options.unseen, options.id},
        order.seed);
    const std::vector<std::int64_t> rows = facts_.dataset.test;
    data_ = std::make_unique<const data::Data>(std::move(facts_.dataset), data::normalising(section));
    facts_.dataset = {};
    facts_.dataset.test = rows;
    check_inputs(training.data().schema(), data_->schema());
    examples_ = data_->test();
  }

  static void check_inputs(const dataset::Schema& trained, const dataset::Schema& fresh) {
    for (std::size_t k = 0; k < trained.inputs.size(); ++k) {
      const std::vector<std::int64_t>&wanted = trained.inputs[k].shape, &found = fresh.inputs.at(k).shape;
      if (found == wanted) continue;
      throw Error(ErrorKind::usage, fmt::format("the new examples are [{}], but the model was trained on [{}]",
                                                fmt::join(found, ", "), fmt::join(wanted, ", ")));
    }
  }

  dataset::Fresh facts_;  ///< of its data set only the rows
  std::unique_ptr<const data::Data> data_;
  data::Measured examples_;
};

OutputConfig& output_of(const std::string& metric, std::vector<OutputConfig>& outputs) {
  const std::size_t point = metric.rfind('.');
  const std::string name = point == std::string::npos ? "" : metric.substr(0, point);
  std::vector<std::string> known;
  for (OutputConfig& output : outputs) {
    if (output.name == name && !output.is_auxiliary) return output;
    if (!output.is_auxiliary) known.push_back(output.name);
  }
  throw Error(ErrorKind::usage, fmt::format("--metrics {}: the model has no output '{}'", metric, name),
              known.front().empty() ? "its one output has no name: the metric's name alone"
                                    : fmt::format("its outputs are {}: NAME.METRIC", fmt::join(known, ", ")));
}

/// The trial's outputs with more metrics.
std::vector<OutputConfig> measured(const Training& training, const std::vector<std::string>& more) {
  std::vector<OutputConfig> outputs = training.config().outputs;
  for (const std::string& metric : more) {
    OutputConfig& output = output_of(metric, outputs);
    const std::string name = metric.substr(metric.rfind('.') + 1);
    const trial::MetricKind* kind = trial::find_metric(name);
    if (kind == nullptr)
      throw Error(ErrorKind::usage, fmt::format("there is no metric '{}'", name),
                  hint_for_name(name, trial::metric_names()));
    const dataset::Schema seen = dataset::seen_by(training.data().schema(), output.target);
    const std::string reason = trial::refusal(*kind, seen.classes, !seen.target_shape.empty());
    if (!reason.empty()) throw Error(ErrorKind::usage, fmt::format("the metric '{}' {}", name, reason));
    if (std::find(output.metrics.begin(), output.metrics.end(), name) == output.metrics.end())
      output.metrics.push_back(name);
  }
  return outputs;
}

/// Their names without the split.
std::vector<trial::Metric> metrics_of(const SplitSums& sums) {
  std::vector<trial::Metric> metrics = sums.metrics("");
  for (trial::Metric& metric : metrics) metric.name.erase(0, 1);
  return metrics;
}

trial::Use use(const trial::WorkSetup& setup, const trial::PieceOrder& order, const trial::UseOptions& options,
               const trial::Rows& rows) {
  const std::unique_ptr<Training> training = trained(setup, order);
  trial::Use result{.runtime = describe_runtime(setup)};
  if (options.describes) {
    result.prepared = dataset::prepared(training->config().data, order.seed);
    return result;
  }
  const Chosen chosen(*training, order, options);
  result.examples = chosen.examples().size();
  if (!options.predicts) {
    const std::vector<OutputConfig> outputs = measured(*training, options.metrics);
    result.metrics = metrics_of(training->measure(chosen.examples(), outputs, [] {}));
    return result;
  }
  PredictionRows writer(training->config().outputs, training->data().schema(), chosen.facts());
  rows(writer.header());
  training->foretell(chosen.examples(), [&](const std::vector<at::Tensor>& part) { rows(writer.lines(part)); });
  return result;
}

}  // namespace

trial::Use use_trial(const trial::WorkSetup& setup, const trial::PieceOrder& order, const trial::UseOptions& options,
                     const trial::Rows& rows) {
  try {
    return use(setup, order, options, rows);
  } catch (const c10::Error& fault) {
    throw Error(is_out_of_memory(fault) ? ErrorKind::outside : ErrorKind::internal, "libtorch: " + first_line(fault));
  }
}

}  // namespace dlrun::train
