// SPDX-License-Identifier: Apache-2.0
// Synchronous training by all-reduce: every rank has the mean gradient and takes the same step by it.
#include "parallel/algorithms/made.hpp"
#include "parallel/all_reduce.hpp"

namespace dlrun::parallel {

namespace {

template <class Real>
class ArSgdAlgorithm : public Algorithm<Real> {
 public:
  explicit ArSgdAlgorithm(const ArSgd& settings) : reduce_(settings.reduce) {}

  bool is_synchronous() const override { return true; }

  Task run(Env<Real>& env, Rank<Real>& rank) const override {
    for (;;) {
      Gradient<Real> gradient = co_await env.gradient(rank.weights);
      if (gradient.samples == 0) gradient.numbers.resize(rank.weights.size());
      scale(gradient.numbers, gradient.samples);
      Sum<Real> sum{std::move(gradient.numbers), rank.clock, gradient.samples};
      co_await all_reduce(env, sum, reduce_);
      if (sum.samples > 0) scale(sum.numbers, 1 / sum.samples);
      if (sum.samples > 0) env.step(rank.weights, sum.numbers);
      ++rank.clock;
    }
  }

  std::vector<Real> model(const Members<Real>& members) const override {
    return members.ranks.front().weights;  // all are equal
  }

 private:
  std::string reduce_;
};

}  // namespace

template <class Real>
Made<Real> make(const ArSgd& settings) {
  return std::make_unique<ArSgdAlgorithm<Real>>(settings);
}
template Made<float> make(const ArSgd&);
template Made<double> make(const ArSgd&);

}  // namespace dlrun::parallel
