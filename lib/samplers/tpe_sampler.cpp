// SPDX-License-Identifier: Apache-2.0
#include "samplers/tpe_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pareto/hypervolume.hpp"
#include "samplers/earlier.hpp"
#include "samplers/first_point.hpp"
#include "util/arithmetic.hpp"

namespace dlrun::samplers {

namespace {

/// Is a trial of the sample that keeps one of 2^halvings? The same trials stay in it from one proposal to the next.
bool is_kept(std::uint32_t trial, int halvings) {
  return halvings == 0 || (trial * 0x9e3779b9u) >> (32 - halvings) == 0;
}

std::vector<pareto::Point> points_of(const History& history, const std::vector<std::uint32_t>& trials) {
  std::vector<pareto::Point> points;
  points.reserve(trials.size());
  for (const std::uint32_t trial : trials) points.push_back(history.score(trial).values);
  return points;
}

/// Constraints may move a draw to another branch.
bool is_same_branch(const std::vector<Axis>& axes, const space::Values& a, const space::Values& b) {
  return std::all_of(axes.begin(), axes.end(),
                     [&](const Axis& axis) { return !axis.is_branching || a[axis.parameter] == b[axis.parameter]; });
}

}  // namespace

TpeSampler::TpeSampler(const space::Space& space, std::uint64_t seed, const TpeOptions& options)
    : options_(options), untried_(space), seed_(seed), history_(space), first_(space.size(), seed) {}

void TpeSampler::learn(const std::vector<Observation>& trials) {
  for (const Observation& trial : trials) history_.add_earlier(trial.values);
  const auto share = static_cast<std::size_t>(std::ceil(options_.wide_share * static_cast<double>(trials.size())));
  const History ranked = history_of(untried_.space(), trials);
  const std::size_t count = std::min({share, options_.most_good, ranked.ranked().size()});
  for (std::size_t i = 0; i < count; ++i)
    earlier_good_.push_back(static_cast<std::uint32_t>(earlier_) + ranked.ranked()[i]);
  std::sort(earlier_good_.begin(), earlier_good_.end());
  earlier_ += trials.size();
}

void TpeSampler::on_start(trial::TrialId trial, const space::Values& values) {
  history_.on_start(trial, values);
  if (!options_.may_repeat) untried_.insert(values);
}

std::optional<space::Values> TpeSampler::propose(std::int64_t number) {
  if (untried_.is_used_up()) {
    reason_ = untried_.used_up();
    return std::nullopt;
  }
  RandomStream random(seed_, {"sampler", name(), std::to_string(number)});
  const std::size_t own = history_.size() - earlier_;
  const bool is_taught = !earlier_good_.empty() && own % 2 == 0;
  const bool is_known = is_taught || (history_.seen() >= options_.startup && history_.ranked().size() >= 2);
  return is_known ? by_model(random) : first_points(random);
}

space::Values TpeSampler::first_points(RandomStream& random) {
  reason_ = fmt::format("quasi-random: {} of {} results", history_.seen(), options_.startup);
  return first_point(untried_, first_, history_.size(), random, reason_);
}

space::Values TpeSampler::by_model(RandomStream& random) {
  const auto peers = comparable();
  const auto own = good_trials(peers);
  auto good = earlier_good_;
  good.insert(good.end(), own.begin(), own.end());
  const auto rest = other_trials(good);
  const auto is_earlier = [&](std::uint32_t trial) { return trial < earlier_; };
  const auto earlier_rest = static_cast<std::size_t>(std::count_if(rest.begin(), rest.end(), is_earlier));
  const Parzen l(history_, good, options_.good, nullptr,
                 with_earlier(earlier_good_.size(), own.size(), weights_of(own)));
  const Parzen g(history_, rest, options_.rest, &cache_, with_earlier(earlier_rest, rest.size() - earlier_rest, {}));
  const Model model{l, g};
  std::string remark;
  auto values = pick(model, random, remark);
  const bool is_again = draws_ > options_.candidates;
  reason_ = fmt::format("the likeliest{} of {} draws to be like the best {} of {} trials",
                        is_again ? " untried one" : "", draws_, own.size(), history_.seen());
  if (earlier_ > 0) reason_ += fmt::format(" and {} of {} earlier ones", earlier_good_.size(), earlier_);
  if (history_.is_mixed()) reason_ += fmt::format(", by the {} that came furthest", peers.size());
  const double ratio = log_ratio(model, values);
  reason_ += fmt::format("; density ratio {:.3g}", arithmetic::exp(ratio)) + remark;
  if (remark.empty() && rival_ && rival_->values != values)
    reason_ += ahead_of(untried_.space(), values, ratio, *rival_);
  return values;
}

double TpeSampler::log_ratio(const Model& model, const space::Values& values) const {
  const Coordinates point = coordinates_of(untried_.space(), history_.axes(), values);
  if (options_.is_joint) return model.good.log_density(point) - model.rest.log_density(point);
  double sum = 0;
  for (std::size_t a = 0; a < point.size(); ++a) {
    if (!std::isnan(point[a])) sum += model.good.log_density(a, point[a]) - model.rest.log_density(a, point[a]);
  }
  return sum;
}

/// Under a pruner those of one budget are compared: whole trials of a bracket that began at a late rung went on without
/// a choice, so they are no better for being whole.
std::vector<std::uint32_t> TpeSampler::comparable() const {
  std::vector<std::uint32_t> peers;
  if (history_.is_mixed() && !history_.has_several())
    peers = history_.ranked_at_largest_budget(std::max<std::size_t>(options_.startup, 2));
  return peers.empty() ? history_.ranked() : peers;
}

std::vector<std::uint32_t> TpeSampler::good_trials(const std::vector<std::uint32_t>& peers) const {
  const std::size_t seen = history_.is_mixed() ? peers.size() : history_.seen();
  const double share = history_.has_several() ? options_.wide_share : options_.share;
  const auto part = static_cast<std::size_t>(std::ceil(share * static_cast<double>(seen)));
  const std::size_t count = std::min({part, options_.most_good, peers.size()});
  std::vector<std::uint32_t> good(peers.begin(), peers.begin() + static_cast<std::ptrdiff_t>(count));
  if (history_.has_several()) good = good_fronts(count);
  std::sort(good.begin(), good.end());
  return good;
}

/// Whole fronts, and of the one that does not fit the trials whose hypervolume is largest together.
std::vector<std::uint32_t> TpeSampler::good_fronts(std::size_t count) const {
  std::vector<std::uint32_t> good;
  for (const auto& tier : history_.tiers_of(history_.ranked())) {
    const std::size_t room = count - good.size();
    if (tier.size() <= room) {
      good.insert(good.end(), tier.begin(), tier.end());
      continue;
    }
    const auto points = points_of(history_, tier);
    for (const std::size_t k : pareto::subset(points, pareto::beyond_worst(points), room)) good.push_back(tier[k]);
    break;
  }
  return good;
}

/// Weights by the hypervolume that each trial adds; an infeasible one adds nothing. Empty: all weigh the same.
std::vector<double> TpeSampler::weights_of(const std::vector<std::uint32_t>& good) const {
  if (!history_.has_several()) return {};
  std::vector<std::uint32_t> feasible;
  for (const std::uint32_t trial : good) {
    if (history_.score(trial).is_feasible()) feasible.push_back(trial);
  }
  if (feasible.empty()) return {};
  const auto points = points_of(history_, feasible);
  const auto added = pareto::contributions(points, pareto::beyond_worst(points));
  const double most = *std::max_element(added.begin(), added.end());
  std::vector<double> weights;
  std::size_t next = 0;
  for (const std::uint32_t trial : good) {
    const double share = !history_.score(trial).is_feasible() ? 0 : most > 0 ? added[next] / most : 1;
    if (history_.score(trial).is_feasible()) ++next;
    weights.push_back(std::max(share, options_.least_weight));
  }
  return weights;
}

std::vector<double> TpeSampler::with_earlier(std::size_t earlier, std::size_t own, std::vector<double> weights) const {
  if (earlier == 0) return weights;
  if (weights.empty()) weights.assign(own, 1);
  const double faded = arithmetic::exp2(-static_cast<double>(history_.seen()) / options_.lesson);
  weights.insert(weights.begin(), earlier, faded);
  return weights;
}

std::vector<std::uint32_t> TpeSampler::other_trials(const std::vector<std::uint32_t>& good) const {
  int halvings = 0;
  while (history_.size() >> halvings > options_.most_rest) ++halvings;
  std::vector<std::uint32_t> rest;
  auto next_good = good.begin();
  for (std::uint32_t trial = 0; trial < history_.size(); ++trial) {
    if (next_good != good.end() && *next_good == trial) {
      ++next_good;
    } else if (is_kept(trial, halvings)) {
      rest.push_back(trial);
    }
  }
  return rest;
}

space::Values TpeSampler::pick(const Model& model, RandomStream& random, std::string& remark) {
  draws_ = options_.candidates;
  rival_.reset();
  bool was_tried = false;
  const auto draw = [&] {
    if (was_tried) draws_ += options_.candidates;
    auto values = options_.is_joint || was_tried ? draw_untried(model, random) : draw_singly(model, random);
    was_tried = untried_.was_tried(values);
    return values;
  };
  return untried_.pick(random, draw, remark);
}

space::Values TpeSampler::draw_untried(const Model& model, RandomStream& random) {
  const auto& axes = history_.axes();
  space::Values first;
  std::optional<Rival> best;
  rival_.reset();
  for (int i = 0; i < options_.candidates; ++i) {
    auto values = draw_whole(model, i > 0 ? &first : nullptr, random);
    if (!untried_.is_allowed(values)) values = untried_.moved(values, random);
    if (i == 0) first = values;
    if (!is_same_branch(axes, values, first) || untried_.was_tried(values)) continue;
    const double score = log_ratio(model, values);
    if (best && !(score > best->log_score)) {
      if (values != best->values && (!rival_ || score > rival_->log_score)) rival_ = {std::move(values), score};
      continue;
    }
    if (best) rival_ = std::move(best);
    best = {std::move(values), score};
  }
  return best ? best->values : first;
}

space::Values TpeSampler::draw_whole(const Model& model, const space::Values* branch, RandomStream& random) const {
  const space::Space& space = untried_.space();
  const auto& axes = history_.axes();
  const std::size_t shared = options_.is_joint ? model.good.draw_kernel(random) : 0;
  return build(space, axes, [&](std::size_t a) {
    if (axes[a].is_branching && branch != nullptr) return (*branch)[axes[a].parameter];
    const std::size_t kernel = options_.is_joint ? shared : model.good.draw_kernel(random);
    return value_at(space, axes[a], model.good.draw(a, kernel, random));
  });
}

space::Values TpeSampler::draw_singly(const Model& model, RandomStream& random) const {
  return build(untried_.space(), history_.axes(), [&](std::size_t axis) { return draw_axis(model, axis, random); });
}

space::Value TpeSampler::draw_axis(const Model& model, std::size_t axis, RandomStream& random) const {
  const Axis& a = history_.axes()[axis];
  space::Value best;
  double most = 0;
  const int candidates = a.is_branching ? 1 : options_.candidates;
  for (int i = 0; i < candidates; ++i) {
    const auto value = value_at(untried_.space(), a, model.good.draw(axis, model.good.draw_kernel(random), random));
    const double x = coordinate_of(untried_.space(), a, value);
    const double score = model.good.log_density(axis, x) - model.rest.log_density(axis, x);
    if (i > 0 && !(score > most)) continue;
    most = score;
    best = value;
  }
  return best;
}

}  // namespace dlrun::samplers
