// SPDX-License-Identifier: Apache-2.0
#include "train/training.hpp"

#include <algorithm>
#include <cmath>

#include <ATen/core/LegacyTypeDispatch.h>
#include <fmt/format.h>

#include "util/error.hpp"

namespace dlrun::train {

namespace {

const model::Shape& output_shape(const model::Graph& graph) {
  const model::Node* node = graph.find(graph.output);
  if (!node) throw Error(ErrorKind::usage, "the model has no layers");
  return node->out;
}

}  // namespace

Training::Training(const Config& config, const model::Graph& graph, std::shared_ptr<const data::Data> data,
                   nn::Streams streams, Objective objective)
    : config_(config),
      data_(std::move(data)),
      objective_(std::move(objective)),
      identity_{streams.seed, streams.replicate, config.optimizer.op,
                fingerprint(config, model::structural_hash(graph), data_->schema().sha256)},
      module_(graph, streams),
      batches_(*data_, config.batch_size, streams.seed, streams.replicate),
      loss_(make_loss(config.loss, output_shape(graph), data_->schema())),
      optimizer_(make_optimizer(config.optimizer, std::size_t(module_.parameters().values().numel()))),
      schedule_(config.schedule, config.optimizer.lr, config.epochs, batches_.count()) {}

void Training::step() {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  if (shuffled_ != state_.epoch + 1) batches_.begin_epoch(shuffled_ = state_.epoch + 1);
  if (state_.batch == 0) state_.sums = Sums();
  const data::Examples batch = batches_.batch(state_.batch);
  const at::Tensor output = module_.forward(batch.inputs, {.training = true, .step = state_.step});
  at::Tensor grad;
  const double loss = loss_->measure(output, batch.targets, &grad);
  if (!std::isfinite(loss)) diverge("train", loss);
  state_.sums.add(loss, output, batch.targets);
  module_.backward(grad);
  const nn::Parameters& parameters = module_.parameters();
  auto* grads = parameters.grads().mutable_data_ptr<float>();
  if (config_.clip_norm) clip_norm(grads, std::size_t(parameters.grads().numel()), *config_.clip_norm);
  optimizer_->step(parameters.values().mutable_data_ptr<float>(), grads, state_.step + 1, schedule_.lr(state_.step));
  ++state_.step;
  ++state_.batch;
}

void Training::measure_batch(const data::Examples& examples, std::int64_t begin, Sums& sums) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const std::int64_t size = std::min(kMeasuredAtOnce, examples.size() - begin);
  const at::Tensor targets = examples.targets.narrow(0, begin, size);
  const at::Tensor output = module_.forward(examples.inputs.narrow(0, begin, size), {.training = false, .step = 0});
  sums.add(loss_->measure(output, targets, nullptr), output, targets);
}

trial::Report Training::close_epoch(const Sums& val) {
  if (!std::isfinite(val.loss())) diverge("val", val.loss());
  trial::Report report{state_.epoch + 1, state_.sums.metrics("train", config_.metrics)};
  if (data_->val().size() > 0) {
    const std::vector<trial::Metric> measured = val.metrics("val", config_.metrics);
    report.metrics.insert(report.metrics.end(), measured.begin(), measured.end());
  }
  ++state_.epoch;
  state_.batch = 0;
  state_.sums = Sums();
  state_.reports.push_back(report);
  if (objective_.keeps_best) note_best(report);
  return report;
}

void Training::note_best(const trial::Report& report) {
  const auto found = std::find_if(report.metrics.begin(), report.metrics.end(),
                                  [&](const trial::Metric& m) { return m.name == objective_.metric; });
  if (found == report.metrics.end()) {
    throw Error(ErrorKind::usage, fmt::format("the objective '{}' is not measured by this trial", objective_.metric),
                fmt::format("measured are the loss and {} of train and val", fmt::join(config_.metrics, ", ")));
  }
  const bool is_better =
      !state_.best || (objective_.maximize ? found->value > state_.best->value : found->value < state_.best->value);
  if (is_better) state_.best = Best{state_.epoch, found->value, {}, 0};
}

void Training::diverge(const std::string& split, double loss) const {
  throw Diverged{state_.epoch + 1, state_.step, fmt::format("{}.loss is {}", split, loss)};
}

std::string Training::encode() const { return encode_checkpoint(state_, identity_, module_.parameters(), *optimizer_); }

void Training::restore(const SafeTensors& file, const std::string& what) {
  state_ = decode_checkpoint(file, what, identity_, module_.parameters(), *optimizer_);
  shuffled_ = 0;
}

void Training::set_best_artifact(const trial::Artifact& artifact) {
  state_.best->sha256 = artifact.sha256;
  state_.best->bytes = artifact.bytes;
}

}  // namespace dlrun::train
