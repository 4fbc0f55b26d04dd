// SPDX-License-Identifier: Apache-2.0
#include "study/proposer.hpp"

#include <algorithm>
#include <iterator>

#include "space/asked.hpp"
#include "space/feasible_draw.hpp"
#include "util/error.hpp"

namespace dlrun::study {

namespace {

bool is_unset(const space::Value& value) { return std::holds_alternative<std::monostate>(value); }

/// Is every set value in its domain, and are the constraints kept?
bool is_inside(const space::Space& space, const space::Values& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_unset(values[i]) && !space.contains(i, values[i])) return false;
  }
  return space.satisfies(values);
}

/// A point that keeps the constraints, close to `near`, else drawn. It has all values that are set in `asked`; nobody
/// tried it before, unless no such point is found in time.
space::Values feasible_point(const space::Values& asked, const space::Values& near, std::int64_t number,
                             const Points& points) {
  constexpr int kDraws = 64;
  std::vector<bool> is_asked;
  for (const space::Value& value : asked) is_asked.push_back(!is_unset(value));
  RandomStream random(points.seed, {"sampler", "asked", std::to_string(number)});
  const space::FeasibleDraw feasible(points.space);
  auto found = feasible.moved(near, random, is_asked);
  for (int i = 0; i < kDraws && (!found || points.trials.contains(*found)); ++i) {
    found = feasible.moved(asked, random, is_asked);
  }
  if (!found) found = feasible.completed(asked);  // there was one when a person asked for it
  if (!found) throw Error(ErrorKind::usage, "no point with the values that were asked for keeps the constraints");
  return *found;
}

}  // namespace

void Proposer::learn(const std::vector<samplers::Observation>& trials) {
  sampler_->learn(trials);
  told_.learn(trials);
}

void Proposer::start(trial::TrialId id, const space::Values& values) {
  sampler_->on_start(id, values);
  told_.start(id);
}

void Proposer::hear(const samplers::Observation& seen) {
  told_.result(seen);
  sampler_->on_result(seen);
}

std::optional<Proposal> Proposer::propose(std::int64_t number, std::optional<double> least) {
  forget_promise();
  auto values = sampler_->propose(number);
  if (!values) return std::nullopt;
  const auto promised = sampler_->expected_improvement();
  if (least && promised && *promised < *least) too_little_ = promised;
  if (too_little_) return std::nullopt;
  return Proposal{std::move(*values), sampler_->reason()};
}

Proposal Proposer::complete(const space::Values& asked, std::int64_t number, const Points& points) {
  if (space::is_complete(points.space, asked)) return {asked, "asked for"};
  space::Values values = asked;
  const auto proposed = sampler_->propose(number);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_unset(asked[i]) && proposed) values[i] = (*proposed)[i];
  }
  std::string reason = proposed ? "asked for; the rest by the sampler" : "asked for; the rest by chance";
  if (proposed && !sampler_->reason().empty()) reason += ": " + sampler_->reason();
  return {feasible_point(asked, values, number, points), reason};
}

void Proposer::replace(std::unique_ptr<samplers::Sampler> sampler, const Points& points) {
  sampler_ = std::move(sampler);
  for (const auto& lesson : told_.lessons()) {
    std::vector<samplers::Observation> inside;
    std::copy_if(lesson.begin(), lesson.end(), std::back_inserter(inside),
                 [&](const samplers::Observation& seen) { return is_inside(points.space, seen.values); });
    sampler_->learn(inside);
  }
  told_.repeat(
      [&](trial::TrialId id) {
        const space::Values values = points.trials.values(id);
        if (points.space.contains(values)) sampler_->on_start(id, values);
      },
      [&](samplers::Observation seen) {
        seen.values = points.trials.values(seen.trial);
        if (points.space.contains(seen.values)) sampler_->on_result(seen);
      });
}

}  // namespace dlrun::study
