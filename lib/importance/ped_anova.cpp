// SPDX-License-Identifier: Apache-2.0
#include "importance/ped_anova.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "importance/columns.hpp"
#include "importance/estimate.hpp"
#include "util/random.hpp"
#include "util/shuffle.hpp"

namespace dlrun::importance {

namespace {

constexpr double kTiny = 1e-12;  // a density is nowhere 0

double number(const space::Value& value) {
  const auto* integer = std::get_if<std::int64_t>(&value);
  return integer != nullptr ? double(*integer) : std::get<double>(value);
}

/// Number of points that the grid of a parameter has.
std::size_t grid_size(const space::Space& space, std::size_t parameter, std::size_t most) {
  const space::Parameter& p = space.parameters()[parameter];
  const auto count = space.count(parameter);
  if (p.type == space::Type::categorical) return std::size_t(*count);
  if (!count) return most;
  if (!p.log) return std::min(std::size_t(*count), most);
  return std::min(std::size_t(std::ceil(std::log2(double(*count)))) + 1, most);
}

/// Grid points from 0, the ends of the domain on the first and the last; ties go down.
std::size_t grid_point(const space::Space& space, std::size_t parameter, const space::Value& value, std::size_t size) {
  const space::Parameter& p = space.parameters()[parameter];
  if (const auto* choice = std::get_if<space::Choice>(&value)) {
    if (p.type == space::Type::categorical) return choice->index;
    const double part = double(choice->index) / double(*space.count(parameter) - 1);
    return std::size_t(std::max(0.0, std::ceil(part * double(size - 1) - 0.5)));
  }
  const double x = number(value);
  const double part =
      p.log ? (std::log(x) - std::log(p.low)) / (std::log(p.high) - std::log(p.low)) : (x - p.low) / (p.high - p.low);
  return std::size_t(std::clamp(std::ceil(part * double(size - 1) - 0.5), 0.0, double(size - 1)));
}

/// How often each point of a grid was drawn.
using Counts = std::vector<double>;

double normal_below(double z) { return 0.5 * std::erfc(-z * M_SQRT1_2); }

/// A normal distribution below the edges around grid points, by their distance from its centre: entry `d + size` is at
/// half a point before the point that is d points behind the centre.
std::vector<double> below_edges(std::size_t size, double spread) {
  std::vector<double> below(2 * size + 1);
  for (std::size_t i = 0; i < below.size(); ++i) below[i] = normal_below((double(i) - double(size) - 0.5) / spread);
  return below;
}

/// Adds a normal to a density over the points of a grid, truncated to it.
/// @param below  its distribution at the edges of the points, one more than there are points
void add_normal(const double* below, double weight, std::vector<double>& density) {
  const double all = below[density.size()] - below[0];
  for (std::size_t i = 0; i < density.size(); ++i) density[i] += weight * (below[i + 1] - below[i]) / all;
}

/// The same of a wide normal around the middle of the grid.
void add_prior(double weight, std::vector<double>& density) {
  const auto size = double(density.size());
  std::vector<double> below(density.size() + 1);
  for (std::size_t i = 0; i < below.size(); ++i) below[i] = normal_below((double(i) - 0.5 - (size - 1) / 2) / size);
  add_normal(below.data(), weight, density);
}

/// Scott's rule over the points, as robust as the smaller of deviation and interquartile range is.
double bandwidth(const Counts& counts) {
  double weight = 0, mean = 0, square = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) weight += counts[i], mean += counts[i] * double(i);
  mean /= weight;
  for (std::size_t i = 0; i < counts.size(); ++i) square += counts[i] * (double(i) - mean) * (double(i) - mean);
  const double deviation = std::sqrt(square / std::max(1.0, weight - 1));
  const double first = std::floor(weight / 4), third = std::floor(3 * weight / 4);
  std::size_t low = counts.size(), high = counts.size(), last = 0;
  double before = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    before += counts[i];
    last = i;
    if (low == counts.size() && before >= first) low = i;
    if (high == counts.size() && before > third) high = i;
  }
  if (high == counts.size()) high = last;
  const double range = double(high) - double(low);
  return std::max(1.059 * std::min(range / 1.34, deviation) * std::pow(weight, -0.2), 0.5 / 1.64);
}

std::vector<double> density_of_numbers(const Counts& counts) {
  std::vector<double> density(counts.size());
  const double weight = std::accumulate(counts.begin(), counts.end(), 1.0), spread = bandwidth(counts);
  const std::vector<double> below = below_edges(counts.size(), spread);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) add_normal(&below[counts.size() - i], counts[i] / weight, density);
  }
  add_prior(1 / weight, density);
  return density;
}

/// A kernel is its choice, and a little of all; so is the prior.
std::vector<double> density_of_choices(const Counts& counts) {
  const double weight = std::accumulate(counts.begin(), counts.end(), 1.0);
  const auto size = double(counts.size());
  const auto kernels = double(std::count_if(counts.begin(), counts.end(), [](double c) { return c > 0; })) + 1;
  const double share = 1 / kernels, row = 1 + size * share;
  std::vector<double> density(counts.size());
  for (std::size_t i = 0; i < density.size(); ++i) {
    density[i] = ((weight - 1) * share / row + counts[i] / row + 1 / size) / weight;
  }
  return density;
}

double divergence(const std::vector<double>& best, const std::vector<double>& all) {
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double q = all[i] + kTiny, ratio = (best[i] + kTiny) / q - 1;
    sum += q * ratio * ratio;
  }
  return sum;
}

