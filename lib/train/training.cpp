// SPDX-License-Identifier: Apache-2.0
#include "train/training.hpp"

#include <algorithm>
#include <cmath>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "train/gradients.hpp"
#include "train/initial.hpp"
#include "train/layout.hpp"
#include "util/error.hpp"
#include "util/sha256.hpp"

namespace dlrun::train {

namespace {

std::vector<std::string> names_of(const trial::Report& report) {
  std::vector<std::string> names;
  for (const trial::Metric& metric : report.metrics) names.push_back(metric.name);
  return names;
}

}  // namespace

const nn::Parameters& Training::parameters() const {
  if (is_host_old_) host_.fetch_values();
  is_host_old_ = false;
  return host_.parameters();
}

double Training::weight_norm() const { return norm_of(moved().values()); }

std::vector<std::string> Training::without_gradient() const {
  std::vector<std::string> names;
  if (there_) host_.fetch_grads();
  for (const nn::Parameter& p : parameters().all()) {
    if (!p.trainable || !optimizer_->moves(std::size_t(p.offset)) || p.value.numel() == 0) continue;
    const auto* grads = parameters().grads().const_data_ptr<float>() + p.offset;
    if (std::all_of(grads, grads + p.value.numel(), [](float g) { return g == 0; })) names.push_back(p.name);
  }
  return names;
}

Training::Training(const Config& config, const model::Graph& graph, std::shared_ptr<const data::Data> data,
                   nn::Streams streams, Objective objective, const Placement& placement)
    : config_(config),
      graph_(graph),
      data_(std::move(data)),
      objective_(std::move(objective)),
      identity_{streams.seed, streams.replicate, recipe::name_of(config.optimizer),
                fingerprint(config, model::structural_hash(graph), data_->schema().sha256)},
      placement_(placement),
      module_(graph, streams, {config.products(), placement.device}),
      host_(module_.parameters(), graph, placement.has_host_copy),
      batches_(*data_, {config.batch_size, config.data, placement.device.is_cuda()}, streams.seed, streams.replicate),
      feed_(batches_, placement.device),
      heads_(config.outputs, graph, *data_),
      optimizer_(make_optimizer(config.optimizer, make_layout(config.optimizer, graph, parameters()))),
      schedule_(config.schedule, config.optimizer.lr, config.span(), steps_per_epoch()) {
  if (placement.takes_steps && DeviceSteps::knows(config.optimizer))
    there_.emplace(config.optimizer, *optimizer_, placement.device);
  if (config.products() == nn::Precision::fp16) state_.loss_scale.emplace();
  if (config.ema || config.swa) average_ = Average(moved(), config.swa.has_value());
  if (config.swa) schedule_.end_in(*config.swa);
  if (config.warm_start) schedule_.begin_at(config.warm_start->fraction());
  if (config.accumulate > 1) sum_of_grads_ = at::zeros_like(moved().grads());
  for (const nn::Parameter& parameter : moved().all()) {
    if (parameter.trainable && !optimizer_->moves(std::size_t(parameter.offset))) frozen_.push_back(parameter.grad);
  }
}

void Training::step(bool with_norm) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  if (clock_ != nullptr) clock_->begin();
  begin_epoch();
  if (state_.batch == 0) state_.sums = fresh_sums();
  facts_ = {.lr = schedule_.lr(state_.step)};
  double weight = 0, sum = 0;
  do {
    const Measured loss = pass();
    weight += loss.weight;
    sum += config_.accumulate > 1 ? loss.mean * loss.weight : loss.mean;
  } while (state_.batch % config_.accumulate != 0 && has_batch());
  if (config_.accumulate > 1) finish_gradients(weight);
  facts_.loss = config_.accumulate > 1 && weight > 0 ? sum / weight : sum;
  facts_.is_skipped = !unscale();
  if (with_norm && !facts_.is_skipped) facts_.grad_norm = grad_norm();
  if (!facts_.is_skipped) take_step();
  ++state_.step;
  if (facts_.is_skipped) ++state_.skipped;
  end_of(Phase::optimizer);
}

/// The optimiser counts the steps it took, the schedule all of them.
void Training::take_step() {
  clip();
  const std::int64_t number = optimizer_steps() + 1;
  move_weights({.step = number, .lr = facts_.lr, .momentum = schedule_.momentum(state_.step)});
  if (config_.ema) average_.approach(moved(), number == 1 ? 1.0 : 1.0 - *config_.ema);
}

void Training::move_weights(const Pace& pace) {
  const at::Tensor &values = moved().values(), &grads = moved().grads();
  if (there_) {
    there_->step(values, grads, pace);
    is_host_old_ = true;
    return;
  }
  optimizer_->step(values.mutable_data_ptr<float>(), grads.const_data_ptr<float>(), pace);
  host_.send_values();
}

