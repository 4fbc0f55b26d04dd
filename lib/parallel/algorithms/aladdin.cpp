// SPDX-License-Identifier: Apache-2.0
// ALADDIN (Ko, Choi, Kim, CIKM 2021): a rank steps alone, pushes the change and never waits. The server gathers changes
// (lazy update); once a rank has pushed π of them, the server applies what it gathered and mixes its model into that
// rank's (server-triggered update).
//
// Unlike the paper's, a rank sums its changes while the server has two of its messages to take in: pushes would queue
// without bound where ranks are faster than network or server. A sum counts as the pushes that it stands for.
//
// Text and listing of the paper differ. `text`: the change that triggers counts too; changes weigh 1/n, so that the
// server is the mean of its ranks (Lemma 1); α = 1 − 1/√(nπ); changes of the same instant are taken in together.
// `literal`: it does not; changes weigh 1/c, of c gathered; α = 1 − 1/√c; one after the other. The first three are
// settings of their own, too.
#include <cmath>

#include "parallel/algorithms/made.hpp"
#include "parallel/models.hpp"
#include "parallel/pushes.hpp"

namespace dlrun::parallel {

namespace {

template <class Real>
class AladdinAlgorithm : public Algorithm<Real> {
 public:
  explicit AladdinAlgorithm(const Aladdin& settings) : settings_(settings) {}

  void begin(const Gang& gang, Members<Real>& members) const override {
    for (Server<Real>& server : members.servers) {
      server.counts.assign(std::size_t(gang.ranks), 0);
      server.pending.assign(server.weights.size(), 0);
    }
  }

  Task run(Env<Real>& env, Rank<Real>& rank) const override {
    rank.receipts_due = 0;  // receipts of a part that was broken off do not come
    for (;;) {
      const Gradient<Real> gradient = co_await env.gradient(rank.weights);
      co_await env.work(1);
      const std::vector<Real> change = step_alone(env, rank.weights, gradient);
      ++rank.clock;
      if (gradient.samples > 0) keep(rank, change, gradient.samples);
      send(env, rank);
      co_await env.settled();
      const double taken = take_in_newest(env, rank);
      co_await env.work(taken);
    }
  }

  Task run_beside(Env<Real>& env, Rank<Real>& rank) const override {
    for (;;) {
      const Filter filter{.kind = Kind::receipt};
      co_await env.receive(filter);
      --rank.receipts_due;
      send(env, rank);
    }
  }

  Task serve(Env<Real>& env, Server<Real>& server) const override {
    for (;;) {
      const Filter filter{.kind = Kind::change};
      std::vector<Message<Real>> together;
      together.push_back(co_await env.receive(filter));
      co_await env.work(0);  // changes that arrive at this very instant
      if (!settings_.is_literal()) take_rest(env, together);
      std::vector<int> due;
      for (const Message<Real>& message : together) {
        co_await env.work(server.shard.share);
        env.post(message.from, {.kind = Kind::receipt});
        if (gather(server, message)) due.push_back(message.from);
      }
      if (!due.empty()) answer(env, server, due);
    }
  }

  void finish(Env<Real>& env, Rank<Real>& rank) const override { take_in_newest(env, rank); }

  /// With what the server has gathered and not applied.
  std::vector<Real> model(const Members<Real>& members) const override {
    std::vector<Server<Real>> servers = members.servers;
    for (Server<Real>& server : servers) apply(server, int(members.ranks.size()));
    return model_of(servers);
  }

 private:
  static void take_rest(Env<Real>& env, std::vector<Message<Real>>& together) {
    while (auto message = env.take({.kind = Kind::change})) together.push_back(std::move(*message));
  }

  static constexpr int kUntaken = 2;  ///< messages of a rank for each shard

  static void keep(Rank<Real>& rank, const std::vector<Real>& change, double samples) {
    rank.unsent.resize(change.size());
    add_to(rank.unsent, change);
    rank.unsent_samples += samples;
    ++rank.unsent_count;
  }

  static void send(Env<Real>& env, Rank<Real>& rank) {
    const int servers = env.gang().servers();
    if (rank.unsent_count == 0 || rank.receipts_due > (kUntaken - 1) * servers) return;
    for (int s = 0; s < servers; ++s) {
      const Shard& shard = env.gang().shards[std::size_t(s)];
      Message<Real> message = change_of(rank, shard, s, rank.unsent_samples, slice(rank.unsent, shard));
      message.weight = double(rank.unsent_count);
      env.post(env.gang().server(s), std::move(message));
    }
    rank.receipts_due += servers;
    rank.unsent.clear();
    rank.unsent_samples = 0;
    rank.unsent_count = 0;
  }

  /// @return whether its sender is due
  bool gather(Server<Real>& server, const Message<Real>& message) const {
    const auto pushes = std::int64_t(message.weight);
    std::int64_t& count = server.counts[std::size_t(message.from)];
    count += pushes;
    server.pending_count += pushes;
    server.clock += pushes;
    server.staleness.take_in(message.from, pushes);
    const bool is_due = count >= settings_.pushes;
    if (!is_due || !settings_.drops_trigger()) add_to(server.pending, message.numbers);
    if (is_due) count = 0;
    return is_due;
  }

  double factor(const Server<Real>& server, int ranks) const {
    if (!settings_.weighs_by_gathered()) return 1.0 / ranks;
    return server.pending_count > 0 ? 1.0 / double(server.pending_count) : 0;
  }

  void apply(Server<Real>& server, int ranks) const {
    add_to(server.weights, server.pending, -factor(server, ranks));
    server.pending.assign(server.weights.size(), 0);
  }

  void answer(Env<Real>& env, Server<Real>& server, const std::vector<int>& due) const {
    const int ranks = env.gang().ranks;
    const double count =
        settings_.mixes_by_gathered() ? double(server.pending_count) : double(ranks) * double(settings_.pushes);
    apply(server, ranks);
    server.pending_count = 0;
    for (const int rank : due) {
      if (settings_.mixing) reply(env, rank, server, server.clock, 1 - 1 / std::sqrt(count));
    }
  }

  /// A mailbox of one place for each shard: the newest wins.
  /// @return part of the model that came
  double take_in_newest(Env<Real>& env, Rank<Real>& rank) const {
    double share = 0;
    for (int s = 0; s < env.gang().servers(); ++s) {
      const Filter filter{.kind = Kind::weights, .from = env.gang().server(s)};
      std::optional<Message<Real>> newest;
      while (auto message = env.take(filter)) newest = std::move(message);
      if (newest) take_in(env.gang().shards[std::size_t(s)], *newest, rank.weights);
      if (newest) share += newest->share;
    }
    return share;
  }

  Aladdin settings_;
};

}  // namespace

template <class Real>
Made<Real> make(const Aladdin& settings) {
  return std::make_unique<AladdinAlgorithm<Real>>(settings);
}
template Made<float> make(const Aladdin&);
template Made<double> make(const Aladdin&);

}  // namespace dlrun::parallel
