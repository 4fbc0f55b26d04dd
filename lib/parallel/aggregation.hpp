// SPDX-License-Identifier: Apache-2.0
// Local aggregation: neighbouring ranks, as a rule those of one host, sum their changes before the first of them, the
// leader, sends one sum to the server. The server's weights come back the same way. A group of one is its own leader.
#pragma once
#include "parallel/pushes.hpp"

namespace dlrun::parallel {

struct Group {
  int leader, end;  ///< ranks, the last one excluded

  Group(const Gang& gang, int rank)
      : leader(rank / gang.aggregate * gang.aggregate), end(std::min(leader + gang.aggregate, gang.ranks)) {}
};

/// Adds the members' parts to the leader's, in the order of ranks.
template <class Real>
Task sum_members(Env<Real>& env, const Rank<Real>& rank, const Shard& shard, int position, Message<Real>& sum) {
  const Group group(env.gang(), env.self());
  for (int from = group.leader + 1; from < group.end; ++from) {
    const Filter filter{.kind = Kind::change, .from = from, .clock = rank.clock, .shard = position};
    const Message<Real> part = co_await env.receive(filter);
    co_await env.work(part.share);
    join(sum, part, shard);
  }
}

/// Sends a change, each part multiplied by its samples, to the leader or, summed over the group, to the servers.
template <class Real>
Task push_sum(Env<Real>& env, Rank<Real>& rank, const Change<Real>& change) {
  const int leader = Group(env.gang(), env.self()).leader;
  for (const int s : env.gang().order) {
    const Shard& shard = env.gang().shards[std::size_t(s)];
    std::vector<Real> part;
    co_await await_part(env, change, shard, part);
    append(part, env.squares());
    Message<Real> message = change_of(rank, shard, s, change.samples, std::move(part));
    message.share = with_squares(env.gang(), shard);
    pack(env.gang(), rank, shard, message);
    scale(message.numbers, change.samples);
    if (env.self() == leader) co_await sum_members(env, rank, shard, s, message);
    shorten(env.gang(), message);
    env.post(env.self() == leader ? env.gang().server(s) : leader, std::move(message));
  }
}

/// Waits for the weights of all shards. The leader has them from the servers and sends them to its members.
template <class Real>
Task pull_sum(Env<Real>& env, Rank<Real>& rank) {
  const Group group(env.gang(), env.self());
  for (const int s : env.gang().order) {
    const bool is_leader = env.self() == group.leader;
    const Filter filter{.kind = Kind::weights, .from = is_leader ? env.gang().server(s) : group.leader, .shard = s};
    Message<Real> message = co_await env.receive(filter);
    co_await env.work(message.share);
    take_answer(env.gang().shards[std::size_t(s)], message, rank);
    for (int to = group.leader + 1; is_leader && to < group.end; ++to) env.post(to, message);
  }
}

}  // namespace dlrun::parallel
