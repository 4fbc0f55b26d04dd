// SPDX-License-Identifier: Apache-2.0
// Exchanges of a rank with its server: a gradient goes there, or the change of weights that the rank's optimiser makes
// of it.
#pragma once
#include "parallel/algorithm.hpp"
#include "parallel/vectors.hpp"

namespace dlrun::parallel {

/// Moves `weights` by the rank's own optimiser. @return the change, to be subtracted by others
template <class Real>
std::vector<Real> step_alone(Env<Real>& env, std::vector<Real>& weights, const Gradient<Real>& gradient) {
  if (gradient.samples == 0) return std::vector<Real>(weights.size());
  std::vector<Real> before = weights;
  env.step(weights, gradient.numbers);
  return difference(std::move(before), weights);
}

/// Message of a rank to a server; see momentum_key().
template <class Real>
std::vector<Real> outgoing(Env<Real>& env, bool is_server_stepping, std::vector<Real> weights,
                           const Gradient<Real>& gradient) {
  if (!is_server_stepping) return step_alone(env, weights, gradient);
  return gradient.samples == 0 ? std::vector<Real>(weights.size()) : gradient.numbers;
}

/// A server takes in what outgoing() made. @param factor  1/n for one rank's, 1 for a mean
template <class Real>
void absorb(Env<Real>& env, bool is_server_stepping, Server<Real>& server, const std::vector<Real>& numbers,
            double factor) {
  if (is_server_stepping) return env.step(server.shard, server.weights, numbers, factor);
  add(server.weights, numbers, -factor);
}

/// Sends each server its part of a change.
template <class Real>
void push(Env<Real>& env, const Rank<Real>& rank, const std::vector<Real>& change, double samples, bool wants_reply) {
  for (int s = 0; s < env.gang().servers(); ++s) {
    const Shard& shard = env.gang().shards[std::size_t(s)];
    Message<Real> message{.kind = Kind::change,
                          .clock = rank.clock,
                          .samples = samples,
                          .wants_reply = wants_reply,
                          .numbers = slice(change, shard),
                          .share = shard.share};
    env.post(env.gang().server(s), std::move(message));
  }
}

/// A server's weights, to one rank.
template <class Real>
void reply(Env<Real>& env, int to, const Server<Real>& server, std::int64_t clock, double weight = 1) {
  Message<Real> message{
      .kind = Kind::weights, .clock = clock, .weight = weight, .numbers = server.weights, .share = server.shard.share};
  env.post(to, std::move(message));
}

/// Waits for all servers' weights, which become the rank's by the share that each message names. rank.pulled becomes
/// the oldest of their clocks.
template <class Real>
Task pull(Env<Real>& env, Rank<Real>& rank) {
  for (int s = 0; s < env.gang().servers(); ++s) {
    const Filter filter{.kind = Kind::weights, .from = env.gang().server(s)};
    const Message<Real> message = co_await env.receive(filter);
    take_in(env.gang().shards[std::size_t(s)], message, rank.weights);
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

}  // namespace dlrun::parallel
