// SPDX-License-Identifier: Apache-2.0
// SHAT (Ko, Kim, 2022): asp in which a rank keeps a part of its own model. With c changes of others since the server
// last answered it, α = 1 − (n / c) / ln n, brought into [0, 1], is the share of the server's model.
#include "parallel/algorithms/made.hpp"
#include "parallel/models.hpp"
#include "parallel/pushes.hpp"
#include "util/arithmetic.hpp"

namespace dlrun::parallel {

namespace {

template <class Real>
class ShatAlgorithm : public Algorithm<Real> {
 public:
  /// counts: the server's clock when it last answered the rank.
  void begin(const Gang& gang, Members<Real>& members) const override {
    for (Server<Real>& server : members.servers) server.counts.assign(std::size_t(gang.ranks), 0);
  }

  Task run(Env<Real>& env, Rank<Real>& rank) const override {
    for (;;) co_await push_and_pull(env, false, rank);
  }

  Task serve(Env<Real>& env, Server<Real>& server) const override {
    for (;;) {
      const Filter filter{.kind = Kind::change};
      const Message<Real> message = co_await env.receive(filter);
      co_await env.work(server.shard.share);
      absorb(env, false, server, message.numbers, 1.0 / env.gang().ranks);
      std::int64_t& answered = server.counts[std::size_t(message.from)];
      const std::int64_t others = server.clock - answered;
      answered = ++server.clock;
      server.staleness.take_in(message.from);
      reply(env, message.from, server, server.clock, share(env.gang().ranks, others));
    }
  }

  std::vector<Real> model(const Members<Real>& members) const override { return model_of(members.servers); }

 private:
  static double share(int ranks, std::int64_t others) {
    if (ranks < 3 || others == 0) return ranks < 3 ? 1 : 0;  // the formula has no meaning for two ranks
    return std::clamp(1 - double(ranks) / double(others) / arithmetic::log(double(ranks)), 0.0, 1.0);
  }
};

}  // namespace

template <class Real>
Made<Real> make(const Shat&) {
  return std::make_unique<ShatAlgorithm<Real>>();
}
template Made<float> make(const Shat&);
template Made<double> make(const Shat&);

}  // namespace dlrun::parallel
