// SPDX-License-Identifier: Apache-2.0
#include "samplers/gp_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "samplers/earlier.hpp"
#include "samplers/first_point.hpp"
#include "samplers/gp/fit.hpp"
#include "samplers/gp/improvement.hpp"
#include "samplers/gp/warp.hpp"
#include "samplers/rival.hpp"
#include "util/arithmetic.hpp"

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

/// Normal scores by the order of a history: of all trials with a result, or of some of them. Values of different
/// budgets are compared by what they would come to at the largest, where that can be said.
Eigen::VectorXd scores_of(const History& history, const std::vector<std::uint32_t>& trials) {
  const std::vector<double> projected = history.is_mixed() ? history.projected() : std::vector<double>{};
  const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
    if (projected.empty() || !history.is_ranked(a) || !history.is_ranked(b)) return history.is_before(a, b);
    const bool a_feasible = history.score(a).is_feasible(), b_feasible = history.score(b).is_feasible();
    if (!a_feasible || !b_feasible) return history.is_before(a, b);
    return std::pair(projected[a], a) < std::pair(projected[b], b);
  };
  std::vector<Index> order(trials.size());
  for (std::size_t i = 0; i < trials.size(); ++i) order[i] = static_cast<Index>(i);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return is_before(trials[a], trials[b]); });
  return gp::normal_scores(order);
}

/// Objectives; failed trials as the worst of all.
Eigen::VectorXd objectives_of(const History& history, const std::vector<std::uint32_t>& trials, double worst) {
  for (const std::uint32_t trial : history.ranked()) worst = std::max(worst, history.objective(trial));
  Eigen::VectorXd values(trials.size());
  for (std::size_t i = 0; i < trials.size(); ++i) {
    values[static_cast<Index>(i)] = history.is_ranked(trials[i]) ? history.objective(trials[i]) : worst;
  }
  return values;
}

/// Trials with a result, in the order they were started: all, or the best and the latest of them.
std::vector<std::uint32_t> chosen_of(const History& history, std::size_t most) {
  std::vector<std::uint32_t> seen = history.seen_trials();
  if (seen.size() <= most) return seen;
  const auto half = static_cast<std::ptrdiff_t>(most / 2);
  const auto& ranked = history.ranked();
  std::set<std::uint32_t> out(seen.end() - half, seen.end());
  for (std::size_t i = 0; i < ranked.size() && out.size() < most; ++i) out.insert(ranked[i]);
  return {out.begin(), out.end()};
}

struct Standardised {
  Eigen::VectorXd values;
  double zero;  ///< standardised value of 0
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

void GpSampler::learn(const std::vector<Observation>& trials) {
  const History history = history_of(untried_.space(), trials);
  const auto chosen = chosen_of(history, options_.most_earlier);
  const auto& ranked = history.ranked();
  if (ranked.empty()) return;
  const Eigen::VectorXd values = objectives_of(history, chosen, history.objective(ranked.front()));
  const Eigen::VectorXd scores = scores_of(history, chosen);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto row = static_cast<Index>(i);
    earlier_.push_back({history_.add_earlier(trials[chosen[i]].values), studies_, values[row], scores[row]});
    values_.push_back(trials[chosen[i]].values);
  }
  for (std::size_t i = 0; i < ranked.size() && i < options_.around; ++i)
    best_earlier_.push_back(trials[ranked[i]].values);
  ++studies_;
  has_paused_earlier_ |= history.is_mixed();
  fitted_to_ = data();
  fitted_.reset();
}

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
  if (!is_due || (earlier_.empty() && (history_.size() < options_.startup || history_.seen() < options_.fewest)))
    return;
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
  improvement_.reset();
  if (untried_.is_used_up()) {
    reason_ = untried_.used_up();
    return std::nullopt;
  }
  RandomStream random(seed_, {"sampler", name(), std::to_string(number)});
  if (earlier_.empty() && (fitted_at_ == 0 || history_.ranked().size() < 2)) {
    reason_ = "quasi-random: too few results to learn from";
    return first_point(untried_, startup_, history_.size(), random, reason_);
  }
  const auto under_way = pending();
  Eigen::MatrixXd normals(under_way.size(), under_way.empty() ? 1 : options_.fantasies);
  for (double& normal : normals.reshaped()) normal = random.normal();
  const gp::Process process(data(), hyperparameters(), under_way, normals);
  const gp::Bounds limits = bounds(under_way);
  const auto found = gp::search(untried_, process, best_trials(), random, options_.search, limits);
  auto values = found.empty() ? random_point(random) : found.front().values;
  improvement_ = improvement_of(values, process, limits);
  reason_ = fmt::format("{} after {} results, {} under way", promise(found), history_.seen(), under_way.size());
  if (!earlier_.empty()) reason_ += fmt::format(", and {} earlier trials", earlier_.size());
  if (found.empty()) reason_ += Untried::kRandom;
  const auto is_rival = [&](const gp::Found& one) { return is_elsewhere(untried_.space(), one.values, values); };
  const auto rival = std::find_if(found.begin(), found.end(), is_rival);
  if (rival != found.end())
    reason_ += ahead_of(untried_.space(), values, found.front().log_ei, {rival->values, rival->log_ei});
  return values;
}

