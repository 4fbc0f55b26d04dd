// SPDX-License-Identifier: Apache-2.0
#include "samplers/cma_es_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "samplers/earlier.hpp"
#include "samplers/sequence.hpp"
#include "statistics/normal.hpp"
#include "util/arithmetic.hpp"
#include "util/json.hpp"

namespace dlrun::samplers {

namespace {

using Eigen::VectorXd;
using space::Space;
using space::Values;

std::vector<Axis> numeric_axes(const Space& space) {
  auto axes = axes_of(space);
  std::erase_if(axes, [](const Axis& a) { return a.is_categorical || a.is_conditional || a.is_branching; });
  return axes;
}

/// Parameters that are not among `axes`; what they depend on is not either.
std::vector<std::size_t> others_of(const Space& space, const std::vector<Axis>& axes) {
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (std::none_of(axes.begin(), axes.end(), [&](const Axis& a) { return a.parameter == i; })) others.push_back(i);
  }
  return others;
}

/// Constraints that name no other parameters, in the numbers of the part. The rest is kept by the whole point.
std::vector<space::Constraint> constraints_within(const Space& space, const std::vector<std::size_t>& which) {
  std::vector<space::Constraint> out;
  for (space::Constraint constraint : space.constraints()) {
    bool is_within = true;
    const auto renumber = [&](std::size_t& parameter) {
      const auto place = std::find(which.begin(), which.end(), parameter);
      is_within &= place != which.end();
      parameter = static_cast<std::size_t>(place - which.begin());
    };
    if (auto* sum = std::get_if<space::Linear>(&constraint.rule)) {
      for (space::Term& term : sum->terms) renumber(term.parameter);
    } else {
      for (space::Clause& clause : std::get<space::Forbidden>(constraint.rule).all_of) renumber(clause.parameter);
    }
    if (is_within) out.push_back(std::move(constraint));
  }
  return out;
}

Space part_of(const Space& space, const std::vector<std::size_t>& which) {
  std::vector<space::Parameter> parameters;
  for (const std::size_t i : which) {
    space::Parameter p = space.parameters()[i];
    for (space::Condition& condition : p.when) {
      condition.parameter = std::find(which.begin(), which.end(), condition.parameter) - which.begin();
    }
    parameters.push_back(std::move(p));
  }
  return Space(std::move(parameters), constraints_within(space, which));
}

int lambda_for(std::size_t axes) { return 4 + static_cast<int>(3 * arithmetic::log(static_cast<double>(axes))); }

constexpr double kLeastChance = 1e-12;  // probability of a normal draw below -7

VectorXd normal_of(const VectorXd& point) {
  return point.unaryExpr([](double u) { return statistics::normal_quantile(std::clamp(u, kLeastChance, kBelowOne)); });
}

VectorXd random_point(RandomStream& random, std::size_t dimensions) {
  VectorXd point(dimensions);
  for (double& u : point) u = random.uniform();
  return point;
}

}  // namespace

CmaEsSampler::CmaEsSampler(const Space& space, std::uint64_t seed, const CmaEsOptions& options)
    : options_(options),
      untried_(space),
      seed_(seed),
      history_(space),
      axes_(numeric_axes(space)),
      inner_(others_of(space, axes_)),
      points_(axes_.size(), seed) {
  if (inner_.empty()) return;
  other_ = std::make_unique<TpeSampler>(part_of(space, inner_), seed, TpeOptions{.may_repeat = true});
}

