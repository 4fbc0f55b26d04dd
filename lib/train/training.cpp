// SPDX-License-Identifier: Apache-2.0
#include "train/training.hpp"

#include <cmath>

#include <ATen/core/LegacyTypeDispatch.h>
#include <fmt/format.h>

#include "recipe/metric_kinds.hpp"
#include "train/example_values.hpp"
#include "train/initial.hpp"
#include "train/jackknife.hpp"
#include "train/prefix.hpp"
#include "train/statistics.hpp"

namespace dlrun::train {

namespace {

/// The placement with the steps on the device only if there are kernels for the optimiser, and one rank.
Placement fitting(Placement placement, const Config& config) {
  placement.takes_steps = placement.takes_steps && DeviceSteps::knows(config.optimizer) && !config.parallel;
  return placement;
}

Identity identity_of(const Config& config, const model::Graph& graph, const data::Data& data,
                     const nn::Streams& streams) {
  return {streams.seed, streams.replicate, recipe::name_of(config.optimizer),
          fingerprint(config, model::structural_hash(graph), data.schema().sha256)};
}

/// The identity that a checkpoint of that origin must have.
Identity wanted(Identity identity, Origin origin) {
  if (origin != Origin::own) identity.fingerprint.clear();
  identity.has_any_streams = origin == Origin::any;
  return identity;
}

recipe::GainsPlan plan_of(const Config& config, const Progress& progress, std::int64_t batches) {
  const std::optional<std::int64_t>& base = config.lr_scaling->base_batch;
  return {.micro_batches = config.micro_batches(),
          .updates = config.span() * progress.steps_per_epoch(),
          .batches = config.span() * batches,
          .base_share = base ? double(config.batch_size) / double(*base) : 1,
          .is_warmed = config.warm_start && config.warm_start->fraction() > 0};
}

std::optional<Partition::Options> partition_of(const Config& config) {
  if (!config.partition) return std::nullopt;
  return Partition::Options{.settings = *config.partition,
                            .ranks = config.parallel->gang.ranks,
                            .batch_size = config.batch_size,
                            .drops_rest = config.data.value("drop_last", false),
                            .is_sequential = config.data.at("sampler").at("op") == "sequential",
                            .epochs = config.span()};
}

/// Epochs of a donor, whose weights are in no average of this training; `resume` goes on with the donor's own average.
std::int64_t unaveraged_epochs(const Config& config) {
  const bool begins = config.warm_start && config.warm_start->policy != "resume";
  return begins ? config.warm_start->origin() : 0;
}

}  // namespace

Training::Training(const Config& config, const model::Graph& graph, std::shared_ptr<const data::Data> data,
                   nn::Streams streams, Objective objective, const Placement& placement, gang::Place* place)
    : config_(config),
      data_(std::move(data)),
      identity_(identity_of(config, graph, *data_, streams)),
      network_(graph, streams, config.products(), fitting(placement, config)),
      batches_(*data_, {config.batch_size, config.data, placement.device.is_cuda()}, streams, placement.device,
               partition_of(config)),
      heads_(config.outputs, graph, *data_),
      steps_(config, graph, network_.moved(),
             fitting(placement, config).takes_steps ? std::optional(placement.device) : std::nullopt),
      accumulation_(network_.moved().grads(), config.accumulate),
      averaging_(config.ema, config.swa, network_.moved(), unaveraged_epochs(config)),
      progress_(config, std::move(objective), batches_.count(), {config.outputs, data_->schema(), true},
                config.partition ? batches_.deal().rounds(config.parallel->gang.ranks) : 0) {
  if (config.placement && placement.parts > 1) network_.place(*config.placement, config.batch_size, config.accumulate);
  if (config.lr_scaling)
    scaling_.emplace(*config.lr_scaling, plan_of(config, progress_, batches_.count()),
                     steps_.optimizer().layout().ranges);
  if (config.parallel)
    ranks_ = std::make_unique<Ranks>(
        config_, streams, Shared{network_, batches_, heads_, progress_, scaling_ ? &*scaling_ : nullptr}, place);
}

void Training::step(bool with_norm, const Pulse& pulse) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  if (clock_ != nullptr) clock_->begin();
  batches_.begin(state().epoch + 1);
  if (ranks_) return void(facts_ = ranks_->step(with_norm, pulse));
  Pace pace = progress_.pace();
  facts_ = {};
  pass_step();
  facts_.loss = accumulation_.finish(network_.moved().grads());
  facts_.is_skipped = !unscale();
  scale(pace);
  if (with_norm && !facts_.is_skipped) facts_.grad_norm = steps_.grad_norm();
  if (!facts_.is_skipped) {
    steps_.take_step(pace);
    network_.note_moved();
    averaging_.follow(network_.moved(), pace.step);
  }
  progress_.note_step(facts_.is_skipped);
  end_of(clock_, Phase::optimizer);
}

