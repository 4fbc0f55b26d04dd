// SPDX-License-Identifier: Apache-2.0
// Exchanges of a rank with its server: a gradient goes there, or the change of weights that the rank's optimiser makes
// of it.
#pragma once
#include "parallel/algorithm.hpp"
#include "parallel/codecs/codecs.hpp"
#include "parallel/codecs/dgc.hpp"
#include "parallel/packing.hpp"
#include "parallel/vectors.hpp"
#include "util/arithmetic.hpp"

namespace dlrun::parallel {

/// Moves `weights` by the rank's own optimiser. @return the change, to be subtracted by others
template <class Real>
std::vector<Real> step_alone(Env<Real>& env, std::vector<Real>& weights, const Gradient<Real>& gradient) {
  if (gradient.samples == 0) return std::vector<Real>(weights.size());
  std::vector<Real> before = weights;
  env.step(weights, gradient.numbers);
  return difference(std::move(before), weights);
}

/// Takes a gradient and a step by it, which stays with the rank.
/// @param missed  the step's staleness, if the method has one
template <class Real>
Task train_alone(Env<Real>& env, Rank<Real>& rank, std::optional<std::int64_t> missed = {}) {
  const Gradient<Real> gradient = co_await env.gradient(rank.weights);
  co_await env.work(1);
  if (gradient.samples > 0) env.step(rank.weights, gradient.numbers);
  if (gradient.samples > 0 && missed) rank.staleness.note(*missed);
  ++rank.clock;
}

/// A rank's contribution to the server's step; see momentum_key().
template <class Real>
struct Change {
  double samples = 0;
  double scale = 1;           ///< factor by which a gradient was clipped
  bool is_gradient = false;   ///< parts come from Env::made(), as the backward pass makes them
  std::vector<Real> numbers;  ///< otherwise: change of the whole model
};

/// Begins a gradient, which is to be sent as it is, or moves `weights` by the rank's own optimiser.
template <class Real>
Task begin_change(Env<Real>& env, bool is_server_stepping, std::vector<Real>& weights, Change<Real>& change) {
  change.is_gradient = is_server_stepping;
  if (is_server_stepping) {
    change.samples = co_await env.begin_gradient(weights);
    const Dgc* const dgc = std::get_if<Dgc>(&env.gang().codec);
    if (dgc == nullptr || !dgc->clip_norm) co_return;
    const Shard whole{0, env.gang().size};
    const std::vector<Real> gradient = co_await env.made(whole);
    change.scale = clip_factor(*dgc, env.gang().ranks, gradient);
    co_return;
  }
  const Gradient<Real> gradient = co_await env.gradient(weights);
  co_await env.work(1);
  change.samples = gradient.samples;
  change.numbers = step_alone(env, weights, gradient);
}

/// Waits for a shard of a change. @param[out] part
template <class Real>
Task await_part(Env<Real>& env, const Change<Real>& change, const Shard& shard, std::vector<Real>& part) {
  if (change.is_gradient) part = co_await env.made(shard);
  if (change.scale != 1) scale(part, change.scale);
  if (!change.is_gradient) part = slice(change.numbers, shard);
}

/// A server takes in a part of a change. @param factor  1/n for one rank's, 1 for a mean
template <class Real>
void absorb(Env<Real>& env, bool is_server_stepping, Server<Real>& server, const std::vector<Real>& numbers,
            double factor) {
  const std::vector<Real> before = server.touched.empty() ? std::vector<Real>() : server.weights;
  if (is_server_stepping) env.step(server.shard, server.weights, numbers, factor);
  if (!is_server_stepping) add_to(server.weights, numbers, -factor);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] != server.weights[i]) server.touched[i] = server.clock + 1;
  }
}

/// Begins an epoch of a server whose answers name the numbers that have changed. A rank that is behind is sent all.
template <class Real>
void begin_answers(const Gang& gang, Server<Real>& server) {
  if (!std::holds_alternative<Dgc>(gang.codec)) return;
  server.answered.resize(std::size_t(gang.ranks));
  server.touched.assign(server.weights.size(), server.clock);
  server.quiet = 0;
  server.quiet_at.assign(std::size_t(gang.ranks), 0);
}

/// Takes the time of taking a message in.
template <class Real>
typename Env<Real>::Working take_time(Env<Real>& env, Server<Real>& server, const Message<Real>& message) {
  const double part = message.packed == kWithPlaces ? message.share / server.shard.share : 1;
  server.quiet += arithmetic::log1p(-std::min(part, 1 - 1e-9));
  return env.work(message.share);
}

