// SPDX-License-Identifier: Apache-2.0
// A Parzen density over a space: a mixture with a kernel for each of some trials, and a prior.
#pragma once
#include <Eigen/Core>
#include <vector>

#include "samplers/history.hpp"
#include "util/random.hpp"

namespace dlrun::samplers {

struct ParzenOptions {
  double prior_weight = 1;  ///< weight of the uniform kernel, beside 1 for each trial
  double narrowing = 1;     ///< no bandwidth falls below min(100, n + 2)^-narrowing of an axis, n its active trials
  double least = 0.01;      ///< no bandwidth falls below this part of an axis either
  double spread = 1;        ///< a categorical kernel spreads 1 / n of this over all choices
};

/// Factors of kernels by axis and trial, kept from one density to the next: only few bandwidths change.
struct KernelCache {
  struct Entry {
    double bandwidth = -1;
    double log_norm = 0;
  };
  std::vector<std::vector<Entry>> axes;
};

/// p(x) = sum_i w_i prod_a k(x_a | trial i) over the axes a where x is active; where trial i is not active, and for the
/// prior, k is uniform: so trials of all branches of a conditional space belong to one density.
///
/// On a numeric axis k is a normal around the trial, truncated to [0, 1]. Its bandwidth is the larger gap to a
/// neighbour of the same density (of the outermost: to the inner one), clipped (Bergstra et al., NeurIPS 2011, with the
/// exponent of Watanabe 2023, arXiv:2304.11127, here `narrowing`). An axis of few values has the density at the middles
/// of their shares, and bandwidths of at least half a share. On a categorical axis k is the trial's choice, with a
/// share of all others.
///
/// Densities are summed in single precision, which is twice as fast and much finer than what a search can tell.
class Parzen {
 public:
  /// @param trials ascending numbers of `history`'s trials, which must outlive this
  /// @param weights of the trials, above 0; empty: 1 each
  Parzen(const History& history, const std::vector<std::uint32_t>& trials, const ParzenOptions& options,
         KernelCache* cache = nullptr, const std::vector<double>& weights = {});

  /// Log density at `point`, up to a constant of the space.
  double log_density(const Coordinates& point) const;
  /// Log density of one axis alone, from the trials that are active there.
  double log_density(std::size_t axis, double x) const;
  /// The number of a kernel, by its weight; the last is the prior.
  std::size_t draw_kernel(RandomStream& random) const;
  /// A coordinate from kernel `kernel`; where its trial is not active on the axis, from one that is.
  double draw(std::size_t axis, std::size_t kernel, RandomStream& random) const;

 private:
  struct Kernels {
    Eigen::ArrayXd centre;                        ///< NaN: not active; the prior: 0
    Eigen::ArrayXf scale;                         ///< 1 / (sqrt(2) bandwidth); 0: uniform
    Eigen::ArrayXf offset;                        ///< centre * scale
    Eigen::ArrayXf log_norm;                      ///< factor of a normal, or of a choice that is not the trial's
    std::vector<std::vector<Eigen::Index>> have;  ///< kernels of each choice
    float log_bonus = 0;                          ///< hit over miss, of a choice
    double spread = 0;
  };
  Kernels fit_choices(std::size_t axis) const;
  Kernels fit_numbers(std::size_t axis, KernelCache* cache) const;
  /// Slots of the kernels that are active on a numeric axis, ascending by their centres.
  std::vector<Eigen::Index> ordered(std::size_t axis) const;
  void add_terms(std::size_t axis, float x, Eigen::ArrayXf& sum) const;

  const History& history_;
  const std::vector<std::uint32_t>& trials_;
  ParzenOptions options_;
  std::vector<std::int32_t> slots_;  ///< kernel of each trial of the history, or -1
  std::vector<Kernels> axes_;
  Eigen::ArrayXf base_;     ///< log of the weights, and of the factors of all axes that are always active
  double weight_ = 0;       ///< kernel weight of a trial of weight 1
  Eigen::ArrayXd weights_;  ///< weights before that; empty: 1 each
};

}  // namespace dlrun::samplers
