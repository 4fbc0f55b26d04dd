// SPDX-License-Identifier: Apache-2.0
// Local SGD (Stich, ICLR 2019): ranks train alone, and every `period` steps each goes on from the mean of all. And
// DiLoCo (Douillard et al. 2023): the way from where they parted to their mean is the gradient of an outer optimiser,
// SGD with Nesterov's momentum.
#include "parallel/algorithms/made.hpp"
#include "parallel/all_reduce.hpp"
#include "parallel/models.hpp"
#include "parallel/pushes.hpp"

namespace dlrun::parallel {

namespace {

template <class Real>
class LocalAlgorithm : public Algorithm<Real> {
 public:
  explicit LocalAlgorithm(std::int64_t period) : period_(period) {}

  bool is_synchronous() const override { return true; }

  Task run(Env<Real>& env, Rank<Real>& rank) const override {
    for (;;) {
      const std::int64_t missed = rank.clock % period_ * (env.gang().ranks - 1);
      co_await train_alone(env, rank, missed);
      if (rank.clock % period_ != 0) continue;
      Sum<Real> sum{rank.weights, rank.clock};
      co_await all_reduce(env, sum, "direct");
      scale(sum.numbers, 1.0 / env.gang().ranks);
      go_on_from(rank, std::move(sum.numbers));
    }
  }

  std::vector<Real> model(const Members<Real>& members) const override { return mean_of(members.ranks); }

 protected:
  virtual void go_on_from(Rank<Real>& rank, std::vector<Real> mean) const { rank.weights = std::move(mean); }

 private:
  std::int64_t period_;
};

template <class Real>
class DiLoCoAlgorithm : public LocalAlgorithm<Real> {
 public:
  explicit DiLoCoAlgorithm(const DiLoCo& settings)
      : LocalAlgorithm<Real>(settings.period), lr_(settings.outer_lr), momentum_(settings.outer_momentum) {}

  bool has_equal_anchors() const override { return true; }

  void begin(const Gang&, Members<Real>& members) const override {
    for (Rank<Real>& rank : members.ranks) {
      rank.anchor = rank.weights;
      rank.velocity.assign(rank.weights.size(), 0);
    }
  }

 protected:
  /// v = m v + g, x = anchor − lr (g + m v), with g = anchor − mean.
  void go_on_from(Rank<Real>& rank, std::vector<Real> mean) const override {
    const std::vector<Real> gradient = difference(rank.anchor, mean);
    scale(rank.velocity, momentum_);
    add_to(rank.velocity, gradient);
    add_to(rank.anchor, gradient, -lr_);
    add_to(rank.anchor, rank.velocity, -lr_ * momentum_);
    rank.weights = rank.anchor;
  }

 private:
  double lr_, momentum_;
};

}  // namespace

template <class Real>
Made<Real> make(const LocalSgd& settings) {
  return std::make_unique<LocalAlgorithm<Real>>(settings.period);
}
template <class Real>
Made<Real> make(const DiLoCo& settings) {
  return std::make_unique<DiLoCoAlgorithm<Real>>(settings);
}
template Made<float> make(const LocalSgd&);
template Made<double> make(const LocalSgd&);
template Made<float> make(const DiLoCo&);
template Made<double> make(const DiLoCo&);

}  // namespace dlrun::parallel
