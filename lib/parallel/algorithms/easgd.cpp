// SPDX-License-Identifier: Apache-2.0
// Elastic averaging SGD (Zhang, Choromanska, LeCun, NIPS 2015): every `period` steps rank and centre move towards each
// other by the same d = (β / n) (x − centre), so their sum is kept.
#include "parallel/algorithms/made.hpp"
#include "parallel/models.hpp"
#include "parallel/pushes.hpp"

namespace dlrun::parallel {

namespace {

template <class Real>
class EasgdAlgorithm : public Algorithm<Real> {
 public:
  explicit EasgdAlgorithm(const Easgd& settings) : period_(settings.period), beta_(settings.beta) {}

  Task run(Env<Real>& env, Rank<Real>& rank) const override {
    for (;;) {
      co_await train_alone(env, rank);
      if (rank.clock % period_ != 0) continue;
      push(env, rank, rank.weights, 1, true);
      co_await pull(env, rank);
    }
  }

  /// The server makes both new values and sends the rank its own back.
  Task serve(Env<Real>& env, Server<Real>& server) const override {
    for (;;) {
      const Filter filter{.kind = Kind::change};
      Message<Real> message = co_await env.receive(filter);
      co_await env.work(server.shard.share);
      std::vector<Real> d = difference(message.numbers, server.weights);
      scale(d, beta_ / env.gang().ranks);
      add_to(server.weights, d);
      add_to(message.numbers, d, -1);
      ++server.clock;
      server.staleness.take_in(message.from);
      server.staleness.answer(message.from);
      Message<Real> back{
          .kind = Kind::weights, .weight = 1, .numbers = std::move(message.numbers), .share = server.shard.share};
      env.post(message.from, std::move(back));
    }
  }

  std::vector<Real> model(const Members<Real>& members) const override { return mean_of(members.ranks); }

 private:
  std::int64_t period_;
  double beta_;
};

}  // namespace

template <class Real>
Made<Real> make(const Easgd& settings) {
  return std::make_unique<EasgdAlgorithm<Real>>(settings);
}
template Made<float> make(const Easgd&);
template Made<double> make(const Easgd&);

}  // namespace dlrun::parallel
