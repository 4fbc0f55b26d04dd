// SPDX-License-Identifier: Apache-2.0
#include "train/ranks.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "recipe/layers.hpp"
#include "train/feed.hpp"
#include "util/error.hpp"
#include "util/json.hpp"

namespace dlrun::train {

namespace {

std::span<float> numbers_of(const at::Tensor& flat) {
  return {flat.mutable_data_ptr<float>(), std::size_t(flat.numel())};
}

Json counters_of(const parallel::Rank<float>& rank) { return {rank.clock, rank.pulled, rank.waits, rank.weight}; }

Json counters_of(const parallel::Server<float>& server) {
  Json all = {server.clock, server.pending_count, server.counts};
  if (!server.answered.empty()) all.push_back(server.answered);
  return all;
}

void restore(const Json& json, parallel::Rank<float>& rank) {
  rank.clock = json.at(0).get<std::int64_t>();
  rank.pulled = json.at(1).get<std::int64_t>();
  rank.waits = json.at(2).get<bool>();
  rank.weight = json.at(3).get<double>();
}

void restore(const Json& json, parallel::Server<float>& server) {
  server.clock = json.at(0).get<std::int64_t>();
  server.pending_count = json.at(1).get<std::int64_t>();
  server.counts = json.at(2).get<std::vector<std::int64_t>>();
  if (json.size() > 3) server.answered = json.at(3).get<std::vector<std::int64_t>>();
}

/// Weights that a node moves: a rank all, a server its shard.
Stretch stretch_of(const parallel::Gang& gang, int node) {
  if (node < gang.ranks) return {};
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

/// Adds those that are not empty.
void add(std::vector<NamedNumbers>& all, std::string name, std::vector<float>& numbers) {
  if (!numbers.empty()) all.push_back({std::move(name), numbers});
}

}  // namespace

Ranks::Ranks(const Config& config, const nn::Streams& streams, const Shared& shared)
    : machines_(config.parallel->cluster),
      streams_(streams),
      shared_(shared),
      algorithm_(parallel::make_algorithm<float>(config.parallel->gang.method)),
      gang_(parallel::gang_of(config.parallel->gang, recipe::layers_of(shared.network.graph()))),
      counts_(std::size_t(gang_.nodes())),
      batches_(std::size_t(gang_.ranks)),
      norms_(std::size_t(gang_.nodes())) {
  const nn::Parameters& moved = shared.network.moved();
  if (gang_.size != std::size_t(moved.values().numel())) throw Error(ErrorKind::internal, "layers are not the model");
  if (shared.scaling != nullptr && shared.scaling->measures()) {
    if (!parallel::steps_by_mean(config.parallel->gang.method) || gang_.shards.size() > 1)
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
    steps_.push_back(
        std::make_unique<WeightSteps>(own, shared.network.graph(), moved, std::nullopt, stretch_of(gang_, node)));
  }
  begin();
}

Ranks::~Ranks() = default;

void Ranks::begin() {
  const std::span<float> weights = numbers_of(shared_.network.moved().values());
  members_ = parallel::members_of<float>(gang_, *algorithm_, {weights.begin(), weights.end()});
}

StepFacts Ranks::step(bool with_norm, const std::function<void()>& tick) {
  loss_ = weight_ = 0;
  has_norm_ = with_norm;
  StepFacts facts{.lr = gang_.rate * shared_.progress.pace().lr};
  tick_ = tick;
  play(shared_.progress.state().batch + gang_.ranks);
  if (shared_.scaling != nullptr) facts.lr *= factor_now();
  if (shared_.scaling != nullptr) facts.gain = shared_.scaling->gain();
  facts.loss = weight_ > 0 ? loss_ / weight_ : 0;
  facts.examples = std::int64_t(weight_);
  facts.grad_norm = norm_;
  shared_.progress.note_step(false);
  return facts;
}

void Ranks::play(std::int64_t until) {
  if (!cluster_) open_epoch();
  while (shared_.progress.has_batch() && shared_.progress.state().batch < until) {
    if (!cluster_->advance()) throw Error(ErrorKind::internal, "all ranks wait, and batches are left");
  }
  if (!shared_.progress.has_batch()) close_epoch();
}

void Ranks::open_epoch() {
  gang_.epoch = int(shared_.progress.state().epoch);
  const double model_bytes = double(gang_.size * sizeof(float));
  const std::string run = fmt::format("{}/{}", streams_.replicate, shared_.progress.state().epoch + 1);
  parallel::Learner<float>* learner = this;
  cluster_ = std::make_unique<parallel::VirtualCluster<float>>(
      gang_, *algorithm_, members_, learner,
      parallel::VirtualCluster<float>::Options{machines_, model_bytes, streams_.seed, run});
  first_step_ = shared_.progress.state().step;
  cluster_->begin(shared_.batches.count());
}

void Ranks::close_epoch() {
  while (cluster_->advance()) continue;
  cluster_->end();
  seconds_ += cluster_->now();
  for (int node = 0; node < gang_.nodes(); ++node) bytes_ += cluster_->cost(node).bytes;
  show(cluster_->model());
  cluster_.reset();
}

void Ranks::show(const std::vector<float>& weights) {
  std::copy(weights.begin(), weights.end(), numbers_of(shared_.network.moved().values()).begin());
  shared_.network.note_moved();
}

/// A rank steps by the rate of its gradient's round, so that all ranks do so alike; a server by that of the last batch.
Pace Ranks::pace(int node, double factor) {
  const std::int64_t step = step_of(node);
  const recipe::Schedule& schedule = shared_.progress.schedule();
  return {.step = ++counts_[std::size_t(node)], .lr = factor * schedule.lr(step), .momentum = schedule.momentum(step)};
}

std::int64_t Ranks::step_of(int node) const {
  const std::int64_t last = shared_.progress.state().batch - 1;
  const std::int64_t batch = node < gang_.ranks ? batches_[std::size_t(node)] : last;
  return first_step_ + batch / gang_.ranks;
}

/// Batches of a round: the last one of an epoch may have fewer than there are ranks, if it is one of all.
std::int64_t Ranks::batches_of(std::int64_t step) const {
  const std::int64_t before = (step - first_step_) * gang_.ranks;
  return algorithm_->is_synchronous() ? std::min<std::int64_t>(gang_.ranks, shared_.batches.count() - before)
                                      : gang_.ranks;
}

/// For the curves: of the round under way; if it is measured, of the last step that was taken.
double Ranks::factor_now() const {
  const std::int64_t step = shared_.progress.state().step;
  return shared_.scaling->measures() ? shared_.scaling->factor()
                                     : shared_.scaling->scaled({.lr = 1}, step, batches_of(step)).lr;
}

/// All nodes that take a round's step have the same mean gradient: the first one's counts.
Pace Ranks::scaled(int node, const Pace& pace) {
  const std::int64_t step = step_of(node), count = batches_of(step);
  if (pace.step > observed_) {
    observed_ = pace.step;
    shared_.scaling->observe(squares_, shared_.network.moved().grads(), count);
  }
  return shared_.scaling->scaled(pace, step, count);
}

Ranks::Gradient Ranks::gradient(int rank, std::int64_t batch, const std::vector<float>& weights) {
  if (tick_) tick_();
  show(weights);
  batches_[std::size_t(rank)] = batch;
  const data::Examples examples = on_device(shared_.batches.batch(batch), shared_.network.device());
  const std::int64_t pass = shared_.progress.state().epoch * shared_.batches.count() + batch;
  std::vector<at::Tensor> outputs = shared_.network.forward(examples, pass);
  for (at::Tensor& output : outputs) output = output.cpu();
  std::vector<at::Tensor> grads;
  const Measured loss = shared_.heads.measure(outputs, examples, shared_.progress.sums(), &grads);
  if (!std::isfinite(loss.mean)) throw shared_.progress.diverged(fmt::format("train.loss is {}", loss.mean));
  shared_.network.backward(std::move(grads));
  shared_.progress.note_batch();
  loss_ += loss.mean * loss.weight;
  weight_ += loss.weight;
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
  std::copy(weights.begin(), weights.end(), values.begin());
  std::copy(gradient.begin(), gradient.end(), numbers_of(at.grads()).begin() + std::ptrdiff_t(shard.begin));
  if (has_norm_) note_norm(node);
  const Pace own = pace(node, factor);
  steps_[std::size_t(node)]->take(shared_.scaling != nullptr ? scaled(node, own) : own);
  std::copy(values.begin(), values.end(), weights.begin());
}

/// A rank's gradient is whole; that of a server is in all its shards, each as it came last.
void Ranks::note_norm(int node) {
  norms_[std::size_t(node)] = norm_ = steps_[std::size_t(node)]->grad_norm();
  if (node < gang_.ranks) return;
  double squares = 0;
  for (int server = gang_.ranks; server < gang_.nodes(); ++server) squares += std::pow(norms_[std::size_t(server)], 2);
  norm_ = std::sqrt(squares);
}

std::vector<NamedNumbers> Ranks::tensors() {
  std::vector<NamedNumbers> all;
  for (int i = 0; i < gang_.ranks; ++i) {
    parallel::Rank<float>& rank = members_.ranks[std::size_t(i)];
    add(all, fmt::format("rank.{}.weights", i), rank.weights);
    add(all, fmt::format("rank.{}.anchor", i), rank.anchor);
    add(all, fmt::format("rank.{}.velocity", i), rank.velocity);
    add(all, fmt::format("rank.{}.residual", i), rank.residual);
    add(all, fmt::format("rank.{}.basis", i), rank.basis);
  }
  for (int i = 0; i < gang_.servers(); ++i) {
    parallel::Server<float>& server = members_.servers[std::size_t(i)];
    add(all, fmt::format("server.{}.weights", i), server.weights);
    add(all, fmt::format("server.{}.pending", i), server.pending);
  }
  for (std::size_t node = 0; node < steps_.size(); ++node) {
    for (Slot& slot : steps_[node]->optimizer().slots())
      add(all, fmt::format("node.{}.{}", node, slot.name), slot.values);
  }
  return all;
}

Json Ranks::counters() const {
  Json json = {{"ranks", Json::array()}, {"servers", Json::array()}};
  for (const auto& rank : members_.ranks) json["ranks"].push_back(counters_of(rank));
  for (const auto& server : members_.servers) json["servers"].push_back(counters_of(server));
  json["steps"] = counts_;
  json["seconds"] = seconds_;
  json["bytes"] = bytes_;
  return json;
}

void Ranks::restore(const Json& json) try {
  for (std::size_t i = 0; i < members_.ranks.size(); ++i) train::restore(json.at("ranks").at(i), members_.ranks[i]);
  for (std::size_t i = 0; i < members_.servers.size(); ++i) {
    train::restore(json.at("servers").at(i), members_.servers[i]);
  }
  counts_ = json.at("steps").get<std::vector<std::int64_t>>();
  seconds_ = json.at("seconds").get<double>();
  bytes_ = json.at("bytes").get<double>();
  observed_ = *std::max_element(counts_.begin(), counts_.end());
  cluster_.reset();
} catch (const Json::exception& fault) {
  throw Error(ErrorKind::store, fmt::format("the counters of its ranks are malformed: {}", fault.what()));
}

std::vector<trial::Metric> metrics_of(const Ranks* ranks) {
  if (ranks == nullptr) return {};
  return {{"cluster.seconds", ranks->seconds()}, {"cluster.gbytes", ranks->bytes() / 1e9}};
}

}  // namespace dlrun::train
