// SPDX-License-Identifier: Apache-2.0
#include "train/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "gang/process_cluster.hpp"
#include "parallel/replay.hpp"
#include "recipe/layers.hpp"
#include "recipe/rates.hpp"
#include "train/feed.hpp"
#include "train/gloo.hpp"
#include "util/error.hpp"
#include "util/json.hpp"

namespace dlrun::train {

namespace {

std::span<float> numbers_of(const at::Tensor& flat) {
  return {flat.mutable_data_ptr<float>(), std::size_t(flat.numel())};
}

/// Bit by bit: faster than a copy.
bool is_equal(std::span<const float> a, std::span<const float> b) {
  return std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

constexpr Stretch kNothing{0, 0};

/// Weights that a node moves by its optimiser: a rank all, a server its shard.
Stretch stretch_of(const parallel::ParallelConfig& config, const parallel::Gang& gang, int node) {
  const bool is_rank = node < gang.ranks;
  if (is_rank ? !parallel::ranks_step(config.method) : !parallel::servers_step(config.method)) return kNothing;
  if (is_rank) return {};
  const parallel::Shard& shard = gang.shards[std::size_t(node - gang.ranks)];
  return {shard.begin, shard.end};
}

/// With dgc, ranks have done what a server's optimiser would do again.
Config for_servers(Config config) {
  const auto* const dgc = std::get_if<parallel::Dgc>(&config.parallel->gang.codec);
  if (dgc == nullptr) return config;
  if (dgc->momentum > 0) std::get<recipe::Sgd>(config.optimizer.method).momentum = 0;
  if (dgc->clip_norm) config.clip_norm.reset();
  return config;
}

}  // namespace

Ranks::Ranks(const Config& config, const nn::Streams& streams, const Shared& shared, gang::Place* place)
    : machines_(config.parallel->cluster),
      method_(config.parallel->gang.method),
      streams_(streams),
      shared_(shared),
      algorithm_(parallel::make_algorithm<float>(method_)),
      gang_(parallel::gang_of(config.parallel->gang, recipe::layers_of(shared.network.graph()))),
      timed_(parallel::gang_of(config.parallel->gang, parallel::timed(recipe::layers_of(shared.network.graph())))),
      place_(place),
      frozen_(frozen_grads(config, shared.network.graph(), shared.network.moved())),
      batches_(std::size_t(gang_.ranks)),
      norms_(std::size_t(gang_.nodes())) {
  const nn::Parameters& moved = shared.network.moved();
  states_.counts.resize(std::size_t(gang_.nodes()));
  if (place != nullptr) exchange_.emplace(*place, gang_, states_, records_, shared_);
  is_elastic_ = config.parallel->gang.on_loss == "elastic";
  if (place != nullptr && !place->is_first()) place->mesh.forgive_losses(is_elastic_);
  if (gang_.size != std::size_t(moved.values().numel())) throw Error(ErrorKind::internal, "layers are not the model");
  if (shared.scaling != nullptr && shared.scaling->measures()) {
    if (!parallel::steps_by_mean(method_) || gang_.shards.size() > 1)
      throw Error(ErrorKind::usage,
                  "lr_scaling: its gains need ar_sgd, or bsp with one server that keeps the momentum");
    if (!std::holds_alternative<parallel::Dense>(gang_.codec))
      throw Error(ErrorKind::usage, "lr_scaling: its gains need the codec dense");
    gang_.squares = shared.scaling->tensors();
  }
  gang_.seed = streams.seed;
  const Config at_servers = for_servers(config);
  for (int node = 0; node < gang_.nodes(); ++node) {
    const Config& own = node < gang_.ranks ? config : at_servers;
    const Stretch stretch = keeps(node) ? stretch_of(config.parallel->gang, gang_, node) : kNothing;
    states_.steps.push_back(std::make_unique<WeightSteps>(own, shared.network.graph(), moved, std::nullopt, stretch));
  }
  begin();
}

Ranks::~Ranks() = default;

void Ranks::begin() {
  const std::span<float> weights = numbers_of(shared_.network.moved().values());
  states_.members = parallel::members_of<float>(gang_, *algorithm_, {weights.begin(), weights.end()});
  for (int node = 0; node < gang_.nodes(); ++node) {
    if (!keeps(node)) states_.forget(gang_, node);
  }
}

/// The first process keeps the states of all between two epochs.
bool Ranks::keeps(int node) const {
  return place_ == nullptr || place_->is_first() || gang_.process_of(node) == place_->process;
}

StepFacts Ranks::step(bool with_norm, const Pulse& pulse) {
  loss_ = weight_ = 0;
  examples_ = 0;
  has_norm_ = with_norm;
  StepFacts facts{.lr = gang_.rate * shared_.progress.pace().lr};
  pulse_ = pulse;
  play(shared_.progress.state().batch + gang_.ranks);
  if (shared_.scaling != nullptr) facts.lr *= factor_now();
  if (shared_.scaling != nullptr) facts.gain = shared_.scaling->gain();
  facts.loss = weight_ > 0 ? loss_ / weight_ : 0;
  facts.examples = examples_;
  facts.grad_norm = norm_;
  const State& state = shared_.progress.state();
  while (state.step < first_step_ + shared_.progress.steps_so_far()) shared_.progress.note_step(false);
  return facts;
}

void Ranks::play_on(std::int64_t until) {
  if (!cluster_) open_epoch();
  while (shared_.progress.has_batch() && shared_.progress.state().batch < until) {
    const bool goes_on = cluster_->advance();
    if (place_ != nullptr || is_elastic_) shared_.progress.note_batches(first_batch_ + cluster_->started());
    if (!goes_on && shared_.progress.has_batch())
      throw Error(ErrorKind::internal, "all ranks wait, and batches are left");
    if (pulse_.wait) pulse_.wait();
  }
  if (!shared_.progress.has_batch()) close_epoch();
}

void Ranks::open_epoch() {
  opened_ = std::chrono::steady_clock::now();
  if (place_ != nullptr && !place_->is_whole()) {
    const auto renew = place_->renew;
    renew();
  }
  gang_.epoch = timed_.epoch = int(shared_.progress.state().epoch);
  shared_.progress.sums() = shared_.progress.fresh_sums();  // others add to them, even if this process has no batch
  first_step_ = shared_.progress.state().step;
  first_batch_ = 0;
  costs_ = {};
  losses_.clear();
  await_lost();
  const std::string folder = sums_folder();
  if (exchange_) exchange_->spread({first_step_, first_batch_, seating_.seats(), folder}, pulse_.wait);
  open_sums(folder);
  begin_part();
}

/// Folder in which processes find each other whose gradients another library sums; empty: ours does, or they have.
std::string Ranks::sums_folder() {
  const auto* const reduced = std::get_if<parallel::ArSgd>(&method_);
  if (place_ == nullptr || sums_ || reduced == nullptr || reduced->reduce != parallel::kGloo) return {};
  meeting_.emplace("dlrun-gloo");
  return meeting_->path().string();
}

void Ranks::open_sums(const std::string& folder) {
  if (!folder.empty()) sums_ = open_gloo(folder, place_->process, gang_.ranks);
}

void Ranks::begin_part() {
  counts_before_ = states_.counts;
  batches_.assign(std::size_t(gang_.ranks), 0);
  norms_.assign(std::size_t(gang_.nodes()), 0);
  begin_staleness(states_.members);
  deal_ = has_lists() ? shared_.batches.deal() : parallel::Deal(shared_.batches.count() - first_batch_);
  gang_.lists = timed_.lists = deal_.lists();
  begin_again();
  if (records_.replays()) own_parts_.emplace(shared_.network, gang_.ranks, shared_.progress.fresh_sums());
  cluster_ = make_cluster();
  cluster_->begin(deal_);
}

void Ranks::end_part() {
  cluster_->end();
  seconds_ += cluster_->now();
  add_bytes();
  if (is_recording()) records_.set_record(place_->process, cluster_->record());
  const RankCosts part = RankCosts::of(gang_, states_.members, *cluster_);
  has_computed_ = part.has_computed();
  costs_.add(part);
  cluster_.reset();
}

/// In a replay as collect() does: sums of bytes are rounded.
void Ranks::add_bytes() {
  if (!own_parts_) return void(bytes_ += cluster_->bytes());
  for (const parallel::Cost& cost : cluster_->costs()) bytes_ += cost.sent;
}

/// Where ranks go in step there is nothing to record.
bool Ranks::is_recording() const { return place_ != nullptr && machines_.records && !algorithm_->is_synchronous(); }

std::string Ranks::run_name() const {
  const std::string run = fmt::format("{}/{}", streams_.replicate, shared_.progress.state().epoch + 1);
  return first_batch_ > 0 ? fmt::format("{}/{}", run, first_batch_) : run;
}

parallel::VirtualCluster<float>::Options Ranks::virtual_options() const {
  return {machines_,
          double(gang_.size * sizeof(float)),
          streams_.seed,
          run_name(),
          fmt::to_string(streams_.replicate),
          seconds_,
          is_elastic_ ? parallel::Losing::others : parallel::Losing::none};
}

std::unique_ptr<parallel::Backend> Ranks::make_cluster() {
  parallel::Learner<float>& learner = *this;
  const parallel::Process<float>::Options options{streams_.seed, run_name(), double(gang_.size * sizeof(float))};
  if (records_.replays())
    return std::make_unique<parallel::Replay<float>>(gang_, *algorithm_, states_.members, learner, options,
                                                     records_.read(shared_.progress.state().epoch + 1));
  if (place_ == nullptr)
    return std::make_unique<parallel::VirtualCluster<float>>(gang_, *algorithm_, states_.members, &learner,
                                                             virtual_options());
  return std::make_unique<gang::ProcessCluster>(gang_, *algorithm_, states_.members, learner, *place_, options,
                                                sums_.get());
}

void Ranks::collect() {
  const RankCosts others = exchange_->collect(has_computed_, pulse_.wait);
  for (const parallel::Cost& cost : others.processes) bytes_ += cost.sent;
  costs_.add(others);
  elapsed_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - opened_).count();
}

void Ranks::close_epoch() {
  while (cluster_ && cluster_->advance()) {
    if (pulse_.wait) pulse_.wait();
  }
  if (cluster_) end_part();
  first_batch_ = shared_.batches.count();  // if a rank is lost from here on, nothing is trained again
  if (exchange_) collect();
  if (own_parts_) shared_.progress.sums() = own_parts_->merge();
  own_parts_.reset();
  if (collects()) shared_.batches.partition()->end_epoch();
  show(algorithm_->model(states_.members));
  seating_.refill();
}

/// A rank steps by the rate of its gradient's round, so that all ranks do so alike; a server by that of the last batch,
/// or, where all ranks are in the same round, by its own count. The schedule's rounds are those of all ranks, if some
/// are lost: ranks that are left make smaller ones, which count from their first batch.
std::int64_t Ranks::round(int node) const {
  const std::int64_t all = gang_.rank_processes();
  const auto i = std::size_t(node);
  if (algorithm_->is_synchronous()) {
    const std::int64_t own = node < gang_.ranks ? batches_[i] / gang_.ranks : states_.counts[i] - counts_before_[i];
    return (first_batch_ + own * gang_.ranks) / all;
  }
  if (node < gang_.ranks) return (first_batch_ + batches_[i]) / all;
  if (has_lists()) return (cluster_->begun() - 1) * deal_.rounds(gang_.ranks) / deal_.batches();
  return (first_batch_ + cluster_->begun() - 1) / all;
}

Pace Ranks::pace(int node, std::int64_t step, double factor) {
  const recipe::Schedule& schedule = shared_.progress.schedule();
  return {.step = ++states_.counts[std::size_t(node)],
          .lr = factor * schedule.lr(step),
          .momentum = schedule.momentum(step)};
}

/// Batches of a round: the last one of an epoch may have fewer than there are ranks, if it is one of all.
std::int64_t Ranks::batches_of(std::int64_t step) const {
  if (!algorithm_->is_synchronous()) return parallel::counted_ranks(method_, gang_.ranks);
  const std::int64_t round = step - first_step_;
  if (has_lists()) return deal_.in_round(round, gang_.ranks);
  return std::min<std::int64_t>(gang_.ranks, shared_.batches.count() - round * gang_.ranks);
}

/// For the curves: of the round under way; if it is measured, of the last step that was taken.
double Ranks::factor_now() const {
  const std::int64_t step = shared_.progress.state().step;
  return shared_.scaling->measures() ? shared_.scaling->factor()
                                     : shared_.scaling->scaled({.lr = 1}, step, batches_of(step)).lr;
}

/// All nodes that take a round's step have the same mean gradient: the first one's counts.
Pace Ranks::scaled(std::int64_t step, const Pace& pace) {
  const std::int64_t count = batches_of(step);
  if (pace.step > observed_) {
    observed_ = pace.step;
    shared_.scaling->observe(squares_, shared_.network.moved().grads(), count);
  }
  return shared_.scaling->scaled(pace, step, count);
}

void Ranks::show(const std::vector<float>& weights) {
  const std::span<float> values = numbers_of(shared_.network.moved().values());
  if (is_equal(values, weights)) return;
  std::copy(weights.begin(), weights.end(), values.begin());
  shared_.network.note_moved();
}

Ranks::Gradient Ranks::gradient(int rank, std::int64_t batch, const std::vector<float>& weights) {
  if (pulse_.batch) pulse_.batch();
  if (++gradients_since_loss_ == 2) note_update();
  show(weights);
  batches_[std::size_t(rank)] = batch;
  batch += first_batch_;
  const data::Examples examples = on_device(shared_.batches.batch(batch), shared_.network.device());
  const std::int64_t pass = shared_.progress.state().epoch * shared_.batches.numbers() + batch;
  if (own_parts_) own_parts_->enter(rank);
  std::vector<at::Tensor> outputs = shared_.network.forward(examples, pass);
  if (own_parts_) own_parts_->leave(rank);
  for (at::Tensor& output : outputs) output = output.cpu();
  std::vector<at::Tensor> grads;
  SplitSums& sums = own_parts_ ? own_parts_->sums(rank) : shared_.progress.sums();
  const Measured loss = shared_.heads.measure(outputs, examples, sums, &grads);
  if (!std::isfinite(loss.mean)) {
    throw Diverged{shared_.progress.state().epoch + 1, first_step_ + batch / gang_.ranks,
                   fmt::format("train.loss is {}", loss.mean)};
  }
  if (collects()) shared_.batches.partition()->note(batch, shared_.heads.each(outputs, examples));
  shared_.network.backward(std::move(grads));
  for (at::Tensor& grad : frozen_) grad.zero_();
  shared_.progress.note_batch();
  loss_ += loss.mean * loss.weight;
  weight_ += loss.weight;
  examples_ += examples.size();
  const at::Tensor& flat = shared_.network.moved().grads();
  const std::span<float> numbers = numbers_of(flat);
  Gradient gradient{{numbers.begin(), numbers.end()}, loss.weight};
  if (gang_.squares == 0) return gradient;
  const std::vector<double> squares = shared_.scaling->squares_of(flat);
  gradient.squares.assign(squares.begin(), squares.end());
  return gradient;
}

void Ranks::step(int node, const parallel::Shard& shard, std::span<float> weights, std::span<const float> gradient,
                 double factor) {
  const nn::Parameters& at = shared_.network.moved();
  const std::span<float> values = numbers_of(at.values()).subspan(shard.begin, shard.size());
  if (!is_equal(values, weights)) std::copy(weights.begin(), weights.end(), values.begin());
  std::copy(gradient.begin(), gradient.end(), numbers_of(at.grads()).begin() + std::ptrdiff_t(shard.begin));
  if (has_norm_) note_norm(node);
  const std::int64_t step = first_step_ + round(node);
  const Pace own = pace(node, step, factor);
  states_.steps[std::size_t(node)]->take_step(shared_.scaling != nullptr ? scaled(step, own) : own);
  note_update();
  std::copy(values.begin(), values.end(), weights.begin());
  shared_.network.note_moved();
}

/// A rank's gradient is whole; that of a server is in all its shards, each as it came last.
void Ranks::note_norm(int node) {
  norms_[std::size_t(node)] = norm_ = states_.steps[std::size_t(node)]->grad_norm();
  if (node < gang_.ranks) return;
  double squares = 0;
  for (int server = gang_.ranks; server < gang_.nodes(); ++server) squares += std::pow(norms_[std::size_t(server)], 2);
  norm_ = std::sqrt(squares);
}

/// Whether losses of single examples are asked for in the epoch under way.
bool Ranks::collects() const { return shared_.batches.collects(shared_.progress.state().epoch + 1); }

/// In a process that is not the first.
void Ranks::begin_partition(const Json& begin) {
  const std::int64_t epoch = shared_.progress.state().epoch + 1;
  Partition* const partition = shared_.batches.partition();
  if (partition == nullptr) return shared_.batches.begin(epoch);
  const Json& assignment = begin.at("partition");
  partition->take_assignment(assignment);
  shared_.batches.begin(epoch);
  partition->require_same(assignment);
}

}  // namespace dlrun::train