class PedAnova {
 public:
  PedAnova(const Evidence& evidence, const PedAnovaOptions& options) : evidence_(evidence), options_(options) {
    const space::Space& space = evidence.space;
    for (std::size_t p = 0; p < space.size(); ++p) {
      sizes_.push_back(space.count(p) == 1 ? 0 : grid_size(space, p, options.steps));
      points_.emplace_back();
      for (const space::Values& values : evidence.values) {
        const bool counts = sizes_[p] > 0 && is_active(values[p]);
        points_[p].push_back(counts ? std::int32_t(grid_point(space, p, values[p], sizes_[p])) : -1);
      }
    }
  }

  /// Shares of the sum when trial i counts `weights[i]` times; empty where no parameter tells the best from the others.
  std::vector<double> shares(const std::vector<double>& weights) const {
    std::vector<double> out = divergences(weights, best_of(weights));
    const double all = std::accumulate(out.begin(), out.end(), 0.0);
    if (!(all > 0)) return {};
    for (double& share : out) share /= all;
    return out;
  }

  /// P value of the sum of the divergences, by permutations of who is among the best.
  double chance() const {
    const std::vector<double> weights(evidence_.values.size(), 1);
    std::vector<bool> is_best = best_of(weights);
    const double found = sum_of_divergences(weights, is_best);
    int as_large = 1;
    for (int r = 0; r < options_.permutations; ++r) {
      RandomStream random(options_.seed, {"importance", "permutation", std::to_string(r)});
      dlrun::shuffle(is_best.size(), random,
                     [&](std::size_t i, std::size_t j) { std::vector<bool>::swap(is_best[i], is_best[j]); });
      if (sum_of_divergences(weights, is_best) >= found) ++as_large;
    }
    return double(as_large) / (options_.permutations + 1);
  }

 private:
  std::vector<double> divergences(const std::vector<double>& weights, const std::vector<bool>& is_best) const {
    std::vector<double> out;
    for (std::size_t p = 0; p < sizes_.size(); ++p)
      out.push_back(sizes_[p] == 0 ? 0 : divergence_of(p, weights, is_best));
    return out;
  }

  double sum_of_divergences(const std::vector<double>& weights, const std::vector<bool>& is_best) const {
    const std::vector<double> all = divergences(weights, is_best);
    return std::accumulate(all.begin(), all.end(), 0.0);
  }

  bool is_before(std::size_t a, std::size_t b) const {
    const double own = evidence_.budgets[a], other = evidence_.budgets[b];
    return own != other ? own > other : evidence_.objectives[a] < evidence_.objectives[b];
  }

  /// The best part of the trials, and what equals the last of them.
  std::vector<bool> best_of(const std::vector<double>& weights) const {
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return is_before(a, b); });
    const double count = std::ceil(options_.best * std::accumulate(weights.begin(), weights.end(), 0.0));
    std::vector<bool> is_best(weights.size());
    double taken = 0;
    std::size_t last = 0;
    for (const std::size_t i : order) {
      if (taken >= count && is_before(last, i)) break;
      is_best[i] = true;
      taken += weights[i];
      if (weights[i] > 0) last = i;
    }
    return is_best;
  }

  double divergence_of(std::size_t p, const std::vector<double>& weights, const std::vector<bool>& is_best) const {
    Counts best(sizes_[p]), all(sizes_[p]);
    double n = 0, n_best = 0, active = 0, active_best = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double in_best = is_best[i] ? weights[i] : 0;
      n += weights[i], n_best += in_best;
      if (points_[p][i] < 0) continue;
      active += weights[i], active_best += in_best;
      all[std::size_t(points_[p][i])] += weights[i];
      best[std::size_t(points_[p][i])] += in_best;
    }
    if (active < 2 || active_best == 0) return 0;
    const double alpha = active_best / n_best, beta = active / n;
    const bool is_choice = evidence_.space.parameters()[p].type == space::Type::categorical;
    const auto density = is_choice ? density_of_choices : density_of_numbers;
    return alpha * alpha / beta * divergence(density(best), density(all));
  }

  const Evidence& evidence_;
  PedAnovaOptions options_;
  std::vector<std::size_t> sizes_;                 ///< points of each grid; 0: one value
  std::vector<std::vector<std::int32_t>> points_;  ///< by parameter and trial; -1: not active
};

}  // namespace

Importances ped_anova(const Evidence& evidence, const PedAnovaOptions& options) {
  Importances out;
  const std::size_t n = evidence.values.size();
  out.parameters.resize(evidence.space.size());
  if (n < 2) return out;
  const PedAnova anova(evidence, options);
  std::vector<std::vector<double>> samples(evidence.space.size());
  for (int r = 0; r < options.resamples; ++r) {
    RandomStream random(options.seed, {"importance", "resample", std::to_string(r)});
    std::vector<double> weights(n);
    for (std::size_t i = 0; i < n; ++i) ++weights[random.below(n)];
    const std::vector<double> shares = anova.shares(weights);
    for (std::size_t p = 0; p < shares.size(); ++p) samples[p].push_back(shares[p]);
  }
  const std::vector<double> shares = anova.shares(std::vector<double>(n, 1));
  for (std::size_t p = 0; p < shares.size(); ++p) {
    const Estimate resampled = estimate(samples[p]);
    out.parameters[p] = {shares[p], std::min(resampled.low, shares[p]), std::max(resampled.high, shares[p])};
  }
  if (!shares.empty()) out.chance = anova.chance();
  return out;
}

}  // namespace dlrun::importance
