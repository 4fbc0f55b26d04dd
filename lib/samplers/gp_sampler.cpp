// SPDX-License-Identifier: Apache-2.0
#include "samplers/gp_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "samplers/first_point.hpp"
#include "samplers/gp/fit.hpp"
#include "samplers/gp/warp.hpp"

namespace dlrun::samplers {

using Eigen::Index;

namespace {

std::size_t bound_count(const History& history) {
  return history.ranked().empty() ? 0 : history.excess(history.ranked().front()).size();
}

/// How far trials lie beyond a bound; failed ones as far as the farthest.
Eigen::VectorXd excesses(const History& history, std::size_t bound, const std::vector<std::uint32_t>& trials) {
  Eigen::VectorXd values(trials.size());
  double most = 0;
  for (const std::uint32_t trial : history.ranked()) most = std::max(most, history.excess(trial)[bound]);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    values[static_cast<Index>(i)] = history.is_ranked(trials[i]) ? history.excess(trials[i])[bound] : most;
  }
  return values;
}

struct Standardised {
  Eigen::VectorXd values;
  double zero;  ///< where 0 is now
};

Standardised standardised(const Eigen::VectorXd& values) {
  const double mean = values.mean();
  const double deviation = std::sqrt((values.array() - mean).square().mean());
  const double scale = deviation > 0 ? deviation : 1;
  return {(values.array() - mean) / scale, -mean / scale};
}

}  // namespace

GpSampler::GpSampler(const space::Space& space, std::uint64_t seed, const GpOptions& options)
    : options_(options), untried_(space), seed_(seed), history_(space), startup_(space.size(), seed) {}

void GpSampler::on_start(trial::TrialId trial, const space::Values& values) {
  history_.on_start(trial, values);
  values_.push_back(values);
  untried_.insert(values);
}

void GpSampler::on_result(const Observation& observation) {
  history_.on_result(observation);
  ++results_;
  const bool is_due =
      results_ <= options_.always || static_cast<double>(results_) >= options_.refit * static_cast<double>(fitted_at_);
  if (!is_due || history_.seen() < options_.startup) return;
  fitted_at_ = results_;
  fitted_to_ = data();
  fitted_.reset();
  bounds_to_.clear();
  const std::vector<std::uint32_t> trials = chosen();
  for (std::size_t b = 0; b < bound_count(history_); ++b) {
    bounds_to_.push_back(data_of(trials, standardised(excesses(history_, b, trials)).values));
  }
  bounds_fitted_.assign(bounds_to_.size(), std::nullopt);
}

std::optional<space::Values> GpSampler::propose(std::int64_t number) {
  if (untried_.is_used_up()) {
    reason_ = untried_.used_up();
    return std::nullopt;
  }
  RandomStream random(seed_, {"sampler", name(), std::to_string(number)});
  if (fitted_at_ == 0 || history_.ranked().size() < 2) {
    reason_ = "quasi-random: too few results to learn from";
    return first_point(untried_, startup_, history_.size(), random);
  }
  const auto under_way = pending();
  Eigen::MatrixXd normals(under_way.size(), under_way.empty() ? 1 : options_.fantasies);
  for (double& normal : normals.reshaped()) normal = random.normal();
  const gp::Process process(data(), hyperparameters(), under_way, normals);
  const auto found = gp::search(untried_.space(), process, best_trials(), random, options_.search, bounds(under_way));
  reason_ = fmt::format("log expected improvement {:.3g} after {} results, {} under way", found.front().log_ei,
                        history_.seen(), under_way.size());
  std::size_t next = 0;
  return untried_.pick(
      random, [&] { return next < found.size() ? found[next++].values : draw_uniform(untried_.space(), random); });
}

const gp::Hyperparameters& GpSampler::hyperparameters() {
  if (!fitted_) fitted_ = gp::fit(fitted_to_);
  return *fitted_;
}

/// Trials with a result, in the order they were started: all, or the best and the latest of them.
std::vector<std::uint32_t> GpSampler::chosen() const {
  std::vector<std::uint32_t> seen = history_.seen_trials();
  if (seen.size() <= options_.most_trials) return seen;
  const auto half = static_cast<std::ptrdiff_t>(options_.most_trials / 2);
  const auto& ranked = history_.ranked();
  std::set<std::uint32_t> out(seen.end() - half, seen.end());
  for (std::size_t i = 0; i < ranked.size() && out.size() < options_.most_trials; ++i) out.insert(ranked[i]);
  return {out.begin(), out.end()};
}

gp::Limit GpSampler::limit(std::size_t bound, const std::vector<std::uint32_t>& trials,
                           const std::vector<Coordinates>& under_way) {
  auto& fitted = bounds_fitted_[bound];
  if (!fitted) fitted = gp::fit(bounds_to_[bound]);
  auto [values, zero] = standardised(excesses(history_, bound, trials));
  const Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(static_cast<Index>(under_way.size()), 1);
  return {gp::Process(data_of(trials, std::move(values)), *fitted, under_way, expected), zero};
}

gp::Bounds GpSampler::bounds(const std::vector<Coordinates>& under_way) {
  gp::Bounds out;
  if (bounds_to_.empty()) return out;
  const auto trials = chosen();
  for (std::size_t b = 0; b < bounds_to_.size(); ++b) out.limits.push_back(limit(b, trials, under_way));
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const bool is_feasible = history_.is_ranked(trials[i]) && history_.score(trials[i]).is_feasible();
    if (is_feasible) out.feasible.push_back(static_cast<Index>(i));
  }
  return out;
}

gp::Data GpSampler::data() const {
  const auto trials = chosen();
  return data_of(trials, values_of(trials));
}

gp::Data GpSampler::data_of(const std::vector<std::uint32_t>& trials, Eigen::VectorXd values) const {
  const auto& axes = history_.axes();
  gp::Data data{axes, Eigen::MatrixXd(trials.size(), axes.size()), std::move(values)};
  for (std::size_t a = 0; a < axes.size(); ++a) {
    for (std::size_t i = 0; i < trials.size(); ++i) {
      data.points(static_cast<Index>(i), static_cast<Index>(a)) = history_.column(a)[trials[i]];
    }
  }
  return data;
}

Eigen::VectorXd GpSampler::values_of(const std::vector<std::uint32_t>& trials) const {
  if (history_.is_mixed()) {
    std::vector<Index> order(trials.size());
    for (std::size_t i = 0; i < trials.size(); ++i) order[i] = static_cast<Index>(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return history_.is_before(trials[a], trials[b]); });
    return gp::normal_scores(order);
  }
  if (history_.ranked().empty()) return Eigen::VectorXd::Zero(static_cast<Index>(trials.size()));  // all failed
  double worst = history_.objective(history_.ranked().front());
  for (const std::uint32_t trial : history_.ranked()) worst = std::max(worst, history_.objective(trial));
  Eigen::VectorXd values(trials.size());
  for (std::size_t i = 0; i < trials.size(); ++i) {
    values[static_cast<Index>(i)] = history_.is_ranked(trials[i]) ? history_.objective(trials[i]) : worst;
  }
  return gp::warped(values);
}

std::vector<Coordinates> GpSampler::pending() const {
  std::vector<Coordinates> out;
  for (const std::uint32_t trial : history_.pending_trials()) out.push_back(history_.coordinates(trial));
  return out;
}

std::vector<space::Values> GpSampler::best_trials() const {
  const auto& ranked = history_.ranked();
  std::vector<space::Values> out;
  for (std::size_t i = 0; i < ranked.size() && i < options_.around; ++i) out.push_back(values_[ranked[i]]);
  return out;
}

}  // namespace dlrun::samplers
