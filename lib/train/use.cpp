// SPDX-License-Identifier: Apache-2.0
#include "train/use.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dataset/fresh.hpp"
#include "dataset/prepared.hpp"
#include "recipe/metric_kinds.hpp"
#include "train/artifacts.hpp"
#include "train/device.hpp"
#include "train/piece.hpp"
#include "train/prediction_writer.hpp"
#include "train/runtime.hpp"
#include "train/torch_errors.hpp"
#include "util/error.hpp"
#include "util/hints.hpp"

namespace dlrun::train {

namespace {

/// The trial with the weights of its checkpoint.
std::unique_ptr<Training> trained(const trial::WorkSetup& setup, const trial::PieceOrder& order) {
  std::unique_ptr<Training> training = make_training(setup, order, device_of(setup).device);
  const std::string what = "artifact " + order.resume;
  training->restore(SafeTensors(fetch(setup.artifacts, order.resume), what), what);
  return training;
}

void check_inputs(const dataset::Schema& trained, const dataset::Schema& fresh) {
  for (std::size_t k = 0; k < trained.inputs.size(); ++k) {
    const std::vector<std::int64_t>&wanted = trained.inputs[k].shape, &found = fresh.inputs.at(k).shape;
    if (found == wanted) continue;
    throw Error(ErrorKind::usage, fmt::format("the new examples are [{}], but the model was trained on [{}]",
                                              fmt::join(found, ", "), fmt::join(wanted, ", ")));
  }
}

/// The examples that are meant, part by part: a split in one, new ones as they are read.
class Chosen {
 public:
  Chosen(const Training& training, const trial::PieceOrder& order, const trial::UseOptions& options)
      : training_(training) {
    if (!options.split.empty()) {
      take_split(options.split);
      return;
    }
    stream_ = dataset::open_fresh(
        training.config().data,
        {options.files.get<std::map<std::string, std::string>>(), !options.predicts, options.unseen, options.id},
        order.seed);
  }

  /// @param visit  called with the examples of a part, and what is known of them
  template <class Visit>
  void for_each(const Visit& visit) {
    if (stream_ == nullptr) return visit(split_, dataset::Fresh());
    while (std::optional<dataset::Fresh> facts = stream_->next()) {
      check_inputs(training_.data().schema(), facts->dataset.schema);
      const data::Data part(std::move(facts->dataset), data::normalising(training_.config().data));
      facts->dataset = {};
      visit(part.test(), *facts);
    }
  }

 private:
  void take_split(const std::string& split) {
    const data::Data& data = training_.data();
    split_ = split == "train" ? data::Measured(data, data.train_rows()) : split == "val" ? data.val() : data.test();
    if (split_.size() == 0) throw Error(ErrorKind::usage, fmt::format("the {} split is empty", split));
  }

  const Training& training_;
  data::Measured split_;
  std::unique_ptr<dataset::FreshStream> stream_;  ///< nullptr: the split
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
    const recipe::MetricKind* kind = recipe::find_metric(name);
    if (kind == nullptr)
      throw Error(ErrorKind::usage, fmt::format("there is no metric '{}'", name),
                  hint_for_name(name, recipe::metric_names()));
    const dataset::Schema seen = dataset::seen_by(training.data().schema(), output.target);
    const std::string reason = recipe::refusal(*kind, seen.classes, !seen.target_shape.empty());
    if (!reason.empty()) throw Error(ErrorKind::usage, fmt::format("the metric '{}' {}", name, reason));
    if (std::find(output.metrics.begin(), output.metrics.end(), name) == output.metrics.end())
      output.metrics.push_back(name);
  }
  return outputs;
}

std::string without_split(const std::string& name) { return name.substr(name.find('.') + 1); }

void measure(Training& training, Chosen& chosen, const std::vector<std::string>& metrics, trial::Use& result) {
  SplitSums sums(measured(training, metrics), training.data().schema(), false);
  chosen.for_each([&](const data::Measured& examples, const dataset::Fresh&) {
    training.evaluation().add_to(sums, examples, [] {});
    result.examples += examples.size();
  });
  const Defined found = sums.defined("data");
  for (const trial::Metric& metric : found.metrics)
    result.metrics.push_back({without_split(metric.name), metric.value});
  for (const std::string& name : found.undefined) result.undefined.push_back(without_split(name));
}

std::unique_ptr<PredictionWriter> writer_of(const std::string& format, AllColumns columns,
                                            const trial::PredictionFile& file) {
  if (format == "jsonl") return jsonl_writer(std::move(columns), file);
  if (format == "npy") return npy_writer(std::move(columns), file);
  if (format == "safetensors") return safetensors_writer(std::move(columns), file);
  return csv_writer(std::move(columns), file);
}

void predict(Training& training, Chosen& chosen, const trial::UseOptions& options, const trial::PredictionFile& file,
             trial::Use& result) {
  std::unique_ptr<PredictionWriter> writer;
  chosen.for_each([&](const data::Measured& examples, const dataset::Fresh& facts) {
    std::size_t first = 0;
    training.evaluation().predict(examples, [&](const std::vector<at::Tensor>& outputs) {
      if (writer == nullptr)
        writer = writer_of(options.output_format,
                           prediction_columns(training.config().outputs, training.data().schema(), facts, outputs,
                                              options.wants_logits),
                           file);
      writer->add_examples(facts, first, outputs);
      first += dataset::kFreshRows;  // but for the last of a part
    });
    result.examples += examples.size();
  });
  writer->finish();
}

trial::Use use(const trial::WorkSetup& setup, const trial::PieceOrder& order, const trial::UseOptions& options,
               const trial::PredictionFile& file) {
  const std::unique_ptr<Training> training = trained(setup, order);
  trial::Use result{.runtime = describe_runtime(setup)};
  if (options.describes) {
    result.prepared = dataset::prepared(training->config().data, order.seed);
    return result;
  }
  Chosen chosen(*training, order, options);
  options.predicts ? predict(*training, chosen, options, file, result)
                   : measure(*training, chosen, options.metrics, result);
  return result;
}

}  // namespace

trial::Use use_trial(const trial::WorkSetup& setup, const trial::PieceOrder& order, const trial::UseOptions& options,
                     const trial::PredictionFile& file) {
  try {
    return use(setup, order, options, file);
  } catch (const c10::Error& fault) {
    throw Error(is_out_of_memory(fault) ? ErrorKind::outside : ErrorKind::internal, "libtorch: " + first_line(fault));
  }
}

}  // namespace dlrun::train
