// SPDX-License-Identifier: Apache-2.0
// Synchronous training by all-reduce: every rank has the mean gradient and takes the same step by it.
#include "parallel/algorithms/made.hpp"
#include "parallel/all_reduce.hpp"
#include "parallel/codecs/powersgd.hpp"

namespace dlrun::parallel {

namespace {

template <class Real>
class ArSgdAlgorithm : public Algorithm<Real> {
 public:
  explicit ArSgdAlgorithm(const ArSgd& settings) : reduce_(settings.reduce) {}

  bool is_synchronous() const override { return true; }
  bool has_equal_ranks() const override { return true; }
  bool has_equal_states() const override { return true; }

  Task run(Env<Real>& env, Rank<Real>& rank) const override {
    for (;;) {
      Gradient<Real> mean;
      co_await reduce(env, rank, mean);
      co_await env.work(1);
      env.note_squares(mean.squares);
      if (mean.samples > 0) env.step(rank.weights, mean.numbers);
      ++rank.clock;
    }
  }

  std::vector<Real> model(const Members<Real>& members) const override {
    return members.ranks.front().weights;  // all are equal
  }

 private:
  /// The next gradient's mean over all ranks. Its buckets are summed one beside the other, each as soon as it is made;
  /// squared norms ride with the last one.
  Task reduce(Env<Real>& env, Rank<Real>& rank, Gradient<Real>& mean) const {
    const std::vector<Shard>& buckets = env.gang().buckets;
    std::vector<Sum<Real>> sums(buckets.size());
    std::vector<Task> tasks;
    const double samples = co_await env.begin_gradient(rank.weights);
    if (samples > 0) rank.staleness.note(0);
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      Sum<Real>& sum = sums[b];
      sum.numbers = co_await env.made(buckets[b]);
      if (b + 1 == buckets.size()) append(sum.numbers, env.squares());
      scale(sum.numbers, samples);
      sum.clock = rank.clock * std::int64_t(buckets.size()) + std::int64_t(b);
      sum.samples = samples;
      sum.share = b + 1 == buckets.size() ? with_squares(env.gang(), buckets[b]) : buckets[b].share;
      const PowerSgd* const thin = std::get_if<PowerSgd>(&env.gang().codec);
      tasks.push_back(thin != nullptr ? reduce_thin(env, *thin, rank, buckets[b], sums[b], reduce_)
                                      : all_reduce(env, sums[b], reduce_));
      tasks.back().start();
    }
    if (buckets.size() > 1) mean.numbers.resize(rank.weights.size());
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      co_await tasks[b].joined();
      if (sums[b].samples > 0) scale(sums[b].numbers, 1 / sums[b].samples);
      if (b + 1 == buckets.size()) mean.squares = cut_off(sums[b].numbers, env.gang().squares);
      if (buckets.size() == 1) std::swap(mean.numbers, sums[b].numbers);
      if (buckets.size() > 1) paste(mean.numbers, buckets[b], sums[b].numbers);
      mean.samples = sums[b].samples;
    }
  }

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
