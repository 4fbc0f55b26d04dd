// SPDX-License-Identifier: Apache-2.0
// Asynchronous decentralised SGD (Lian et al., ICML 2018): while a rank computes, an active one (odd) exchanges weights
// with a passive one (even), and both take the mean. Only active ranks begin an exchange, so nobody waits in a circle.
// Each adds half of the difference as it was exchanged to its weights as they are by then: the sum is kept, although a
// gradient may have come in between.
#include "parallel/algorithms/made.hpp"
#include "parallel/models.hpp"
#include "parallel/pushes.hpp"

namespace dlrun::parallel {

namespace {

template <class Real>
class AdPsgdAlgorithm : public Algorithm<Real> {
 public:
  Task run(Env<Real>& env, Rank<Real>& rank) const override {
    for (;;) {
      co_await train_alone(env, rank);
      if (is_active(env.self())) env.mailbox().deliver({.kind = Kind::turn});
    }
  }

  Task run_beside(Env<Real>& env, Rank<Real>& rank) const override {
    return is_active(env.self()) ? exchange(env, rank) : answer(env, rank);
  }

  std::vector<Real> model(const Members<Real>& members) const override { return mean_of(members.ranks); }

 private:
  static bool is_active(int rank) { return rank % 2 == 1; }

  static Message<Real> weights_of(const Rank<Real>& rank, Kind kind) {
    return {.kind = kind, .clock = rank.clock, .numbers = rank.weights, .share = 1};
  }

  /// Once for each gradient, or less often if exchanges take longer.
  Task exchange(Env<Real>& env, Rank<Real>& rank) const {
    for (;;) {
      const Filter turn{.kind = Kind::turn}, back{.kind = Kind::weights};
      co_await env.receive(turn);
      while (env.take(turn)) continue;
      const std::uint64_t passive = std::uint64_t(env.gang().ranks + 1) / 2;
      const std::vector<Real> sent = rank.weights;
      env.post(2 * int(env.random().below(passive)), weights_of(rank, Kind::request));
      const Message<Real> message = co_await env.receive(back);
      co_await env.work(1);
      add_to(rank.weights, difference(message.numbers, sent), 0.5);
    }
  }

  Task answer(Env<Real>& env, Rank<Real>& rank) const {
    for (;;) {
      const Filter filter{.kind = Kind::request};
      const Message<Real> message = co_await env.receive(filter);
      const std::vector<Real> apart = difference(message.numbers, rank.weights);
      env.post(message.from, weights_of(rank, Kind::weights));
      co_await env.work(1);
      add_to(rank.weights, apart, 0.5);
    }
  }
};

}  // namespace

template <class Real>
Made<Real> make(const AdPsgd&) {
  return std::make_unique<AdPsgdAlgorithm<Real>>();
}
template Made<float> make(const AdPsgd&);
template Made<double> make(const AdPsgd&);

}  // namespace dlrun::parallel
