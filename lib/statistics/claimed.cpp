// SPDX-License-Identifier: Apache-2.0
#include "statistics/claimed.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "statistics/summary.hpp"

namespace dlrun::statistics {

namespace {

using Array = Eigen::ArrayXXd;
constexpr double kRoundingOfSquares =
    1e-24;  // a variance below this share of the squared values is that of their rounding

/// Values by example and replicate, and where there are any (1, else 0).
struct Grid {
  Array values, counts;

  double examples() const { return double(values.rows()); }
  double replicates() const { return double(values.cols()); }
  double mean() const { return values.sum() / counts.sum(); }
  bool is_judged_once() const { return counts.sum() == examples(); }
  /// Whether all replicates have the same examples.
  bool is_full() const { return (counts > 0).all(); }
};

std::vector<std::int64_t> all_rows(const std::vector<ExampleValues>& gains) {
  std::vector<std::int64_t> rows;
  for (const ExampleValues& one : gains) rows.insert(rows.end(), one.rows.begin(), one.rows.end());
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

Grid grid_of(const std::vector<ExampleValues>& gains) {
  const std::vector<std::int64_t> rows = all_rows(gains);
  const auto height = Eigen::Index(rows.size()), width = Eigen::Index(gains.size());
  Grid grid{Array::Zero(height, width), Array::Zero(height, width)};
  for (std::size_t r = 0; r < gains.size(); ++r) {
    auto place = rows.begin();
    for (std::size_t i = 0; i < gains[r].rows.size(); ++i) {
      place = std::lower_bound(place, rows.end(), gains[r].rows[i]);
      grid.values(place - rows.begin(), Eigen::Index(r)) = gains[r].values[i];
      grid.counts(place - rows.begin(), Eigen::Index(r)) = 1;
    }
  }
  return grid;
}

double unbiased(double n) { return n / (n - 1); }
double squared(double x) { return x * x; }

/// Variance of the mean by example, by replicate, and by both where each example has all replicates.
Luck luck_of(const Grid& grid) {
  const double m = grid.mean(), n = grid.examples(), r = grid.replicates(), total = squared(grid.counts.sum());
  const Array rest = grid.values - m * grid.counts;
  Luck luck;
  luck.has_folds = !grid.is_full();
  luck.examples = unbiased(n) * rest.rowwise().sum().square().sum() / total;
  luck.replicates = unbiased(r) * rest.colwise().sum().square().sum() / total;
  if (grid.is_judged_once()) return luck;
  if (luck.has_folds) {
    luck.both = unbiased(grid.counts.sum()) * rest.square().sum() / total;
    return luck;
  }
  const Array both = (rest.colwise() - rest.rowwise().mean().eval()).rowwise() - rest.colwise().mean().eval();
  luck.both = unbiased(n) * unbiased(r) * both.square().sum() / total;
  return luck;
}

struct Variance {
  double value = 0, degrees = 1;
};

Variance larger(const Luck& luck, const Grid& grid) {
  const Variance examples{luck.examples, grid.examples() - 1}, replicates{luck.replicates, grid.replicates() - 1};
  return examples.value > replicates.value ? examples : replicates;
}

Variance variance_of(const Luck& luck, const Grid& grid) {
  const Variance one = larger(luck, grid);
  const double sum = luck.examples + luck.replicates - luck.both;
  if (grid.is_judged_once() || sum <= one.value) return one;
  const double n = grid.examples() - 1, r = grid.replicates() - 1;
  const double spread = squared(luck.examples) / n + squared(luck.replicates) / r + squared(luck.both) / (n * r);
  return {sum, squared(sum) / spread};
}

std::vector<double> means_of(const std::vector<ExampleValues>& gains) {
  std::vector<double> means;
  means.reserve(gains.size());
  for (const ExampleValues& one : gains) means.push_back(mean(one.values));
  return means;
}

Effect effect_from(const Grid& grid, const std::vector<double>& means, const Variance& variance, double level) {
  Effect effect{.n = int(means.size()), .mean = grid.mean(), .sd = standard_deviation(means)};
  effect.degrees = variance.degrees;
  effect.standard_error = std::sqrt(variance.value);
  effect = tested(effect, level);
  effect.d_z = effect.sd > 0 ? effect.mean / effect.sd : effect.t;
  return effect;
}

}  // namespace

std::optional<ClaimedEffect> claimed_effect(const std::vector<ExampleValues>& gains, double level) {
  const auto is_empty = [](const ExampleValues& one) { return one.rows.empty(); };
  if (gains.size() < 2 || std::any_of(gains.begin(), gains.end(), is_empty)) return std::nullopt;
  const Grid grid = grid_of(gains);
  if (grid.examples() < 2) return std::nullopt;
  const Luck luck = luck_of(grid);
  const Variance variance = variance_of(luck, grid);
  const std::vector<double> means = means_of(gains);
  if (variance.value <= kRoundingOfSquares * grid.values.square().maxCoeff()) {
    const auto still = effect_of(means, {.level = level});
    return still ? std::optional(ClaimedEffect{*still, luck}) : std::nullopt;
  }
  return ClaimedEffect{effect_from(grid, means, variance, level), luck};
}

}  // namespace dlrun::statistics
