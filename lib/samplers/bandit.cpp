// SPDX-License-Identifier: Apache-2.0
#include "samplers/bandit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "samplers/draw.hpp"
#include "samplers/gp/fit.hpp"
#include "samplers/gp/process.hpp"
#include "samplers/gp/warp.hpp"
#include "util/arithmetic.hpp"

namespace dlrun::samplers {

using Eigen::Index;
using space::Values;

namespace {

constexpr double kInside = 1 - 1e-9;
constexpr double kFirstStep = 0.25;  ///< deviation of nearby points in the first round, in units

double width(std::size_t gains) { return std::sqrt(0.2 * arithmetic::log(std::max(0.4 * double(gains), 1.0))); }

/// Numbers by a normal step, choices to any with a chance of a quarter.
Values near(const space::Space& space, const Values& from, double step, RandomStream& random) {
  std::vector<double> units(space.size());
  for (std::size_t i = 0; i < space.size(); ++i) {
    const double move = step * random.normal(), chance = random.uniform(), anywhere = random.uniform();
    units[i] = anywhere;
    if (std::holds_alternative<std::monostate>(from[i])) continue;
    const double here = space.to_unit(i, from[i]);
    const bool is_choice = space.parameters()[i].type == space::Type::categorical;
    if (!is_choice) units[i] = std::clamp(here + move, 0.0, kInside);
    if (is_choice && chance > 0.25) units[i] = here;
  }
  return values_from(space, units);
}

}  // namespace

Bandit::Bandit(const space::Space& space, const ExplorerOptions& fallback, std::uint64_t seed,
               const BanditOptions& options)
    : space_(space), axes_(axes_of(space)), options_(options), seed_(seed), perturbation_(space, fallback, seed) {}

void Bandit::on_start(trial::TrialId trial, const Values& values, trial::TrialId donor) {
  Seen seen{coordinates_of(space_, axes_, values)};
  if (donor.exists()) {
    const Seen& from = seen_.at(donor);
    seen.epoch = from.epoch;
    seen.cost = from.cost;
    seen.is_pending = true;
  }
  seen_[trial] = std::move(seen);
}

void Bandit::on_result(trial::TrialId trial, std::int64_t epoch, std::optional<double> cost) {
  Seen& seen = seen_.at(trial);
  seen.is_pending = false;
  if (cost && !std::isfinite(*cost)) cost.reset();
  if (seen.cost && cost && epoch > seen.epoch) {
    gains_.push_back({seen.coordinates, seen.epoch, *seen.cost, (*cost - *seen.cost) / double(epoch - seen.epoch)});
  }
  seen.epoch = epoch;
  seen.cost = cost;
}

Values Bandit::explore(std::int64_t number, const Donor& donor, const std::vector<Values>& taken) {
  const Seen& seen = seen_.at(donor.trial);
  if (gains_.size() < options_.least_gains || !seen.cost) {
    Values values = perturbation_.explore(number, donor, taken);
    reason_ = perturbation_.reason();
    return values;
  }
  Values values = promising(number, seen, donor.values, taken);
  reason_ = changes(space_, donor.values, values);
  reason_ += fmt::format("{}highest bound on the gain, by {} gains of the population", reason_.empty() ? "" : "; ",
                         gains_.size());
  return values;
}

/// Epochs by the latest, costs by their range.
Bandit::Scales Bandit::scales() const {
  Scales scales{1, gains_.front().cost, 0};
  double high = scales.low;
  for (const Gain& gain : gains_) {
    scales.epoch = std::max(scales.epoch, double(gain.epoch));
    scales.low = std::min(scales.low, gain.cost);
    high = std::max(high, gain.cost);
  }
  scales.range = high > scales.low ? high - scales.low : 1;
  return scales;
}

Coordinates Bandit::place(const Coordinates& values, std::int64_t epoch, double cost, const Scales& scales) {
  Coordinates place = values;
  place.push_back(double(epoch) / scales.epoch);
  place.push_back((cost - scales.low) / scales.range);
  return place;
}

gp::Data Bandit::data() const {
  const std::size_t n = std::min(gains_.size(), options_.most_gains), first = gains_.size() - n;
  gp::Data data;
  data.axes = axes_;
  data.axes.resize(axes_.size() + 2);  // the epoch and the cost before
  data.points.resize(Index(n), Index(data.axes.size()));
  data.values.resize(Index(n));
  const Scales by = scales();
  for (std::size_t i = 0; i < n; ++i) {
    const Gain& gain = gains_[first + i];
    const Coordinates point = place(gain.coordinates, gain.epoch, gain.cost, by);
    data.points.row(Index(i)) = Eigen::Map<const Eigen::RowVectorXd>(point.data(), Index(point.size()));
    data.values[Index(i)] = gain.change;
  }
  data.values = gp::warped(data.values);
  return data;
}

std::vector<Coordinates> Bandit::pending(const Scales& scales) const {
  std::vector<Coordinates> out;
  for (const auto& [trial, seen] : seen_) {
    if (seen.is_pending && seen.cost) out.push_back(place(seen.coordinates, seen.epoch, *seen.cost, scales));
  }
  return out;
}

/// A function of the gains, which only grow.
const gp::Hyperparameters& Bandit::hyperparameters(const gp::Data& data) {
  if (fitted_at_ != gains_.size()) fitted_ = gp::fit(data, {.has_alone = false});
  fitted_at_ = gains_.size();
  return fitted_;
}

/// Looks everywhere and around the donor, then ever closer around the best.
Values Bandit::promising(std::int64_t number, const Seen& donor, const Values& start,
                         const std::vector<Values>& taken) {
  const gp::Data known = data();
  const Scales by = scales();
  const std::vector<Coordinates> under_way = pending(by);
  const gp::Process process(known, hyperparameters(known), under_way,
                            Eigen::MatrixXd::Zero(Index(under_way.size()), 1));
  RandomStream random(seed_, {"explorer", "pb2", std::to_string(number)});
  Values best = start;
  double best_bound = std::numeric_limits<double>::infinity();
  const auto look = [&](const std::vector<Values>& points) {
    std::vector<Coordinates> places;
    for (const Values& values : points)
      places.push_back(place(coordinates_of(space_, axes_, values), donor.epoch, *donor.cost, by));
    Eigen::MatrixXd means;
    Eigen::VectorXd variances;
    process.at(places, means, variances);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double bound = means(0, Index(i)) - width(gains_.size()) * std::sqrt(variances[Index(i)]);
      if (!(bound < best_bound) || std::find(taken.begin(), taken.end(), points[i]) != taken.end()) continue;
      best = points[i];
      best_bound = bound;
    }
  };
  if (!feasible_) feasible_.emplace(space_);
  const auto nearby = [&](const Values& from, double step) {
    Values values = near(space_, from, step, random);
    return feasible_->allows(values) ? values : *feasible_->moved(values, random);
  };
  std::vector<Values> points;
  for (int i = 0; i < options_.spread; ++i) points.push_back(feasible_->draw(random));
  for (int i = 0; i < options_.nearby; ++i) points.push_back(nearby(start, kFirstStep));
  look(points);
  double step = kFirstStep;
  for (int round = 0; round < options_.rounds; ++round) {
    points.clear();
    for (int i = 0; i < options_.nearby; ++i) points.push_back(nearby(best, step));
    look(points);
    step /= 2;
  }
  return best;
}

}  // namespace dlrun::samplers