/// Message about a shard, for its server or for a rank that sums.
template <class Real>
Message<Real> change_of(const Rank<Real>& rank, const Shard& shard, int position, double samples,
                        std::vector<Real> numbers) {
  return {.kind = Kind::change,
          .clock = rank.clock,
          .shard = position,
          .samples = samples,
          .numbers = std::move(numbers),
          .share = shard.share};
}

/// Sends every shard's server its part of a change of the whole model.
template <class Real>
void push(Env<Real>& env, const Rank<Real>& rank, const std::vector<Real>& change, double samples, bool wants_reply) {
  for (int s = 0; s < env.gang().servers(); ++s) {
    const Shard& shard = env.gang().shards[std::size_t(s)];
    Message<Real> message = change_of(rank, shard, s, samples, slice(change, shard));
    message.wants_reply = wants_reply;
    env.post(env.gang().server(s), std::move(message));
  }
}

/// Sends every shard's server its part of a change, packed, as soon as it is there.
template <class Real>
Task push_as_made(Env<Real>& env, Rank<Real>& rank, const Change<Real>& change, bool wants_reply) {
  for (const int s : env.gang().order) {
    const Shard& shard = env.gang().shards[std::size_t(s)];
    std::vector<Real> part;
    co_await await_part(env, change, shard, part);
    Message<Real> message = change_of(rank, shard, s, change.samples, std::move(part));
    message.wants_reply = wants_reply;
    pack(env.gang(), rank, shard, message);
    shorten(env.gang(), message);
    env.post(env.gang().server(s), std::move(message));
  }
}

/// Leaves in an answer what has changed since the rank was last answered.
template <class Real>
void leave_changed(Server<Real>& server, int to, Message<Real>& message) {
  const auto rank = std::size_t(to);
  const double part = 1 - arithmetic::exp(server.quiet - server.quiet_at[rank]);
  thin_out(message, server.shard, part, [&](std::size_t i) { return server.touched[i] > server.answered[rank]; });
  server.answered[rank] = server.clock;
  server.quiet_at[rank] = server.quiet;
}

/// A server's weights, to one rank.
template <class Real>
void reply(Env<Real>& env, int to, Server<Real>& server, std::int64_t clock, double weight = 1) {
  Message<Real> message{.kind = Kind::weights,
                        .clock = clock,
                        .shard = env.self() - env.gang().ranks,
                        .weight = weight,
                        .numbers = server.weights,
                        .share = server.shard.share};
  if (!server.answered.empty()) leave_changed(server, to, message);
  server.staleness.answer(to);
  env.post(to, std::move(message));
}

/// Waits for all servers' weights, which become the rank's by the share that each message names. rank.pulled becomes
/// the oldest of their clocks.
template <class Real>
Task pull(Env<Real>& env, Rank<Real>& rank) {
  for (int s = 0; s < env.gang().servers(); ++s) {
    const Filter filter{.kind = Kind::weights, .from = env.gang().server(s)};
    const Message<Real> message = co_await env.receive(filter);
    co_await env.work(message.share);
    take_answer(env.gang().shards[std::size_t(s)], message, rank);
    rank.pulled = s == 0 ? message.clock : std::min(rank.pulled, message.clock);
  }
}

/// weights = (1 − w) · weights + w · the message's
template <class Real>
void take_in(const Shard& shard, const Message<Real>& message, std::vector<Real>& weights) {
  if (message.weight == 1) return paste(weights, shard, message.numbers);
  std::vector<Real> part = slice(weights, shard);
  mix(part, message.numbers, message.weight);
  paste(weights, shard, part);
}

/// The same of a server's answer; what it leaves out is as the server last said.
template <class Real>
void take_answer(const Shard& shard, const Message<Real>& message, Rank<Real>& rank) {
  if (message.weight != 1) return take_in(shard, message, rank.weights);
  if (rank.anchor.empty()) return paste_packed(rank.weights, shard, message);
  paste_packed(rank.anchor, shard, message);
  paste(rank.weights, shard, slice(rank.anchor, shard));
}

/// Makes a change, sends it and goes on with the weights that the servers answer.
template <class Real>
Task push_and_pull(Env<Real>& env, bool is_server_stepping, Rank<Real>& rank) {
  Change<Real> change;
  co_await begin_change(env, is_server_stepping, rank.weights, change);
  ++rank.clock;
  co_await push_as_made(env, rank, change, true);
  co_await pull(env, rank);
}

}  // namespace dlrun::parallel