bool Training::unscale() {
  if (!state_.loss_scale) return true;
  zero_frozen();
  GradScaler scaler(*state_.loss_scale);
  facts_.loss_scale = state_.loss_scale->scale;
  const bool is_finite = train::unscale(scaler, *state_.loss_scale, moved().grads());
  if (scaler.update(is_finite)) return is_finite;
  throw Diverged{state_.epoch + 1, state_.step, "the gradients are not finite at any loss scale"};
}

Measured Training::pass() {
  const data::Examples batch = feed_.take(state_.batch);
  end_of(Phase::batch);
  const std::int64_t number = state_.epoch * batches_.count() + state_.batch;  // of all passes: dropout's counter
  std::vector<at::Tensor> outputs = module_.forward_all(batch.inputs, {.training = true, .step = number});
  feed_.prepare(state_.batch + 1);
  for (at::Tensor& output : outputs) output = output.cpu();
  end_of(Phase::forward);
  std::vector<at::Tensor> grads;
  const Measured loss = heads_.measure(outputs, batch, state_.sums, &grads);
  if (!std::isfinite(loss.mean)) diverge("train", loss.mean);
  end_of(Phase::loss);
  for (at::Tensor& grad : grads) {
    if (state_.loss_scale) grad.mul_(state_.loss_scale->scale);
    grad = grad.to(placement_.device);
  }
  module_.backward(grads);
  if (!there_) host_.fetch_grads();
  if (config_.accumulate > 1) sum_of_grads_.add_(moved().grads(), loss.weight);
  end_of(Phase::backward);
  facts_.examples += batch.size();
  ++state_.batch;
  return loss;
}

/// The mean over all that was passed, each batch by what counts in it: as one large batch would give.
void Training::finish_gradients(double weight) {
  at::Tensor grads = moved().grads();
  grads.copy_(sum_of_grads_);
  if (weight > 0) grads.mul_(1.0 / weight);
  sum_of_grads_.zero_();
}

void Training::begin_epoch() {
  if (shuffled_ == state_.epoch + 1) return;
  shuffled_ = state_.epoch + 1;
  batches_.begin_epoch(shuffled_);
  feed_.forget();
}

bool Training::average_epoch() {
  next_.reset();
  if (!config_.swa) return false;
  const std::int64_t before = config_.swa->when.count(state_.epoch);
  if (config_.swa->when.count(state_.epoch + 1) == before) return false;
  next_ = average_.clone();
  host_.fetch_buffers();
  next_->add(moved(), before);
  return has_batch_norm(graph_);
}

void Training::renew(std::int64_t batch) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  begin_epoch();
  add_statistics(module_, on_device(batches_.batch(batch), placement_.device), state_.epoch * batches_.count() + batch);
}

Average* Training::average_in_use() {
  if (next_) return &*next_;
  const bool is_averaged = config_.ema || (config_.swa && config_.swa->when.count(state_.epoch) > 0);
  return is_averaged ? &average_ : nullptr;
}

void Training::exchange(Average& average) const {
  if (there_) {
    average.swap(module_.parameters());
    is_host_old_ = true;
    return;
  }
  host_.fetch_buffers();
  average.swap(host_.parameters());
  host_.send_all();
}

Kept Training::kept(const Average& average) const {
  return {host_.parameters(), *optimizer_, average, config_.swa ? config_.swa->when.before() + 1 : 0, batches_.count()};
}

double Training::grad_norm() {
  zero_frozen();
  return norm_of(moved().grads());
}

/// What is frozen has no gradient, as in PyTorch, and so no part in the norm.
void Training::clip() {
  if (!config_.clip_value && !config_.clip_norm) return;
  zero_frozen();
  if (config_.clip_value) clip_values_of(moved().grads(), *config_.clip_value);
  if (config_.clip_norm) clip_norm_of(moved().grads(), *config_.clip_norm);
}

std::vector<at::Tensor> Training::forward(const data::Examples& part) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const data::Examples there = on_device(part, placement_.device);
  std::vector<at::Tensor> outputs = module_.forward_all(there.inputs, {.training = false, .step = 0});
  for (at::Tensor& output : outputs) {
    if (output.defined()) output = output.cpu();
  }
  return outputs;
}

void Training::measure_batch(const data::Measured& examples, std::int64_t begin, SplitSums& sums) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const data::Examples part = part_of(examples, begin);
  heads_.measure(forward(part), part, sums, nullptr);
}

trial::Report Training::close_epoch(const SplitSums& val) {
  if (!std::isfinite(val.loss())) diverge("val", val.loss());
  trial::Report report{state_.epoch + 1, state_.sums.metrics("train")};
  if (state_.loss_scale) report.metrics.push_back({"train.skipped_steps", double(state_.skipped)});
  if (data_->val().size() > 0) {
    const std::vector<trial::Metric> measured = val.metrics("val");
    report.metrics.insert(report.metrics.end(), measured.begin(), measured.end());
  }
  if (next_) average_ = std::move(*next_);
  next_.reset();
  ++state_.epoch;
  state_.batch = 0;
  state_.sums = fresh_sums();
  state_.reports.push_back(report);
  schedule_.observe(report);
  if (objective_.keeps_best) note_best(report);
  return report;
}

