// SPDX-License-Identifier: Apache-2.0
#include "samplers/auto_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "samplers/axis.hpp"
#include "samplers/cma_es_sampler.hpp"
#include "samplers/gp_sampler.hpp"
#include "samplers/tpe_sampler.hpp"

namespace dlrun::samplers {

namespace {

/// Axes that the choice rests on: those that CMA-ES can take, and the others.
struct Makeup {
  std::size_t numbers = 0, others = 0;
};

Makeup makeup_of(const space::Space& space) {
  Makeup found;
  for (const Axis& a : axes_of(space)) {
    ++(a.is_categorical || a.is_conditional || a.is_branching ? found.others : found.numbers);
  }
  return found;
}

}  // namespace

AutoSampler::AutoSampler(const space::Space& space, std::uint64_t seed, const AutoOptions& options)
    : options_(options) {
  const Makeup makeup = makeup_of(space);
  Sampler* gp = add_member(std::make_unique<GpSampler>(space, seed));
  Sampler* tpe = add_member(std::make_unique<TpeSampler>(space, seed, TpeOptions{}));
  fronts_ = late_ = {tpe};
  early_ = {gp, gp, gp, tpe};
  if (makeup.others > 0 || makeup.numbers < 2) return;
  Sampler* cma_es = add_member(std::make_unique<CmaEsSampler>(space, seed));
  late_.push_back(cma_es);
  if (makeup.numbers >= options_.wide) early_ = {gp, gp, cma_es};
}

AutoSampler::~AutoSampler() = default;

Sampler* AutoSampler::add_member(std::unique_ptr<Sampler> member) {
  all_.push_back(std::move(member));
  return all_.back().get();
}

void AutoSampler::learn(const std::vector<Observation>& trials) {
  for (const Observation& trial : trials) has_several_ |= !trial.further.empty();
  if (has_several_) return fronts_.front()->learn(trials);
  for (const auto& member : all_) member->learn(trials);
}

void AutoSampler::on_start(trial::TrialId trial, const space::Values& values) {
  for (const auto& member : all_) member->on_start(trial, values);
  if (++started_ == options_.modelled) all_.erase(all_.begin());  // the process is not asked any more
}

void AutoSampler::on_result(const Observation& observation) {
  has_several_ |= !observation.further.empty();
  if (has_several_) return fronts_.front()->on_result(observation);
  for (const auto& member : all_) member->on_result(observation);
}

std::optional<space::Values> AutoSampler::propose(std::int64_t number) {
  const Members& members = turns();
  Sampler& member = *members[static_cast<std::size_t>(started_) % members.size()];
  auto values = member.propose(number);
  improvement_ = member.expected_improvement();
  reason_ = values ? fmt::format("auto, {}'s turn: {}", member.name(), member.reason()) : member.reason();
  return values;
}

}  // namespace dlrun::samplers