/// Scales the rate by the gradients of its micro-batches.
void Training::scale(Pace& pace) {
  facts_.lr = pace.lr;
  if (!scaling_) return;
  pace = scaling_->finish(network_.moved().grads(), pace, state().step);
  facts_.lr = progress_.pace().lr * scaling_->factor();
  facts_.gain = scaling_->gain();
}

void Training::follow(const gang::Packet& word) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  word.kind == gang::PacketKind::begin ? ranks_->follow(word) : ranks_->give_again(word);
}

/// Forward and backward of the batches of a step. Only a step that nobody measures is a pipeline: there layers of
/// several batches are computed at a time.
void Training::pass_step() {
  if (network_.is_pipelined() && clock_ == nullptr) return pass_together();
  do pass();
  while (!progress_.is_step_full());
}

void Training::pass_together() {
  std::vector<data::Examples> batches;
  const auto count = std::size_t(progress_.batches_to_step());
  while (batches.size() < count)
    batches.push_back(batches_.fetch_batch(state().batch + std::int64_t(batches.size())).clone());
  std::vector<Measured> losses(count);
  network_.pass_batches(batches, progress_.passes(), [&](std::size_t i, const std::vector<at::Tensor>& outputs) {
    std::vector<at::Tensor> grads;
    losses[i] = loss_of(outputs, batches[i], grads);
    return grads;
  });
  for (std::size_t i = 0; i < count; ++i) add_to_step(network_.grads_of(i), losses[i], batches[i].size());
}

/// Forward and backward of the next batch.
void Training::pass() {
  const data::Examples batch = batches_.fetch_batch(state().batch);
  end_of(clock_, Phase::batch);
  std::vector<at::Tensor> outputs = network_.forward(batch, progress_.passes());
  batches_.prepare(state().batch + 1);
  for (at::Tensor& output : outputs) output = output.cpu();
  end_of(clock_, Phase::forward);
  std::vector<at::Tensor> grads;
  const Measured loss = loss_of(outputs, batch, grads);
  end_of(clock_, Phase::loss);
  network_.backward(std::move(grads));
  add_to_step(network_.moved().grads(), loss, batch.size());
  end_of(clock_, Phase::backward);
}

/// The loss of the next batch, and the gradients of its outputs as backward passes take them. @throws Diverged.
Measured Training::loss_of(const std::vector<at::Tensor>& outputs, const data::Examples& batch,
                           std::vector<at::Tensor>& grads) {
  const Measured loss = heads_.measure(outputs, batch, progress_.sums(), &grads);
  if (!std::isfinite(loss.mean)) throw progress_.diverged(fmt::format("train.loss is {}", loss.mean));
  if (const LossScale* scale = progress_.loss_scale()) {
    for (at::Tensor& grad : grads) grad.mul_(scale->scale);
  }
  progress_.note_batch();
  return loss;
}

/// Adds the gradients of a batch to the step's.
void Training::add_to_step(const at::Tensor& grads, const Measured& loss, std::int64_t examples) {
  accumulation_.add_batch(grads, loss);
  if (scaling_) scaling_->add_batch(grads, loss.weight);
  facts_.examples += examples;
}