void Training::note_best(const trial::Report& report) {
  const auto found = std::find_if(report.metrics.begin(), report.metrics.end(),
                                  [&](const trial::Metric& m) { return m.name == objective_.metric; });
  if (found == report.metrics.end()) {
    throw Error(ErrorKind::usage, fmt::format("the objective '{}' is not measured by this trial", objective_.metric),
                fmt::format("measured are {}", fmt::join(names_of(report), ", ")));
  }
  const bool is_better =
      !state_.best || (objective_.maximize ? found->value > state_.best->value : found->value < state_.best->value);
  if (is_better) state_.best = Best{state_.epoch, found->value, {}, 0};
}

void Training::diverge(const std::string& split, double loss) const {
  throw Diverged{state_.epoch + 1, state_.step, fmt::format("{}.loss is {}", split, loss)};
}

std::string Training::encode() const {
  const Swapped back(*this, swapped_);  // a checkpoint may be asked for while the average is measured
  host_.fetch_buffers();
  parameters();
  if (there_) there_->fetch(*optimizer_);
  const Average average = average_.on(at::kCPU);
  return encode_checkpoint(state_, identity_, kept(average));
}

void Training::adopt(const SafeTensors& file, const std::string& what) {
  Identity any = identity_;
  any.fingerprint.clear();
  restore(file, what, any);
}

void Training::inherit(const SafeTensors& file, const std::string& what) {
  adopt(file, what);
  state_.best.reset();
}

std::string Training::prefix() const {
  Config unscheduled = config_;
  unscheduled.schedule = {};
  unscheduled.swa.reset();
  unscheduled.epochs = unscheduled.horizon = 0;
  std::string text = fingerprint(unscheduled, model::structural_hash(graph_), data_->schema().sha256);
  for (const OutputConfig& output : config_.outputs) text += fmt::format("|{}", fmt::join(output.metrics, ","));
  text += fmt::format("|{}{}{}", objective_.metric, objective_.maximize, objective_.keeps_best);
  recipe::Schedule replayed = schedule_;
  replayed.reset();
  for (const trial::Report& report : state_.reports) {
    text += recipe::rates_of(replayed, report.step, steps_per_epoch());
    text += recipe::is_averaged(config_.swa, report.step) ? 'a' : '-';
    replayed.observe(report);
  }
  return Sha256::hex_of(text);
}

void Training::restore(const SafeTensors& file, const std::string& what) { restore(file, what, identity_); }

void Training::restore(const SafeTensors& file, const std::string& what, const Identity& identity) {
  // Another's checkpoint may lack the average that this training measures: that begins with the weights.
  const bool is_averaged = !identity.has_any_streams || has_average(file);
  const Average average = is_averaged ? average_.on(at::kCPU) : Average();
  state_ = decode_checkpoint(file, what, identity, kept(average), fresh_sums());
  if (average_.is_defined())
    average_ = is_averaged ? average.on(moved().values().device())
                           : Average(host_.parameters(), config_.swa.has_value()).on(moved().values().device());
  if (there_) there_->send(*optimizer_);
  const bool scales = config_.products() == nn::Precision::fp16;  // whatever the other training did
  if (scales && !state_.loss_scale) state_.loss_scale.emplace();
  if (!scales) state_.loss_scale.reset();
  host_.send_all();
  is_host_old_ = false;
  next_.reset();
  schedule_.reset();
  for (const trial::Report& report : state_.reports) schedule_.observe(report);
  shuffled_ = 0;
}

void Training::take_over(const SafeTensors& file, const std::string& what) {
  Identity any = identity_;
  any.fingerprint.clear();
  any.has_any_streams = true;
  restore(file, what, any);
  state_.best.reset();
  state_.start.reset();
}

void Training::stand_at(std::int64_t epoch, std::int64_t steps) {
  const std::optional<LossScale> scale = state_.loss_scale;
  state_ = State{};
  state_.sums = fresh_sums();
  state_.loss_scale = scale;
  state_.epoch = epoch;
  state_.step = epoch * steps_per_epoch();
  state_.carried = steps - state_.step;
  schedule_.reset();
  shuffled_ = 0;
}

std::string Training::cold_fingerprint() const {
  Config cold = config_;
  cold.warm_start.reset();
  return fingerprint(cold, model::structural_hash(graph_), data_->schema().sha256);
}

void Training::set_weights() {
  host_.send_all();
  is_host_old_ = false;
  if (config_.ema) average_ = Average(moved(), false);
}

void Training::reset_buffers() {
  reset_statistics(graph_, module_.parameters());
  host_.fetch_buffers();
}

void Training::load_initial() {
  state_.start = train::load_initial(config_.init, parameters());
  set_weights();
}

void Training::set_best_artifact(const trial::Artifact& artifact) {
  state_.best->sha256 = artifact.sha256;
  state_.best->bytes = artifact.bytes;
}

}  // namespace dlrun::train
