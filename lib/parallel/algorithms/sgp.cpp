// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient push (Assran et al., ICML 2019) on the directed exponential graph: in step t a rank keeps half of
// its sums (x, w), sends the other half to the rank 2^(t mod ⌈log2 n⌉) further on, and computes at z = x / w. With
// overlap 1 it takes in what was sent one step earlier.
#include <bit>

#include "parallel/algorithms/made.hpp"
#include "parallel/vectors.hpp"

namespace dlrun::parallel {

namespace {

template <class Real>
class SgpAlgorithm : public Algorithm<Real> {
 public:
  explicit SgpAlgorithm(const Sgp& settings) : overlap_(settings.overlap) {}

  bool is_synchronous() const override { return true; }

  void begin(const Gang&, Members<Real>& members) const override {
    for (Rank<Real>& rank : members.ranks) rank.weight = 1;
  }

  /// rank.weights are the sums x.
  Task run(Env<Real>& env, Rank<Real>& rank) const override {
    for (;;) {
      std::vector<Real> z = rank.weights;
      scale(z, 1 / rank.weight);
      const Gradient<Real> gradient = co_await env.gradient(z);
      co_await env.work(1);
      if (gradient.samples > 0) {
        add_to(rank.weights, step_at(env, std::move(z), gradient), -1);
      }
      const std::int64_t now = rank.clock++;
      send_half(env, rank, now);
      if (now - overlap_ < rank.pulled || env.gang().ranks == 1) continue;
      const Filter filter{.kind = Kind::weights, .clock = now - overlap_};
      const Message<Real> message = co_await env.receive(filter);
      co_await env.work(1);
      take_in(rank, message);
    }
  }

  void finish(Env<Real>& env, Rank<Real>& rank) const override {
    while (const auto message = env.take({.kind = Kind::weights})) take_in(rank, *message);
    rank.pulled = rank.clock;
  }

  /// Σx / Σw
  std::vector<Real> model(const Members<Real>& members) const override {
    std::vector<Real> sum(members.ranks.front().weights.size());
    double weight = 0;
    for (const Rank<Real>& rank : members.ranks) {
      add_to(sum, rank.weights);
      weight += rank.weight;
    }
    scale(sum, 1 / weight);
    return sum;
  }

 private:
  static void take_in(Rank<Real>& rank, const Message<Real>& message) {
    add_to(rank.weights, message.numbers);
    rank.weight += message.weight;
  }

  /// The change that the rank's optimiser makes at z, which is x's too.
  static std::vector<Real> step_at(Env<Real>& env, std::vector<Real> z, const Gradient<Real>& gradient) {
    const std::vector<Real> before = z;
    env.step(z, gradient.numbers);
    return difference(before, z);
  }

  static void send_half(Env<Real>& env, Rank<Real>& rank, std::int64_t now) {
    const int n = env.gang().ranks;
    if (n == 1) return;
    const int hops = std::bit_width(unsigned(n - 1));
    scale(rank.weights, 0.5);
    rank.weight /= 2;
    Message<Real> message{
        .kind = Kind::weights, .clock = now, .weight = rank.weight, .numbers = rank.weights, .share = 1};
    env.post((env.self() + (1 << (now % hops))) % n, std::move(message));
  }

  std::int64_t overlap_;
};

}  // namespace

template <class Real>
Made<Real> make(const Sgp& settings) {
  return std::make_unique<SgpAlgorithm<Real>>(settings);
}
template Made<float> make(const Sgp&);
template Made<double> make(const Sgp&);

}  // namespace dlrun::parallel
