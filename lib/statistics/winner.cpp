// SPDX-License-Identifier: Apache-2.0
#include "statistics/winner.hpp"

#include <algorithm>
#include <cmath>

#include "statistics/normal.hpp"
#include "statistics/student.hpp"
#include "statistics/summary.hpp"
#include "util/arithmetic.hpp"

namespace dlrun::statistics {

namespace {

constexpr double kReach = 8;   ///< standard deviations beyond which a normal distribution is left out
constexpr double kSteps = 16;  ///< steps of the integral in a standard deviation
/// Standard deviations of the estimate in those of a contender's own luck, measured by simulation: 1.0 where one
/// contender leads clearly, up to 1.3 where many are alike.
constexpr double kSpread = 1.3;
constexpr double kLevel = 0.95;

/// Contenders near enough to the best one to be chosen, and room for the integrand.
class Choice {
 public:
  /// @param noise  standard deviation of what is added to the values
  Choice(const std::vector<double>& values, double noise)
      : best_(*std::max_element(values.begin(), values.end())), noise_(noise) {
    std::copy_if(values.begin(), values.end(), std::back_inserter(near_),
                 [&](double value) { return value > best_ - 2 * kReach * noise; });
    below_.resize(near_.size());
    before_.resize(near_.size() + 1, 1);
  }

  /// Mean of y - e / gamma over the contenders chosen by y + e.
  double judged(double gamma) {
    const double step = noise_ / kSteps;
    double sum = 0, weight = 0;
    for (int i = 0; i <= int(2 * kReach * kSteps); ++i) {
      const double highest = best_ - kReach * noise_ + i * step;
      add_choices(highest, gamma, sum, weight);
    }
    return sum / weight;
  }

 private:
  /// Adds the contenders that may be the highest at this value of y + e, by their densities.
  void add_choices(double highest, double gamma, double& sum, double& weight) {
    for (std::size_t i = 0; i < near_.size(); ++i) {
      below_[i] = normal_below((highest - near_[i]) / noise_);
      before_[i + 1] = before_[i] * below_[i];
    }
    double behind = 1;  // probability that all contenders behind i are below
    for (std::size_t i = near_.size(); i-- > 0;) {
      const double e = highest - near_[i];
      const double density = arithmetic::exp(-0.5 * e * e / (noise_ * noise_)) * before_[i] * behind;
      sum += density * (near_[i] - e / gamma);
      weight += density;
      behind *= below_[i];
    }
  }

  double best_;
  double noise_;
  std::vector<double> near_, below_;
  std::vector<double> before_;  ///< [i] probability that all contenders before i are below
};

double judged(const std::vector<double>& values, double own, double gamma) {
  return Choice(values, own * std::sqrt(gamma)).judged(gamma);
}

/// Estimate of the chosen contender's true value.
double without_luck(const std::vector<double>& values, double own) {
  const double best = *std::max_element(values.begin(), values.end());
  if (own <= 0 || values.size() < 2) return best;
  const double half = judged(values, own, 0.5), whole = judged(values, own, 1);
  constexpr double kFromHalf = 1.4094208396532;  // log(1.5) / log(2 / 1.5)
  return std::min(best, half + kFromHalf * (half - whole));
}

double error_of(const Noise& luck) { return arithmetic::hypot(kSpread * luck.own, luck.shared); }

double quantile_of(const Noise& luck) {
  constexpr double kUpper = (1 + kLevel) / 2;
  return std::isinf(luck.degrees) ? normal_quantile(kUpper) : t_quantile(kUpper, luck.degrees);
}

}  // namespace

Shrunken shrunken_best(const std::vector<double>& values, const Noise& luck) {
  const double value = without_luck(values, luck.own);
  const double reach = quantile_of(luck) * error_of(luck);
  return {value, value - reach, value + reach};
}

std::optional<Noise> luck_of_members(const std::vector<std::vector<double>>& values) {
  if (values.size() < 2 || values[0].size() < 2) return std::nullopt;
  const auto contenders = double(values.size()), members = double(values[0].size());
  std::vector<double> effects(values[0].size());
  for (const auto& row : values) {
    const double centre = mean(row);
    for (std::size_t m = 0; m < row.size(); ++m) effects[m] += (row[m] - centre) / contenders;
  }
  double squares = 0, of_members = 0;
  for (const auto& row : values) {
    const double centre = mean(row);
    for (std::size_t m = 0; m < row.size(); ++m)
      squares += (row[m] - centre - effects[m]) * (row[m] - centre - effects[m]);
  }
  for (const double effect : effects) of_members += effect * effect / (members - 1);
  const double degrees = (contenders - 1) * (members - 1);
  const double own = squares / degrees;
  return Noise{std::sqrt(own / members), std::sqrt(std::max(0.0, of_members - own / contenders) / members), degrees};
}

}  // namespace dlrun::statistics
