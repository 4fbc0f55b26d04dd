// SPDX-License-Identifier: Apache-2.0
// Gossip SGD (Blot et al. 2016): after a step a rank sends, with some probability, its weights and half of its share w
// to another; the receiver mixes them in by the shares. The shares sum to 1, with those on their way.
#include "parallel/algorithms/made.hpp"
#include "parallel/pushes.hpp"
#include "parallel/vectors.hpp"

namespace dlrun::parallel {

namespace {

template <class Real>
class GoSgdAlgorithm : public Algorithm<Real> {
 public:
  explicit GoSgdAlgorithm(const GoSgd& settings) : probability_(settings.probability) {}

  double shares() const override { return 1; }

  void begin(const Gang& gang, Members<Real>& members) const override {
    for (Rank<Real>& rank : members.ranks) rank.weight = 1.0 / gang.ranks;
  }

  Task run(Env<Real>& env, Rank<Real>& rank) const override {
    for (;;) {
      co_await train_alone(env, rank);
      const int taken = take_in_all(env, rank);
      co_await env.work(taken);
      if (env.gang().ranks > 1 && env.random().uniform() < probability_) send_half(env, rank);
    }
  }

  void finish(Env<Real>& env, Rank<Real>& rank) const override { take_in_all(env, rank); }

  std::vector<Real> model(const Members<Real>& members) const override {
    std::vector<Real> sum(members.ranks.front().weights.size());
    for (const Rank<Real>& rank : members.ranks) add_to(sum, rank.weights, rank.weight);
    return sum;
  }

 private:
  /// @return the number of messages
  int take_in_all(Env<Real>& env, Rank<Real>& rank) const {
    int count = 0;
    for (; const auto message = env.take({.kind = Kind::weights}); ++count) {
      rank.weight += message->weight;
      mix(rank.weights, message->numbers, message->weight / rank.weight);
    }
    return count;
  }

  void send_half(Env<Real>& env, Rank<Real>& rank) const {
    rank.weight /= 2;
    const int to = int(env.random().below(std::uint64_t(env.gang().ranks - 1)));
    Message<Real> message{
        .kind = Kind::weights, .clock = rank.clock, .weight = rank.weight, .numbers = rank.weights, .share = 1};
    env.post(to < env.self() ? to : to + 1, std::move(message));
  }

  double probability_;
};

}  // namespace

template <class Real>
Made<Real> make(const GoSgd& settings) {
  return std::make_unique<GoSgdAlgorithm<Real>>(settings);
}
template Made<float> make(const GoSgd&);
template Made<double> make(const GoSgd&);

}  // namespace dlrun::parallel
