// SPDX-License-Identifier: Apache-2.0
// Stale synchronous parallel training, in two readings: weights are fetched at every step (Ho et al., NIPS 2013), or a
// rank goes on with weights of its own until they are stale (Ko et al., IPDPS 2021). A rank that is more than
// `staleness` steps ahead of the slowest one, as far as it knows, asks for weights and waits for it. Requests that have
// waited are answered at the same instant, or a slow rank would see part of the next step.
#include "parallel/algorithms/made.hpp"
#include "parallel/models.hpp"
#include "parallel/pushes.hpp"

namespace dlrun::parallel {

namespace {

template <class Real>
class SspAlgorithm : public Algorithm<Real> {
 public:
  explicit SspAlgorithm(const Ssp& settings)
      : staleness_(settings.staleness),
        fetches_always_(settings.read == "every_iter"),
        is_server_stepping_(settings.momentum == "server") {}

  void begin(const Gang& gang, Members<Real>& members) const override {
    for (Server<Real>& server : members.servers) server.counts.assign(std::size_t(gang.ranks), 0);
    if (fetches_always_ || !std::holds_alternative<Dgc>(gang.codec)) return;
    for (Rank<Real>& rank : members.ranks) rank.anchor = rank.weights;
  }

  Task run(Env<Real>& env, Rank<Real>& rank) const override {
    if (rank.waits) ask(env, rank);
    for (;;) {
      if (rank.waits) co_await pull(env, rank);
      rank.waits = false;
      Change<Real> change;
      co_await begin_change(env, is_server_stepping_, rank.weights, change);
      ++rank.clock;
      rank.waits = fetches_always_ || rank.clock - rank.pulled > staleness_;
      co_await push_as_made(env, rank, change, rank.waits);
      if (!is_server_stepping_ || rank.waits) continue;
      Gradient<Real> gradient{{}, change.samples};
      gradient.numbers = co_await env.made(Shard{0, env.gang().size});
      co_await env.work(1);
      step_alone(env, rank.weights, gradient);
    }
  }

  Task serve(Env<Real>& env, Server<Real>& server) const override {
    begin_answers(env.gang(), server);
    std::vector<std::int64_t> waiting(std::size_t(env.gang().ranks), -1);  // clocks of requests
    for (;;) {
      const Filter changes{.kind = Kind::change};
      const Message<Real> message = co_await env.receive(changes);
      if (message.share > 0) co_await take_time(env, server, message);
      if (message.samples > 0) {
        const std::vector<Real> numbers = unpacked(message, server.weights.size());
        absorb(env, is_server_stepping_, server, numbers, 1.0 / env.gang().ranks);
        ++server.clock;
        server.staleness.take_in(message.from);
      }
      server.counts[std::size_t(message.from)] = message.clock;
      if (message.wants_reply) waiting[std::size_t(message.from)] = message.clock;
      answer(env, server, waiting);
    }
  }

  std::vector<Real> model(const Members<Real>& members) const override { return model_of(members.servers); }

 private:
  /// The request of a rank that waited when all coroutines were begun again.
  void ask(Env<Real>& env, const Rank<Real>& rank) const {
    for (int s = 0; s < env.gang().servers(); ++s) {
      env.post(env.gang().server(s),
               {.kind = Kind::change, .clock = rank.clock, .shard = s, .wants_reply = true, .share = 0});
    }
  }

  void answer(Env<Real>& env, Server<Real>& server, std::vector<std::int64_t>& waiting) const {
    const std::int64_t slowest = *std::min_element(server.counts.begin(), server.counts.end());
    for (std::size_t rank = 0; rank < waiting.size(); ++rank) {
      if (waiting[rank] < 0 || slowest < waiting[rank] - staleness_) continue;
      waiting[rank] = -1;
      reply(env, int(rank), server, slowest);
    }
  }

  std::int64_t staleness_;
  bool fetches_always_, is_server_stepping_;
};

}  // namespace

template <class Real>
Made<Real> make(const Ssp& settings) {
  return std::make_unique<SspAlgorithm<Real>>(settings);
}
template Made<float> make(const Ssp&);
template Made<double> make(const Ssp&);

}  // namespace dlrun::parallel