/// Takes the loss scale of float16 off again and moves it. @return whether the step may be taken.  @throws Diverged.
bool Training::unscale() {
  LossScale* scale = progress_.loss_scale();
  if (scale == nullptr) return true;
  facts_.loss_scale = scale->scale;
  const bool is_finite = steps_.unscale(*scale);
  if (GradScaler(*scale).update(is_finite)) return is_finite;
  throw progress_.diverged("the gradients are not finite at any loss scale");
}

std::vector<std::string> Training::without_gradient() const {
  network_.fetch_grads();
  return steps_.without_gradient(network_.parameters());
}

void Training::measure_into(StepClock* clock, std::vector<nn::LayerCost>* costs) {
  clock_ = clock;
  network_.measure_into(costs);
}

bool Training::take_epoch_average() {
  averaging_.drop_epoch();
  if (!averaging_.takes_epoch(state().epoch)) return false;
  network_.fetch_buffers();
  averaging_.take_epoch(network_.moved(), state().epoch);
  return has_batch_norm(network_.graph());
}

Kept Training::kept(const Average& average) const {
  return {network_.parameters(),  steps_.optimizer(), average,
          averaging_.begins_at(), batches_.count(),   ranks_ ? ranks_->tensors() : std::vector<NamedNumbers>()};
}

std::string Training::encode() {
  const Exchanged back(network_, network_.exchanged());
  network_.fetch_buffers();
  steps_.fetch_state();
  const Average average = averaging_.on_cpu();
  State now = state();
  if (ranks_) now.gang = ranks_->counters();
  if (scaling_) now.gains = scaling_->state();
  return encode_checkpoint(now, identity_, kept(average));
}

void Training::restore(const SafeTensors& file, const std::string& what, Origin origin) {
  // Another's checkpoint may lack the average that this training measures: it begins with the weights.
  const bool is_averaged = origin != Origin::any || has_average(file);
  const Average average = is_averaged ? averaging_.on_cpu() : Average();
  progress_.restore(decode_checkpoint(file, what, wanted(identity_, origin), kept(average), progress_.fresh_sums()));
  if (ranks_) ranks_->restore(state().gang);
  if (scaling_) scaling_->restore(state().gains);
  averaging_.restore(average, network_.parameters(), network_.moved().values().device());
  steps_.send_state();
  network_.set_weights();
  batches_.restart();
  if (origin == Origin::inherited || origin == Origin::any) progress_.set_best(std::nullopt);
  if (origin == Origin::any) progress_.note_start(std::nullopt);
}

tensors::RowValues Training::values_of_val(const std::string& metric, const std::function<void()>& tick) {
  const std::string name = metric.substr(metric.find('.') + 1);
  const SplitSums fresh(outputs_for(name, config_.outputs), data_->schema(), false);
  const auto values_by = [&](auto each) {
    evaluation().each(
        fresh, data_->val(), [&](const SplitSums& example) { each.add(example); }, tick);
    return each.values();
  };
  tensors::RowValues found{metric, state().epoch, data_->val_rows(), {}, data_->val_clusters()};
  if (recipe::by_example(name) == recipe::ByExample::own) {
    found.values = values_by(ExampleValues(name));
  } else {
    SplitSums all = fresh;
    evaluation().add_to(all, data_->val(), tick);
    found.values = values_by(Jackknife(name, all));
  }
  return found;
}

std::string Training::prefix() const {
  return train::prefix(config_, model::structural_hash(network_.graph()), data_->schema().sha256, progress_);
}

void Training::load_initial() {
  progress_.note_start(train::load_initial(config_.init, network_.parameters()));
  set_weights();
}

void Training::set_weights() {
  network_.set_weights();
  averaging_.begin(network_.moved());
  if (ranks_) ranks_->begin();
}

Weights Training::drawn_apart() const {
  const nn::GraphModule other(network_.graph(), {identity_.seed, -1 - identity_.replicate});
  return copy_of(other.parameters());
}

void Training::stand_at(std::int64_t epoch, std::int64_t steps) {
  progress_.stand_at(epoch, steps);
  batches_.restart();
}

}  // namespace dlrun::train