void CmaEsSampler::learn(const std::vector<Observation>& trials) {
  std::vector<Observation> inner;
  for (const Observation& trial : trials) {
    inner.push_back(trial);
    inner.back().values.clear();
    for (const std::size_t i : inner_) inner.back().values.push_back(trial.values[i]);
  }
  if (other_) other_->learn(inner);
  const History history = history_of(untried_.space(), trials);
  double rank = 0;
  for (const std::uint32_t i : history.ranked()) {
    const VectorXd x = place_of(trials[i].values);
    if (!x.hasNaN()) earlier_.emplace_back(rank / static_cast<double>(trials.size()), x);
    ++rank;
  }
  std::stable_sort(earlier_.begin(), earlier_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (!axes_.empty() && !earlier_.empty()) begin_from_earlier();
}

void CmaEsSampler::begin_from_earlier() {
  const auto share = static_cast<std::size_t>(std::ceil(options_.share * static_cast<double>(earlier_.size())));
  const std::size_t count = std::min(std::max(share, static_cast<std::size_t>(options_.averaged)), earlier_.size());
  VectorXd mean = VectorXd::Zero(static_cast<Eigen::Index>(axes_.size()));
  for (std::size_t i = 0; i < count; ++i) mean += earlier_[i].second / static_cast<double>(count);
  double variance = options_.around * options_.around;
  for (std::size_t i = 0; i < count; ++i)
    variance += (earlier_[i].second - mean).squaredNorm() / static_cast<double>(count * axes_.size());
  runs_ = 0;
  begin_run(mean, std::min(std::sqrt(variance), options_.sigma), lambda_for(axes_.size()));
  keep_margins();
}

/// Coordinates of the distribution's axes; NaN where a value is unset.
VectorXd CmaEsSampler::place_of(const Values& values) const {
  VectorXd x(axes_.size());
  for (std::size_t a = 0; a < axes_.size(); ++a)
    x(static_cast<Eigen::Index>(a)) = coordinate_of(untried_.space(), axes_[a], values[axes_[a].parameter]);
  return x;
}

void CmaEsSampler::on_start(trial::TrialId trial, const Values& values) {
  const Draw& own = upcoming();
  const Draw started = draw_of(values);
  const bool is_own = own.values == started.values;  // else a person's, or drawn anew
  own_ += is_own;
  members_.push_back({is_own ? own.x : started.x, is_own ? version_ : -1});
  history_.on_start(trial, values);
  untried_.insert(values);
  upcoming_.reset();
  if (!other_) return;
  Values others;
  for (const std::size_t i : inner_) others.push_back(values[i]);
  other_->on_start(trial, others);
}

void CmaEsSampler::on_result(const Observation& observation) {
  history_.on_result(observation);
  if (other_) other_->on_result(observation);
  if (!axes_.empty()) learn_generations();
}

std::optional<Values> CmaEsSampler::propose(std::int64_t number) {
  if (untried_.is_used_up()) {
    reason_ = untried_.used_up();
    return std::nullopt;
  }
  Values others;
  if (other_) others = *other_->propose(number);
  reason_ = distribution_ ? fmt::format("run {}, generation {}, sigma {:.2g} of the space", runs_, version_,
                                        distribution_->sigma())
                          : "quasi-random: a first mean is looked for";
  RandomStream random(seed_, {"sampler", name(), "again", std::to_string(number)});
  bool is_first = true;
  const auto next = [&] {
    const Draw own = is_first ? upcoming() : draw(random_point(random, axes_.size()));
    is_first = false;
    return completed(own, others);
  };
  return untried_.pick(random, next, reason_);
}

Values CmaEsSampler::completed(const Draw& draw, const Values& others) const {
  Values values(untried_.space().size());
  for (std::size_t i = 0; i < inner_.size(); ++i) values[inner_[i]] = others[i];
  for (std::size_t a = 0; a < axes_.size(); ++a) values[axes_[a].parameter] = draw.values[a];
  return values;
}

CmaEsSampler::Draw CmaEsSampler::draw_of(const Values& values) const {
  Draw draw{place_of(values), {}};
  for (const Axis& axis : axes_) draw.values.push_back(values[axis.parameter]);
  return draw;
}

const CmaEsSampler::Draw& CmaEsSampler::upcoming() {
  if (upcoming_) return *upcoming_;
  const auto point = points_.point(distribution_ ? own_ : history_.size());
  return upcoming_.emplace(draw(Eigen::Map<const VectorXd>(point.data(), static_cast<Eigen::Index>(point.size()))));
}

CmaEsSampler::Draw CmaEsSampler::draw(const VectorXd& point) const {
  const VectorXd x = distribution_ ? distribution_->at(normal_of(point)) : point;
  Draw draw{x.cwiseMax(0).cwiseMin(kBelowOne), {}};
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    draw.values.push_back(value_at(untried_.space(), axes_[a], draw.x(static_cast<Eigen::Index>(a))));
  }
  return draw;
}

/// Takes in every generation whose trials are all visible.
void CmaEsSampler::learn_generations() {
  for (;;) {
    const std::size_t count = distribution_ ? distribution_->lambda() : options_.first;
    if (members_.size() < count) return;
    for (std::size_t i = 0; i < count; ++i) {
      if (!history_.is_seen(begin_ + i)) return;
    }
    const auto order = ranked(count);
    if (distribution_) {
      std::vector<CmaPoint> points;
      for (const std::size_t i : order) points.push_back({members_[i].x, members_[i].version == version_});
      distribution_->update(points);
      drop(static_cast<std::size_t>(options_.fresh));
    } else {
      VectorXd mean = VectorXd::Zero(static_cast<Eigen::Index>(axes_.size()));
      for (int i = 0; i < options_.averaged; ++i) mean += members_[order[i]].x / options_.averaged;
      begin_run(mean, options_.sigma, lambda_for(axes_.size()));
      drop(count);
    }
    if (distribution_->has_converged(options_.tolerance)) restart();
    keep_margins();
    ++version_;
    upcoming_.reset();
  }
}

/// Places among the first `count` members, the best first; those without a value last, in their order.
std::vector<std::size_t> CmaEsSampler::ranked(std::size_t count) const {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return history_.is_before(static_cast<std::uint32_t>(begin_ + a), static_cast<std::uint32_t>(begin_ + b));
  });
  return order;
}

void CmaEsSampler::begin_run(const VectorXd& mean, double sigma, int lambda) {
  ++runs_;
  distribution_.emplace(mean, sigma, lambda, options_.fresh);
}

/// Trials under way belong to what has converged; they say nothing of the new place.
void CmaEsSampler::restart() {
  RandomStream random(seed_, {"sampler", name(), "restart", std::to_string(runs_)});
  begin_run(random_point(random, axes_.size()), options_.sigma, 2 * distribution_->lambda());
  drop(members_.size());
}

void CmaEsSampler::drop(std::size_t count) {
  begin_ += count;
  members_.erase(members_.begin(), members_.begin() + static_cast<std::ptrdiff_t>(count));
}

void CmaEsSampler::keep_margins() {
  const Space& space = untried_.space();
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    if (axes_[a].count == 0) continue;
    const std::size_t p = axes_[a].parameter;
    const double mean = std::clamp(distribution_->mean()(static_cast<Eigen::Index>(a)), 0.0, kBelowOne);
    const auto value = space.from_unit(p, mean);
    const auto [low, high] = space.share(p, value);
    const std::int64_t k = space.index_of(p, value);
    distribution_->keep_margin(static_cast<int>(a),
                               {k == 0 ? kInactive : low, k + 1 == axes_[a].count ? kInactive : high});
  }
}

}  // namespace dlrun::samplers
