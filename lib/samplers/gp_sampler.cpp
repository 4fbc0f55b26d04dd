// SPDX-License-Identifier: Apache-2.0
#include "samplers/gp_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "samplers/first_point.hpp"
#include "samplers/gp/fit.hpp"
#include "samplers/gp/warp.hpp"

namespace dlrun::samplers {

using Eigen::Index;

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
  const auto found = gp::search(untried_.space(), process, best_trials(), random, options_.search);
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

gp::Data GpSampler::data() const {
  const auto trials = chosen();
  const auto& axes = history_.axes();
  gp::Data data{axes, Eigen::MatrixXd(trials.size(), axes.size()), values_of(trials)};
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
  const double worst = history_.objective(history_.ranked().back());
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