space::Values GpSampler::random_point(RandomStream& random) {
  std::string remark;  // says of random points that they are random
  return untried_.pick(
      random, [&] { return untried_.draw(random); }, remark);
}

/// Promise of a proposal for `explain`, of a random one too.
std::string GpSampler::promise(const std::vector<gp::Found>& found) const {
  if (improvement_) return fmt::format("expected improvement {:.3g}", *improvement_);
  return found.empty() ? "a point" : fmt::format("log expected improvement {:.3g}", found.front().log_ei);
}

std::optional<double> GpSampler::improvement_of(const space::Values& values, const gp::Process& process,
                                                const gp::Bounds& bounds) const {
  const bool has_best = !history_.ranked().empty() && (bounds.limits.empty() || !bounds.feasible.empty());
  if (is_by_rank() || !has_best) return std::nullopt;
  const Coordinates point = coordinates_of(untried_.space(), process.data().axes, values);
  const double likelihood = arithmetic::exp(gp::log_feasibility(bounds.limits, point));
  return likelihood * gp::improvement(process.at(point, false), gp::least_means(process, bounds), warp_);
}

const gp::Hyperparameters& GpSampler::hyperparameters() {
  if (!fitted_) fitted_ = gp::fit(fitted_to_);
  return *fitted_;
}

std::vector<std::uint32_t> GpSampler::chosen() const { return chosen_of(history_, options_.most_trials); }

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
    if (is_feasible) out.feasible.push_back(static_cast<Index>(earlier_.size() + i));
  }
  return out;
}

gp::Data GpSampler::data() {
  const auto trials = chosen();
  return data_of(trials, values_of(trials), earlier_);
}

/// Axes of the space, and the study where there are several: a choice that is not active in this one.
std::vector<Axis> GpSampler::axes() const {
  std::vector<Axis> axes = history_.axes();
  if (!earlier_.empty()) axes.push_back({untried_.space().size(), 0, true, true, false});
  return axes;
}

gp::Data GpSampler::data_of(const std::vector<std::uint32_t>& trials, Eigen::VectorXd values,
                            const std::vector<Earlier>& earlier) const {
  std::vector<std::uint32_t> all;
  for (const Earlier& one : earlier) all.push_back(one.trial);
  all.insert(all.end(), trials.begin(), trials.end());
  const std::vector<Axis> axes = this->axes();
  gp::Data data{axes, Eigen::MatrixXd::Constant(all.size(), axes.size(), kInactive), std::move(values),
                static_cast<Index>(earlier.size())};
  for (std::size_t a = 0; a < history_.axes().size(); ++a) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      data.points(static_cast<Index>(i), static_cast<Index>(a)) = history_.column(a)[all[i]];
    }
  }
  for (std::size_t i = 0; i < earlier.size(); ++i)
    data.points(static_cast<Index>(i), data.points.cols() - 1) = earlier[i].study;
  return data;
}

Eigen::VectorXd GpSampler::values_of(const std::vector<std::uint32_t>& trials) {
  const auto count = static_cast<Index>(earlier_.size());
  Eigen::VectorXd values(count + static_cast<Index>(trials.size()));
  if (is_by_rank()) {
    for (Index i = 0; i < count; ++i) values[i] = earlier_[i].score;
    values.tail(trials.size()) = scores_of(history_, trials);
    return values;
  }
  if (history_.ranked().empty() && count == 0) return Eigen::VectorXd::Zero(values.size());  // all failed
  const Eigen::VectorXd plain = plain_values(trials);
  warp_ = gp::warp_for(plain);
  return warp_.of(plain);
}

Eigen::VectorXd GpSampler::plain_values(const std::vector<std::uint32_t>& trials) const {
  const auto count = static_cast<Index>(earlier_.size());
  Eigen::VectorXd values(count + static_cast<Index>(trials.size()));
  for (Index i = 0; i < count; ++i) values[i] = earlier_[i].value;
  const double worst = count > 0 ? values.head(count).maxCoeff() : -std::numeric_limits<double>::infinity();
  values.tail(trials.size()) = objectives_of(history_, trials, worst);
  return values;
}

std::vector<Coordinates> GpSampler::pending() const {
  std::vector<Coordinates> out;
  for (const std::uint32_t trial : history_.pending_trials()) {
    out.push_back(history_.coordinates(trial));
    if (!earlier_.empty()) out.back().push_back(kInactive);
  }
  return out;
}

std::vector<space::Values> GpSampler::best_trials() const {
  const auto& ranked = history_.ranked();
  std::vector<space::Values> out;
  for (std::size_t i = 0; i < ranked.size() && i < options_.around; ++i) out.push_back(values_[ranked[i]]);
  out.insert(out.end(), best_earlier_.begin(), best_earlier_.end());
  return out;
}

}  // namespace dlrun::samplers
